// Command chunks measures the chunks server: what its answers cost the context of
// a model against the reference file server of the Model Context Protocol, and
// what its index costs against universal-ctags.
//
//	npm ci --prefix ../internal/e2e/node --ignore-scripts
//	apt-get install universal-ctags
//	go run ./chunks
//
// It prints tables in Markdown. See README.md of the benchmarks for how to read
// them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	// Who runs this asks for the corpora; tests are content with what needs none.
	if err := os.Setenv("DOUGU_CORPORA", "1"); err != nil {
		fmt.Fprintln(os.Stderr, "chunks:", err)
		os.Exit(1)
	}
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "chunks:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	rounds, calls int
	generated     int    // tasks for each repository, beside those with a story
	results       int    // the most that a search is to answer with; 0 is its default
	most          int    // files of a corpus; 0 is all
	programs      string // directory; empty builds them
	work          string // directory; empty is that for temporary files
	profile       string // file for a profile of indexing
	only          []string
	verbose       bool

	stdout, stderr io.Writer
	dir            string // for what is made on the way
	repository     string // of this library
	goroot         string
	ours, parser   string // the programs of this library
	node, peer     string // the reference server; empty if it is not installed
	ctags          string // empty if it is not installed
}

// parts are what can be measured, in order.
func parts() []struct {
	name string
	run  func(*bench, context.Context) error
} {
	return []struct {
		name string
		run  func(*bench, context.Context) error
	}{
		{"economy", (*bench).economy},
		{"speed", (*bench).speed},
		{"calls", (*bench).callTimes},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(b.work, "dougu-chunks-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if b.dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	if err := b.prepare(ctx); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs, %d rounds\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), b.rounds)
	for _, part := range parts() {
		if slices.Contains(b.only, part.name) {
			if err := part.run(b, ctx); err != nil {
				return fmt.Errorf("measuring %s: %w", part.name, err)
			}
		}
	}
	return nil
}

func (b *bench) parse(args []string) error {
	var names []string
	for _, part := range parts() {
		names = append(names, part.name)
	}
	var only string
	flags := flag.NewFlagSet("chunks", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.rounds, "rounds", 5, "measure each program so often, in turn")
	flags.IntVar(&b.calls, "calls", 400, "make so many calls of each kind")
	flags.IntVar(&b.generated, "generated", 12, "solve so many generated tasks for each repository")
	flags.IntVar(&b.results, "results", 0, "ask for at most so many symbols at once (default what the tool's is)")
	flags.IntVar(&b.most, "files", 0, "measure the speed with so many `files` of each corpus (default all)")
	flags.StringVar(&b.programs, "programs", "", "measure the programs chunks and outline in this `directory` (default they are built)")
	flags.StringVar(&b.work, "work", "", "copy corpora into this `directory`, which is to be on a local disk or in memory (default that for temporary files)")
	flags.StringVar(&b.profile, "profile", "", "write a CPU profile of the indexing of the Go tree to this `file`, and do nothing else of the part speed")
	flags.StringVar(&only, "parts", strings.Join(names, ","), "measure these `parts`")
	flags.BoolVar(&b.verbose, "v", false, "show what each task is")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b.only = strings.Split(only, ",")
	for _, name := range b.only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no part %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.calls < 1 || b.generated < 0 || b.results < 0 || b.most < 0 {
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	return nil
}

// prepare builds our programs and finds the peers.
func (b *bench) prepare(ctx context.Context) error {
	for _, ask := range []struct {
		into *string
		args []string
	}{
		{&b.repository, []string{"list", "-m", "-f", "{{.Dir}}", "github.com/dougu-go/dougu"}},
		{&b.goroot, []string{"env", "GOROOT"}},
	} {
		out, err := exec.CommandContext(ctx, "go", ask.args...).Output()
		if err != nil {
			return fmt.Errorf("asking go %s: %w", ask.args[0], err)
		}
		*ask.into = strings.TrimSpace(string(out))
	}
	var err error
	if b.ours, err = b.build(ctx, b.repository, "./examples/chunks"); err != nil {
		return err
	}
	if b.parser, err = b.build(ctx, filepath.Join(b.repository, "bench"), "./chunks/outline"); err != nil {
		return err
	}
	if path, err := exec.LookPath("node"); err == nil {
		b.node = path
	}
	peer := filepath.Join(b.repository, "internal", "e2e", "node", "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
	if _, err := os.Stat(peer); err == nil && b.node != "" {
		b.peer = peer
	} else {
		fmt.Fprintln(b.stderr, "chunks: the reference server is not installed: npm ci --prefix internal/e2e/node --ignore-scripts")
	}
	if b.ctags, err = exec.LookPath("ctags"); err != nil {
		fmt.Fprintln(b.stderr, "chunks: ctags is not installed: apt-get install universal-ctags")
	}
	return nil
}

// build builds a program of this repository, unless it is there.
func (b *bench) build(ctx context.Context, module, program string) (string, error) {
	if b.programs != "" {
		return filepath.Abs(filepath.Join(b.programs, filepath.Base(program)))
	}
	path := filepath.Join(b.dir, filepath.Base(program))
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", path, program)
	build.Dir = module
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", program, err, out)
	}
	return path, nil
}

// met says whether a bar is met, for a table.
func met(ok bool) string {
	if ok {
		return "pass"
	}
	return "FAIL"
}
