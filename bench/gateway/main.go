// Command gateway measures the cost of a tool call through a gateway, compared with a direct call: the processor time of the
// server, and of the gateway with the server, as processes.
//
//	go run ./gateway
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

func main() { driver.Main("gateway", run) }

// bench holds the settings of a run.
type bench struct {
	rounds, calls, inFlight int
	stdout                  io.Writer
}

// bar is the limit of additional processor time of a call through a gateway.
const (
	bar     = 60 * time.Microsecond
	barText = "≤ 60µs"
)

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{stdout: stdout}
	flags := flag.NewFlagSet("gateway", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&b.rounds, "rounds", 7, "measure so often, in turn")
	flags.IntVar(&b.calls, "calls", 5000, "make so many calls a round")
	flags.IntVar(&b.inFlight, "inflight", 16, "keep so many calls unanswered")
	enforce := flags.Bool("enforce", false, "fail when a call takes more than the bar allows")
	be := flags.String("be", "", "be a `part` of what is measured: server or gateway")
	http := flags.Bool("http", false, "as a part, serve HTTP instead of standard input and output")
	upstream := flags.String("upstream", "", "as a gateway, the `URL` of the server; empty: start one")
	if err := flags.Parse(args); err != nil {
		return err
	}
	switch {
	case *be != "":
		return part{*be, *http, *upstream}.serve(ctx)
	case flags.NArg() > 0 || b.rounds < 1 || b.calls < 1 || b.inFlight < 1:
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	return b.measure(ctx, *enforce)
}

// way is a connection of the client to the server.
type way struct {
	name            string
	direct, through setup
}

func (b *bench) measure(ctx context.Context, enforce bool) error {
	fmt.Fprintf(b.stdout, "%s %s/%s, %d CPUs, %d rounds of %d calls, %d in flight\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.rounds, b.calls, b.inFlight)
	fmt.Fprintf(b.stdout, "| client → gateway → server | direct | through | more | asked for |\n|---|---:|---:|---:|---:|\n")
	var late []string
	for _, w := range []way{
		{"HTTP → stdio", setup{http: true}, setup{http: true, gateway: true}},
		{"stdio → stdio", setup{}, setup{gateway: true}},
		// The gateway replaces the client's own connection here, so the client's time counts, too.
		{"stdio → HTTP, with the client", setup{http: true, client: true}, setup{gateway: true, upstreamHTTP: true, client: true}},
	} {
		var direct, through []time.Duration
		for range b.rounds {
			for _, one := range []struct {
				setup
				times *[]time.Duration
			}{{w.direct, &direct}, {w.through, &through}} {
				took, err := b.round(ctx, one.setup)
				if err != nil {
					return fmt.Errorf("measuring %s: %w", w.name, err)
				}
				*one.times = append(*one.times, took)
			}
		}
		more := driver.Median(through) - driver.Median(direct)
		if more > bar {
			late = append(late, w.name)
		}
		fmt.Fprintf(b.stdout, "| %s | %s | %s | %v | %s |\n", w.name, spread(direct), spread(through), tenth(more), barText)
	}
	if enforce && late != nil {
		return fmt.Errorf("these take more than %v more: %q", bar, late)
	}
	return nil
}

// spread returns the median with minimum and maximum.
func spread(times []time.Duration) string {
	t := slices.Sorted(slices.Values(times))
	return fmt.Sprintf("%v (%v–%v)", tenth(driver.Median(t)), tenth(t[0]), tenth(t[len(t)-1]))
}

func tenth(d time.Duration) time.Duration { return d.Round(100 * time.Nanosecond) }
