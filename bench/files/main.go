// Command files measures the file tools of cursorcli as processes, compared with the reference file server of the Model Context
// Protocol and with ripgrep. It also runs the corpus of edits with both servers.
//
//	npm ci --prefix ../internal/test/e2e/node --ignore-scripts
//	go run ./files
//
// The result is printed as Markdown tables, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/dougu-go/dougu/bench/driver"
)

func main() { driver.Main("files", run) }

// bench holds the settings of a run.
type bench struct {
	rounds, calls int
	small, large  int    // files in the trees
	huge          int64  // size of the file that is read in part
	source        string // directory for content search
	only          driver.Parts[*bench]
	verbose       bool

	stdout, stderr io.Writer
	dir            string // temporary directory
	repository     string // of this library
	ours           string // path of the program
	node, peer     string // reference server; empty if not installed
	rg             string // ripgrep; empty if not installed
}

// parts returns the measurements in order.
func parts() driver.Parts[*bench] {
	return driver.Parts[*bench]{
		{Name: "edits", Run: (*bench).edits},
		{Name: "calls", Run: (*bench).callTimes},
		{Name: "content", Run: (*bench).content},
		{Name: "memory", Run: (*bench).memory},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.parse(args); err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "files")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b.dir = dir
	if err := b.prepare(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs, %d rounds\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.rounds)
	return b.only.Run(ctx, b)
}

func (b *bench) parse(args []string) error {
	var only string
	flags := flag.NewFlagSet("files", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.rounds, "rounds", 7, "measure each server so often, in turn")
	flags.IntVar(&b.calls, "calls", 400, "make so many calls a round")
	flags.IntVar(&b.small, "small", 4000, "search names in a tree of so many files")
	flags.IntVar(&b.large, "large", 100_000, "measure memory with a tree of so many files")
	flags.Int64Var(&b.huge, "huge", 2<<30, "measure memory with a file of so many `bytes`")
	flags.StringVar(&b.source, "source", "", "search contents in this `directory` (default the sources of Go)")
	flags.StringVar(&only, "parts", parts().String(), "measure these `parts`")
	flags.BoolVar(&b.verbose, "v", false, "name the edits that went wrong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if b.only, err = parts().Choose(only); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.calls < 1 || b.small < 100 || b.large < 100 || b.huge < 1<<20 {
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	return nil
}

// prepare builds this library's server and finds the others.
func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.repository, err = driver.Repository(ctx); err != nil {
		return err
	}
	if b.source == "" {
		goroot, err := driver.GoRoot(ctx)
		if err != nil {
			return err
		}
		b.source = filepath.Join(goroot, "src")
	}
	if b.ours, err = driver.BuildProgram(ctx, b.repository, "./examples/cursorcli", b.dir); err != nil {
		return err
	}
	if b.node, b.peer = driver.ReferenceServer(b.repository); b.peer == "" {
		fmt.Fprintln(b.stderr, "files: the reference server is not installed: npm ci --prefix internal/test/e2e/node --ignore-scripts")
	}
	if b.rg, err = exec.LookPath("rg"); err != nil {
		fmt.Fprintln(b.stderr, "files: ripgrep is not installed")
	}
	return nil
}
