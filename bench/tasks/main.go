// Command tasks measures the cost of many concurrent tasks, each polled once a second.
//
//	go run ./tasks
//	go run ./tasks -tasks 1000 -duration 5m
//
// The clients use revision 2026-07-28 over HTTP. Requests are made at planned times, independent of earlier responses (an open
// loop), and response times count from the planned time. The server is a separate process, which reports its processor time and
// memory.
//
// The run fails unless every request returns its task.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() {
	if os.Getenv(serverVariable) != "" {
		os.Exit(serveTasks())
	}
	driver.Main("tasks", run)
}

// bench holds the settings of a run.
type bench struct {
	tasks    int
	every    time.Duration
	duration time.Duration
	workers  int
	slowest  time.Duration

	stderr io.Writer
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stderr: stderr}
	if err := b.flags(args); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs; %d tasks, each asked for every %v, for %v\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.tasks, b.every, b.duration)
	server, err := startServer(ctx, b)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.end()) }()
	rest, err := server.usage(ctx)
	if err != nil {
		return err
	}
	begun := time.Now()
	ids, err := server.begin(ctx, b.tasks)
	if err != nil {
		return err
	}
	creating := time.Since(begun)
	before, err := server.usage(ctx)
	if err != nil {
		return err
	}
	times, err := b.poll(ctx, server, ids)
	if err != nil {
		return err
	}
	after, err := server.usage(ctx)
	if err != nil {
		return err
	}
	return b.report(stdout, creating, rest, before, after, times)
}

func (b *bench) flags(args []string) error {
	flags := flag.NewFlagSet("tasks", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.tasks, "tasks", 10_000, "have so many `tasks` at once")
	flags.DurationVar(&b.every, "every", time.Second, "ask for each so often")
	flags.DurationVar(&b.duration, "duration", 30*time.Second, "ask for so long")
	flags.IntVar(&b.workers, "connections", 32, "ask over so many `connections`")
	flags.DurationVar(&b.slowest, "p95", 0, "fail unless 95 % of the answers come within this `time`; 0: however slow they are")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.tasks < 1 || b.tasks > 1_000_000 || b.every <= 0 || b.duration <= 0 || b.workers < 1 || b.workers > 1000 || b.slowest < 0 {
		return errors.New("unexpected arguments, or numbers that are too small or too great")
	}
	return nil
}

// report prints the results and checks the bars.
func (b *bench) report(w io.Writer, creating time.Duration, rest, before, after usage, times []time.Duration) error {
	slices.Sort(times)
	at := func(p float64) time.Duration { return times[min(len(times)-1, int(p*float64(len(times))))] }
	worked := after.CPU - before.CPU
	took := after.At.Sub(before.At)
	fmt.Fprintf(w, "| | |\n|---|---|\n")
	fmt.Fprintf(w, "| a task made | %v |\n", (creating / time.Duration(b.tasks)).Round(time.Microsecond))
	fmt.Fprintf(w, "| memory of a task | %d bytes |\n", max(0, before.Heap+before.Stack-rest.Heap-rest.Stack)/int64(b.tasks))
	fmt.Fprintf(w, "| polls | %d |\n", len(times))
	fmt.Fprintf(w, "| CPU of a poll | %v |\n", (worked / time.Duration(len(times))).Round(100*time.Nanosecond))
	fmt.Fprintf(w, "| share of one CPU | %.1f %% |\n", 100*float64(worked)/float64(took))
	fmt.Fprintf(w, "| p50, p95, p99, slowest | %v, %v, %v, %v |\n", at(.5).Round(time.Microsecond), at(.95).Round(time.Microsecond), at(.99).Round(time.Microsecond), times[len(times)-1].Round(time.Microsecond))
	if b.slowest > 0 && at(.95) > b.slowest {
		return fmt.Errorf("95 %% of the answers come within %v, and are to within %v", at(.95), b.slowest)
	}
	return nil
}
