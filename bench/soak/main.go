// Command soak uses the example cqm with many clients for a long time, while files change.
//
//	go run ./soak
//	go run ./soak -clients 200 -duration 24h
//
// Half of the clients use WebSocket, half HTTP. Half of each have a session of a legacy revision. Requests are made at planned
// times, independent of earlier responses (an open loop). By default a client makes 0.25 requests per second, a quarter of its rate
// limit. An agent that searches before every second step makes about as many. The response time counts from the planned time.
//
//	go run ./soak -rate 1.5 -p95 0 -duration 5m
//
// makes more requests than two processors can serve. The server must refuse some early and keep its memory.
//
// The run fails unless all of these hold. Every request gets a response, except requests over a configured limit or refused by a
// busy server. The memory of the last third is at most 1.2 times the memory of the second third. 95 % of the responses arrive
// within 200 ms. The last change is found. Goroutines and descriptors are released when the clients have disconnected.
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

func main() { driver.Main("soak", run) }

// soak holds the settings of a run.
type soak struct {
	clients  int
	rate     float64 // requests per second of each client
	duration time.Duration
	files    int
	change   time.Duration // between two changes of files
	slowest  time.Duration // limit of the 95th percentile; 0 is none
	program  string

	stdout, stderr io.Writer
	dir            string
	failed         []string
}

// shortest is the least duration for which memory is judged, because caches fill at first.
const shortest = 5 * time.Minute

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	s := &soak{stdout: stdout, stderr: stderr}
	if err := s.flags(args); err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "soak")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	s.dir = dir
	if err := s.build(ctx); err != nil {
		return err
	}
	tree, err := newCorpus(ctx, filepath.Join(s.dir, "project"), s.files)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs; %d clients, %g requests a second each, %v, %d files\n\n",
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), s.clients, s.rate, s.duration, tree.files)
	if err := s.measure(ctx, tree); err != nil {
		return err
	}
	if len(s.failed) > 0 {
		return errors.New(strings.Join(s.failed, "; "))
	}
	return nil
}

func (s *soak) flags(args []string) error {
	flags := flag.NewFlagSet("soak", flag.ContinueOnError)
	flags.SetOutput(s.stderr)
	flags.IntVar(&s.clients, "clients", 200, "connect so many `clients`")
	flags.Float64Var(&s.rate, "rate", 0.25, "`requests` a second of each client")
	flags.DurationVar(&s.duration, "duration", 10*time.Minute, "ask for so long")
	flags.IntVar(&s.files, "files", 3000, "so many `files` of the Go tree are the project")
	flags.DurationVar(&s.change, "change", time.Second, "change a file so often")
	flags.DurationVar(&s.slowest, "p95", 200*time.Millisecond, "fail unless 95 % of the answers come within this `time`; 0: however slow they are")
	flags.StringVar(&s.program, "program", "", "the `file` of cqm (default it is built)")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || s.clients < 1 || s.clients > 10_000 || s.rate <= 0 || s.rate > 2 || s.duration <= 0 || s.files < 10 || s.change <= 0 || s.slowest < 0 {
		return errors.New("unexpected arguments, or numbers that are too small or too great")
	}
	return nil
}

// build builds the program, unless one is given.
func (s *soak) build(ctx context.Context) error {
	if s.program != "" {
		var err error
		s.program, err = filepath.Abs(s.program)
		return err
	}
	repository, err := driver.Repository(ctx)
	if err != nil {
		return err
	}
	s.program, err = driver.BuildProgram(ctx, repository, "./examples/cqm", s.dir)
	return err
}

// measure runs the server and the clients, and judges the results.
func (s *soak) measure(ctx context.Context, tree *corpus) (err error) {
	server, err := s.start(ctx, tree)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.end()) }()
	rest, err := server.rests(ctx)
	if err != nil {
		return err
	}
	c, err := s.crowd(ctx, server)
	if err != nil {
		return err
	}
	var watched history
	c.use(ctx, func(at time.Duration) error { return watched.record(ctx, server, at, s.duration) }, tree)
	found := c.finds(ctx, tree)
	c.leave()
	left, err := server.settles(ctx, rest)
	if err = errors.Join(err, ctx.Err()); err != nil {
		return err
	}
	s.report(&c.told, &watched, rest, left, found)
	return nil
}

// report prints the results and records failures.
func (s *soak) report(t *tally, h *history, rest, left state, found error) {
	t.table(s.stdout)
	check := func(what string, met bool) {
		verdict := "pass"
		if !met {
			verdict = "FAIL"
			s.failed = append(s.failed, what)
		}
		fmt.Fprintf(s.stdout, "- %s: %s\n", what, verdict)
	}
	check(fmt.Sprintf("%d requests, %d over a configured limit, %d failed", t.asked, t.limited, t.failed)+t.examples(), t.failed == 0 && t.asked > t.limited)
	fmt.Fprintf(s.stdout, "- processors: %.1f ms for a request, with what changes of files cost\n", 1e3*(h.last.worked-h.begun.worked)/float64(max(1, t.all.n)))
	late, soon := h.mean(2), h.mean(1)
	flat := fmt.Sprintf("memory of the last third %s, of the second %s, × %.2f ≤ 1.20", megabytes(late), megabytes(soon), late/soon)
	if s.duration >= shortest {
		check(flat, late <= 1.2*soon)
	} else {
		fmt.Fprintf(s.stdout, "- %s: not judged in less than %v\n", flat, shortest)
	}
	p95 := t.all.quantile(.95)
	fast := fmt.Sprintf("p95 %v < %v at %.0f requests a second", p95.Round(100*time.Microsecond), s.slowest, s.rate*float64(s.clients))
	if s.slowest > 0 {
		check(fast, p95 < s.slowest)
	}
	check(fmt.Sprintf("goroutines %d with the clients, %d without them, %d before", h.most.goroutines, left.goroutines, rest.goroutines), left.goroutines <= rest.goroutines+spare)
	check(fmt.Sprintf("descriptors %d with the clients, %d without them, %d before", h.most.descriptors, left.descriptors, rest.descriptors), left.descriptors <= rest.descriptors+spare)
	check("what has changed last is found"+reasonOf(found), found == nil)
}

// spare is the tolerance of goroutines and descriptors at the end, for background work.
const spare = 12

func reasonOf(err error) string {
	if err == nil {
		return ""
	}
	return " (" + err.Error() + ")"
}

func megabytes(bytes float64) string { return fmt.Sprintf("%.1f MB", bytes/1e6) }
