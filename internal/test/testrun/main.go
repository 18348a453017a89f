// Command testrun runs Go tests for .ci/run, repeats failed ones, and reports on the whole run.
//
//	testrun run -out DIR -stage NAME [-C DIR] -- [-FLAG=VALUE …] PACKAGE …
//	testrun stage -out DIR NAME SECONDS
//	testrun left-out -out DIR STAGE
//	testrun skipped -out DIR [STAGE …]
//	testrun report -out DIR
//
// All calls of one CI run share the directory DIR: "run" writes the events of "go test -json" to DIR/NAME.events.json and flaky tests to
// DIR/flaky.json, "stage" adds the duration of a stage to DIR/stages.json, and the others read these files.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "testrun:", err)
		os.Exit(1)
	}
}

// run executes one subcommand. Its report goes to out.
func run(ctx context.Context, args []string, out io.Writer) error {
	if len(args) == 0 {
		return errors.New("the subcommand is missing: run, stage, left-out, skipped or report")
	}
	flags := flag.NewFlagSet("testrun "+args[0], flag.ContinueOnError)
	dir := flags.String("out", "", "`directory` of the records of this CI run (required)")
	stage := flags.String("stage", "", "`name` of the stage that runs the tests")
	module := flags.String("C", ".", "`directory` of the module to test")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	if *dir == "" {
		return errors.New("the flag -out is missing")
	}
	rec := recorder{dir: *dir}
	switch args[0] {
	case "run":
		if *stage == "" || flags.NArg() == 0 {
			return errors.New("the flag -stage or the arguments of go test are missing")
		}
		s := suite{stage: *stage, module: *module, args: flags.Args(), record: rec, out: out, command: goTest}
		return s.run(ctx)
	case "stage":
		seconds, err := strconv.Atoi(flags.Arg(1))
		if flags.NArg() != 2 || err != nil {
			return fmt.Errorf("give the name and the seconds of a stage, not %q", flags.Args())
		}
		return rec.addStage(flags.Arg(0), time.Duration(seconds)*time.Second)
	case "left-out":
		if flags.NArg() != 1 {
			return fmt.Errorf("give the name of a stage, not %q", flags.Args())
		}
		return printLeftOut(rec, flags.Arg(0), out)
	case "skipped":
		return checkSkipped(rec, flags.Args(), out)
	case "report":
		return report(rec, out)
	}
	return fmt.Errorf("unknown subcommand %q", args[0])
}
