// Command agents measures the cost of running agents: reading their output, the response time of an order, the delay of events in a
// browser, memory for large output, and remaining resources.
//
//	go run ./agents
//	go run ./agents -parts parse -size 64 -rounds 5
//
// The server is the example kuromajutsu as a process on standard input and output. The agents are programs that print the output of
// the Cursor CLI. The result is printed as Markdown tables, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("agents", run) }

// bench holds the settings of a run.
type bench struct {
	size, rounds int // of parse
	calls        int // of order, at most so many in each step
	crew         int // concurrent agents
	lasts        time.Duration
	flood        time.Duration
	runs         int
	settle       time.Duration
	programs     string // directory of the programs; empty builds them
	enforce      bool
	only         driver.Parts[*bench]

	stdout, stderr   io.Writer
	dir              string // temporary directory
	example, standin string // paths of the programs
	failed           []string
}

// parts returns the measurements in order.
func parts() driver.Parts[*bench] {
	return driver.Parts[*bench]{
		{Name: "parse", Run: (*bench).parse},
		{Name: "order", Run: (*bench).orders},
		{Name: "live", Run: (*bench).live},
		{Name: "memory", Run: (*bench).memory},
		{Name: "leaks", Run: (*bench).leaks},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.flags(args); err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "agents")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b.dir = dir
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := b.only.Run(ctx, b); err != nil {
		return err
	}
	if b.enforce && len(b.failed) > 0 {
		return fmt.Errorf("bars that are not met: %s", strings.Join(b.failed, ", "))
	}
	return nil
}

func (b *bench) flags(args []string) error {
	var only string
	flags := flag.NewFlagSet("agents", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.size, "size", 64, "parse so many `megabytes` of each stream")
	flags.IntVar(&b.rounds, "rounds", 3, "measure so often: of parse the fastest round counts, of live the median")
	flags.IntVar(&b.calls, "calls", 200, "order so many agents each time, 200 at most")
	flags.IntVar(&b.crew, "agents", 50, "run so many agents at once")
	flags.DurationVar(&b.lasts, "lasts", 10*time.Second, "let agents print so long in live")
	flags.DurationVar(&b.flood, "flood", 15*time.Second, "let agents print so long in memory")
	flags.IntVar(&b.runs, "runs", 1000, "run so many agents in leaks")
	flags.DurationVar(&b.settle, "settle", 3*time.Second, "let a server come to rest for so long in leaks")
	flags.StringVar(&b.programs, "programs", "", "measure the programs kuromajutsu and standin in this `directory` (default they are built)")
	flags.StringVar(&only, "parts", parts().String(), "measure these `parts`")
	flags.BoolVar(&b.enforce, "enforce", false, "fail when a bar is not met")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if b.only, err = parts().Choose(only); err != nil {
		return err
	}
	if flags.NArg() > 0 || min(b.size, b.rounds, b.calls, b.crew, b.runs) < 1 || b.calls > 200 || b.crew > 100 || b.lasts <= 0 || b.flood <= 0 || b.settle <= 0 {
		return errors.New("unexpected arguments, or numbers that are too small or too great")
	}
	return nil
}

// build builds the programs once.
func (b *bench) build(ctx context.Context) error {
	if b.example != "" {
		return nil
	}
	if b.programs != "" {
		dir, err := filepath.Abs(b.programs)
		b.example, b.standin = filepath.Join(dir, "kuromajutsu"), filepath.Join(dir, "standin")
		return err
	}
	repository, err := driver.Repository(ctx)
	if err != nil {
		return err
	}
	if b.standin, err = driver.BuildProgram(ctx, filepath.Join(repository, "bench"), "./agents/standin", b.dir); err != nil {
		return err
	}
	b.example, err = driver.BuildProgram(ctx, repository, "./examples/kuromajutsu", b.dir)
	return err
}

// verdict returns a table entry about a bar.
func (b *bench) verdict(bar string, met bool) string {
	if met {
		return "pass"
	}
	b.failed = append(b.failed, bar)
	return "FAIL"
}
