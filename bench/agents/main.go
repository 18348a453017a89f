// Command agents measures what running agents costs: how fast their output is read,
// how soon an order is answered and how soon a browser sees what they do, how much
// memory they need whatever they print, and what they leave behind.
//
//	go run ./agents
//	go run ./agents -parts parse -size 64 -rounds 5
//
// The server is the example kuromajutsu as a whole process, over standard input and
// output; the agents are programs that print what the Cursor CLI would. It prints
// tables in Markdown. See README.md of the benchmarks for how to read them.
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
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("agents", run) }

// bench is one run.
type bench struct {
	size, rounds int // of parse
	calls        int // of order, at most so many each time
	crew         int // agents at once
	lasts        time.Duration
	flood        time.Duration
	runs         int
	settle       time.Duration
	programs     string // directory; empty builds them
	enforce      bool
	only         driver.Parts[*bench]

	stdout, stderr   io.Writer
	dir              string // for what is made on the way
	example, standin string // programs
	failed           []string
}

// parts are what can be measured, in order.
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
	dir, err := os.MkdirTemp("", "dougu-agents-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
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

// build builds the programs, once.
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

// verdict says whether a bar is met, for a table.
func (b *bench) verdict(bar string, met bool) string {
	if met {
		return "pass"
	}
	b.failed = append(b.failed, bar)
	return "FAIL"
}
