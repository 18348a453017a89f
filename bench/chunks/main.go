// Command chunks measures the chunks server: the size of its results in the context of a model, compared with the reference file
// server of the Model Context Protocol, and the cost of its index, compared with universal-ctags.
//
//	npm ci --prefix ../internal/test/e2e/node --ignore-scripts
//	apt-get install universal-ctags lua5.3 libppi-perl r-base-core elixir ocaml-interp
//	go run ./chunks
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

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
)

func main() {
	corpora.Allow()
	driver.Main("chunks", run)
}

// bench holds the settings of a run.
type bench struct {
	rounds, calls int
	generated     int    // generated tasks for each repository
	results       int    // limit of search results; 0 is the default
	most          int    // files of a corpus; 0 is all
	functions     int    // replaced functions for each project of the part edits
	editEvery     int    // one random edit for so many functions
	programs      string // directory of the programs; empty builds them
	work          string // directory for temporary files; empty is the system's
	profile       string // file for a profile of indexing
	only          driver.Parts[*bench]
	languages     string // of the projects of the parts callers, map, accuracy and edits; empty is all
	projects      string // directory with clones of projects for the part accuracy; empty if there are none
	verbose       bool

	stdout, stderr io.Writer
	dir            string // temporary directory
	repository     string // of this library
	goroot         string
	ours, parser   string // paths of the programs of this library
	node, peer     string // reference server; empty if not installed
	ctags          string // empty if not installed
}

// parts returns the measurements in order.
func parts() driver.Parts[*bench] {
	return driver.Parts[*bench]{
		{Name: "economy", Run: (*bench).economy},
		{Name: "price", Run: (*bench).price},
		{Name: "speed", Run: (*bench).speed},
		{Name: "calls", Run: (*bench).callTimes},
		{Name: "stores", Run: (*bench).stores},
		{Name: "callers", Run: (*bench).callers},
		{Name: "map", Run: (*bench).repositoryMaps},
		{Name: "accuracy", Run: (*bench).accuracy},
		{Name: "edits", Run: (*bench).edits},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.parse(args); err != nil {
		return err
	}
	dir, remove, err := driver.TempDir(b.work, "chunks")
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
	flags := flag.NewFlagSet("chunks", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.rounds, "rounds", 5, "measure each program so often, in turn")
	flags.IntVar(&b.calls, "calls", 400, "make so many calls of each kind")
	flags.IntVar(&b.generated, "generated", 12, "solve so many generated tasks for each repository")
	flags.IntVar(&b.results, "results", 0, "ask for at most so many symbols at once (default what the tool's is)")
	flags.IntVar(&b.most, "files", 0, "measure the speed with so many `files` of each corpus (default all)")
	flags.IntVar(&b.functions, "functions", 4000, "replace about so many functions of each project in the part edits")
	flags.IntVar(&b.editEvery, "edit-every", 10, "make a random edit in one of so many functions in the part edits")
	flags.StringVar(&b.programs, "programs", "", "measure the programs chunks and outline in this `directory` (default they are built)")
	flags.StringVar(&b.work, "work", "", "copy corpora into this `directory`, which is to be on a local disk or in memory (default that for temporary files)")
	flags.StringVar(&b.profile, "profile", "", "write a CPU profile of the indexing of the Go tree to this `file`, and do nothing else of the part speed")
	flags.StringVar(&only, "parts", parts().String(), "measure these `parts`")
	flags.StringVar(&b.languages, "languages", "", "measure the parts callers, map, accuracy and edits in these `languages` (default all)")
	flags.StringVar(&b.projects, "projects", "", "find clones of GitHub projects for the part accuracy below this `directory`")
	flags.BoolVar(&b.verbose, "v", false, "show what each task is")
	if err := flags.Parse(args); err != nil {
		return err
	}
	var err error
	if b.only, err = parts().Choose(only); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.calls < 1 || b.generated < 0 || b.results < 0 || b.most < 0 || b.functions < 1 || b.editEvery < 1 {
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	return nil
}

// prepare builds this library's programs and finds the others.
func (b *bench) prepare(ctx context.Context) error {
	var err error
	if b.repository, err = driver.Repository(ctx); err != nil {
		return err
	}
	if b.goroot, err = driver.GoRoot(ctx); err != nil {
		return err
	}
	if b.ours, err = b.build(ctx, b.repository, "./examples/chunks"); err != nil {
		return err
	}
	if b.parser, err = b.build(ctx, filepath.Join(b.repository, "bench"), "./chunks/outline"); err != nil {
		return err
	}
	if b.node, b.peer = driver.ReferenceServer(b.repository); b.peer == "" {
		fmt.Fprintln(b.stderr, "chunks: the reference server is not installed: npm ci --prefix internal/test/e2e/node --ignore-scripts")
	}
	if b.ctags, err = exec.LookPath("ctags"); err != nil {
		fmt.Fprintln(b.stderr, "chunks: ctags is not installed: apt-get install universal-ctags")
	}
	return nil
}

// build builds a program of this repository, unless a directory of programs is given.
func (b *bench) build(ctx context.Context, module, program string) (string, error) {
	if b.programs != "" {
		return filepath.Abs(filepath.Join(b.programs, filepath.Base(program)))
	}
	return driver.BuildProgram(ctx, module, program, b.dir)
}

// met returns a table entry about a bar.
func met(ok bool) string {
	if ok {
		return "pass"
	}
	return "FAIL"
}
