// Command files measures cursorcli's file tools, as whole processes, against
// the reference file server of the Model Context Protocol and against ripgrep,
// and runs the corpus of edits against both servers.
//
//	npm ci --prefix ../internal/e2e/node --ignore-scripts
//	go run ./files
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
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "files:", err)
		os.Exit(1)
	}
}

// bench is one run.
type bench struct {
	rounds, calls int
	small, large  int    // files in the trees
	huge          int64  // bytes of the file that is read in part
	source        string // directory that content is searched in
	only          []string
	verbose       bool

	stdout, stderr io.Writer
	dir            string // for what is made on the way
	repository     string // of this library
	ours           string // the program
	node, peer     string // the reference server; empty if it is not installed
	rg             string // ripgrep; empty if it is not installed
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
		{"edits", (*bench).edits},
		{"calls", (*bench).callTimes},
		{"content", (*bench).content},
		{"memory", (*bench).memory},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.parse(args); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "dougu-files-")
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
	flags := flag.NewFlagSet("files", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.IntVar(&b.rounds, "rounds", 7, "measure each server so often, in turn")
	flags.IntVar(&b.calls, "calls", 400, "make so many calls a round")
	flags.IntVar(&b.small, "small", 4000, "search names in a tree of so many files")
	flags.IntVar(&b.large, "large", 100_000, "measure memory with a tree of so many files")
	flags.Int64Var(&b.huge, "huge", 2<<30, "measure memory with a file of so many `bytes`")
	flags.StringVar(&b.source, "source", "", "search contents in this `directory` (default the sources of Go)")
	flags.StringVar(&only, "parts", strings.Join(names, ","), "measure these `parts`")
	flags.BoolVar(&b.verbose, "v", false, "name the edits that went wrong")
	if err := flags.Parse(args); err != nil {
		return err
	}
	b.only = strings.Split(only, ",")
	for _, name := range b.only {
		if !slices.Contains(names, name) {
			return fmt.Errorf("there is no part %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.calls < 1 || b.small < 100 || b.large < 100 || b.huge < 1<<20 {
		return errors.New("unexpected arguments, or numbers that are too small")
	}
	return nil
}

// prepare builds our server and finds the peers.
func (b *bench) prepare(ctx context.Context) error {
	root, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/dougu-go/dougu").Output()
	if err != nil {
		return fmt.Errorf("finding the repository: %w", err)
	}
	b.repository = strings.TrimSpace(string(root))
	if b.source == "" {
		goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
		if err != nil {
			return fmt.Errorf("finding the sources of Go: %w", err)
		}
		b.source = filepath.Join(strings.TrimSpace(string(goroot)), "src")
	}
	b.ours = filepath.Join(b.dir, "cursorcli")
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-o", b.ours, "./examples/cursorcli")
	build.Dir = b.repository
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("building cursorcli: %w\n%s", err, out)
	}
	if path, err := exec.LookPath("node"); err == nil {
		b.node = path
	}
	peer := filepath.Join(b.repository, "internal", "e2e", "node", "node_modules", "@modelcontextprotocol", "server-filesystem", "dist", "index.js")
	if _, err := os.Stat(peer); err == nil && b.node != "" {
		b.peer = peer
	} else {
		fmt.Fprintln(b.stderr, "files: the reference server is not installed: npm ci --prefix internal/e2e/node --ignore-scripts")
	}
	if b.rg, err = exec.LookPath("rg"); err != nil {
		fmt.Fprintln(b.stderr, "files: ripgrep is not installed")
	}
	return nil
}
