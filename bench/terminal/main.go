// Command terminal measures what it costs to run a command through the terminal
// tools of a server, as a whole process over standard input and output, against
// starting the same command directly.
//
//	go run ./terminal
//
// It prints a table in Markdown. See README.md of the benchmarks for how to read
// it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("terminal", run) }

// bench is one run.
type bench struct {
	rounds, calls int
	stdout        io.Writer
	dir           string // in which commands start
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{stdout: stdout}
	flags := flag.NewFlagSet("terminal", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.rounds, "rounds", 7, "measure so often, in turn")
	flags.IntVar(&b.calls, "calls", 200, "run so many commands a round")
	served := flags.String("serve", "", "be the server for a `directory`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *served != "":
		return serve(ctx, *served)
	case flags.NArg() > 0 || b.rounds < 1 || b.calls < 1:
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	dir, err := os.MkdirTemp("", "dougu-terminal-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	return b.measure(ctx)
}

// bar is how many times longer a command may take through a server.
const bar = 3

func (b *bench) measure(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "%s %s/%s, %d CPUs, %d rounds of %d commands\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.rounds, b.calls)
	fmt.Fprintf(b.stdout, "| command | how | median | least | greatest | × directly | asked for |\n|---|---|---:|---:|---:|---:|---:|\n")
	for _, w := range workloads() {
		direct, through, err := b.compare(ctx, w)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", w.name, err)
		}
		b.row(w.name, "directly", direct)
		fmt.Fprintf(b.stdout, " | |\n")
		b.row(w.name, "execute_command", through)
		fmt.Fprintf(b.stdout, " %.2f | ≤ %d |\n", driver.Ratio(through, direct), bar)
	}
	return nil
}

// compare measures one command both ways, round by round.
func (b *bench) compare(ctx context.Context, w workload) (direct, through []time.Duration, err error) {
	s, err := open(ctx, b.dir)
	if err != nil {
		return nil, nil, err
	}
	defer s.Close()
	for range b.rounds {
		took, err := b.round(func() (time.Duration, error) { return w.directly(ctx, b.dir) })
		if err != nil {
			return nil, nil, err
		}
		direct = append(direct, took)
		if took, err = b.round(func() (time.Duration, error) { return w.through(s) }); err != nil {
			return nil, nil, err
		}
		through = append(through, took)
	}
	return direct, through, nil
}

// round is the median time of a call, after some to get warm.
func (b *bench) round(call func() (time.Duration, error)) (time.Duration, error) {
	times := make([]time.Duration, 0, b.calls)
	warm := b.calls/4 + 1
	for i := range b.calls + warm {
		took, err := call()
		if err != nil {
			return 0, err
		}
		if i >= warm {
			times = append(times, took)
		}
	}
	return driver.Median(times), nil
}

func (b *bench) row(name, how string, times []time.Duration) {
	t := slices.Sorted(slices.Values(times))
	fmt.Fprintf(b.stdout, "| `%s` | %s | %v | %v | %v |", name, how, micro(driver.Median(times)), micro(t[0]), micro(t[len(t)-1]))
}

func micro(d time.Duration) time.Duration { return d.Round(time.Microsecond) }
