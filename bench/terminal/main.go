// Command terminal measures the cost of a command through the terminal tools of a server, as a process on standard input and
// output, compared with starting the command directly.
//
//	go run ./terminal
//
// The result is printed as a Markdown table, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("terminal", run) }

// bench holds the settings of a run.
type bench struct {
	rounds, calls int
	stdout        io.Writer
	dir           string // working directory of commands
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
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
	dir, remove, err := driver.TempDir("", "terminal")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b.dir = dir
	return b.measure(ctx)
}

// bar is the limit of the time through a server relative to the direct time.
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

// compare measures one command both ways, alternately.
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

// round returns the median time of a call, after a warm-up.
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
