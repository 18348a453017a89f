// Command bench measures this library's server, the standard library and other MCP libraries for Go, each as a process, over pipes,
// HTTP and WebSocket.
//
//	go run . -check
//
// It prints a Markdown table, which README.md explains.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("bench", run) }

type settings struct {
	driver.Options
	servers, workloads string
	check, enforce     bool
	verbose            bool
	json               string
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&s.Rounds, "rounds", 5, "measure each workload so often with each server, in turn")
	flags.IntVar(&s.Calls, "calls", 5000, "make so many small calls a round, and fewer of larger ones")
	flags.IntVar(&s.InFlight, "inflight", 16, "keep so many calls unanswered, over HTTP on so many connections")
	flags.IntVar(&s.Tools, "tools", 50, "let the servers serve so many tools")
	flags.IntVar(&s.Starts, "starts", 20, "measure the start of each server so often")
	flags.IntVar(&s.Held, "held", 10000, "hold so many sessions, streams and connections open, and a fifth as many WebSocket connections")
	flags.StringVar(&s.servers, "servers", strings.Join(serverNames(), ","), "measure these servers")
	flags.StringVar(&s.workloads, "workloads", strings.Join(workloadNames(), ","), "run these workloads")
	flags.BoolVar(&s.check, "check", false, "compare with the bars and print which are met")
	flags.BoolVar(&s.enforce, "enforce", false, "like -check, and fail when a bar is not met or not measured")
	flags.BoolVar(&s.verbose, "v", false, "say what is being measured")
	flags.StringVar(&s.Profiles, "profiles", "", "write profiles of the servers that listen into this `directory`")
	flags.StringVar(&s.json, "json", "", "write every sample to this `file` as JSON")
	if err := flags.Parse(args); err != nil {
		return settings{}, err
	}
	if flags.NArg() > 0 {
		return settings{}, fmt.Errorf("unexpected argument %q; settings are flags", flags.Arg(0))
	}
	return s, nil
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s, err := parse(args, stderr)
	if err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "bench")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	binaries, err := build(ctx, split(s.servers), dir, stderr)
	if err != nil {
		return err
	}
	s.Progress = func(round int, workload, server string) {
		if s.verbose {
			fmt.Fprintf(stderr, "%s: round %d, %s\n", workload, round, server)
		}
	}
	report, err := driver.Measure(ctx, binaries, split(s.workloads), s.Options)
	if err != nil {
		return err
	}
	return publish(report, s, stdout)
}

// build compiles the named servers. A server with missing imports is skipped with a message.
func build(ctx context.Context, names []string, dir string, stderr io.Writer) ([]driver.Binary, error) {
	known := driver.Servers()
	var binaries []driver.Binary
	for _, name := range names {
		i := slices.IndexFunc(known, func(s driver.Server) bool { return s.Name == name })
		if i < 0 {
			return nil, fmt.Errorf("there is no server %q; there are %s", name, strings.Join(serverNames(), ", "))
		}
		binary, err := driver.Build(ctx, known[i], dir)
		if errors.Is(err, driver.ErrMissing) {
			fmt.Fprintf(stderr, "bench: left out: %v\n", err)
			continue
		}
		if err != nil {
			return nil, err
		}
		binaries = append(binaries, binary)
	}
	return binaries, nil
}

func publish(report *driver.Report, s settings, stdout io.Writer) error {
	if err := report.WriteTable(stdout); err != nil {
		return err
	}
	if s.json != "" {
		encoded, err := json.MarshalIndent(report, "", "\t")
		if err != nil {
			return err
		}
		if err := os.WriteFile(s.json, append(encoded, '\n'), 0o644); err != nil {
			return err
		}
	}
	if !s.check && !s.enforce {
		return nil
	}
	var verdicts []driver.Verdict
	unmet := 0
	for _, bar := range driver.Bars() {
		v := bar.Judge(report)
		verdicts = append(verdicts, v)
		if !v.Passed {
			unmet++
		}
	}
	fmt.Fprintln(stdout)
	if err := driver.WriteVerdicts(stdout, verdicts); err != nil {
		return err
	}
	if s.enforce && unmet > 0 {
		return fmt.Errorf("%d of %d bars are not met", unmet, len(verdicts))
	}
	return nil
}

func serverNames() []string {
	var names []string
	for _, s := range driver.Servers() {
		names = append(names, s.Name)
	}
	return names
}

func workloadNames() []string {
	return append([]string{
		driver.Small, driver.Search, driver.List, driver.Text64K, driver.Text1M, driver.Start,
		driver.HTTPStateless, driver.HTTPSession, driver.WebSocket,
	}, driver.Holds()...)
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' })
}
