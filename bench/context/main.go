// Command context counts the bytes that a model reads and writes to solve ordinary tasks in five real projects: with this library's
// server, with grep, ranged reads and string edits, and with the reference server for files.
//
//	npm ci --prefix ../internal/test/e2e/node --ignore-scripts
//	go run ./context
//
// The result is printed as Markdown tables, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
)

// The bars: the price with this library's server relative to the others'.
const (
	grepEditBar   = 1.0
	filesystemBar = 1.0 / 30
)

func main() {
	corpora.Allow()
	driver.Main("context", run)
}

// bench holds the settings of a run.
type bench struct {
	projects string // names, separated by commas; empty is all
	profile  string // profile of cursorcli
	program  string // directory of cursorcli; empty builds it
	verbose  bool
	check    bool // solve the tasks with cursorcli alone, and compare their bytes with the table
	update   bool // as check, and write the table

	stdout, stderr io.Writer
	dir            string // temporary directory
	repository     string
	goroot         string
	cursorcli      string // path
	node, peer     string // reference server; empty if not installed
}

// The names of the ways, in the order of the columns.
const (
	byDougu      = "dougu"
	byGrepEdit   = "grep and edit"
	byFilesystem = "server-filesystem"
)

func wayNames() []string { return []string{byDougu, byGrepEdit, byFilesystem} }

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stdout: stdout, stderr: stderr}
	if err := b.parse(args); err != nil {
		return err
	}
	dir, remove, err := driver.TempDir("", "context")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b.dir = dir
	if err := b.prepare(ctx); err != nil {
		return err
	}
	r := &report{}
	for _, p := range projects() {
		if b.projects != "" && !slices.Contains(strings.Split(b.projects, ","), p.name) {
			continue
		}
		if err := b.solveAll(ctx, p, r); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	if err := r.print(b); err != nil || !b.check {
		return err
	}
	return b.checkBudget(r)
}

func (b *bench) parse(args []string) error {
	flags := flag.NewFlagSet("context", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.StringVar(&b.projects, "projects", "", "solve the tasks of these `projects` (default all)")
	flags.StringVar(&b.profile, "profile", "beside", "measure this `profile` of cursorcli")
	flags.StringVar(&b.program, "programs", "", "measure the program cursorcli in this `directory` (default it is built)")
	flags.BoolVar(&b.verbose, "v", false, "show the answers of every task")
	flags.BoolVar(&b.check, "check", false, "solve the tasks with cursorcli alone, and fail if their bytes exceed the budget in "+budgetFile)
	flags.BoolVar(&b.update, "update", false, "write the measured bytes into "+budgetFile)
	if err := flags.Parse(args); err != nil {
		return err
	}
	if b.check = b.check || b.update; b.check && b.profile != "beside" {
		return errors.New("the budget is that of the profile beside")
	}
	if b.update && b.projects != "" {
		return errors.New("-update measures all projects")
	}
	if flags.NArg() > 0 {
		return errors.New("unexpected arguments")
	}
	for _, name := range strings.Split(b.projects, ",") {
		if name != "" && !slices.ContainsFunc(projects(), func(p project) bool { return p.name == name }) {
			return fmt.Errorf("there is no project %q", name)
		}
	}
	return nil
}

// prepare builds the server and finds the reference server.
func (b *bench) prepare(ctx context.Context) error {
	repository, err := driver.Repository(ctx)
	if err != nil {
		return err
	}
	b.repository = repository
	if b.goroot, err = driver.GoRoot(ctx); err != nil {
		return err
	}
	if b.program != "" {
		b.cursorcli, err = filepath.Abs(filepath.Join(b.program, "cursorcli"))
	} else {
		b.cursorcli, err = driver.BuildProgram(ctx, repository, "./examples/cursorcli", b.dir)
	}
	if err != nil {
		return err
	}
	if b.check {
		return nil
	}
	if b.node, b.peer = driver.ReferenceServer(repository); b.peer == "" {
		fmt.Fprintln(b.stderr, "context: the reference server is not installed: npm ci --prefix internal/test/e2e/node --ignore-scripts")
	}
	return nil
}

// solveAll solves the tasks of a project in every way, each in a copy of its own.
func (b *bench) solveAll(ctx context.Context, p project, r *report) error {
	for _, name := range wayNames() {
		if name == byFilesystem && b.peer == "" || name != byDougu && b.check {
			continue
		}
		dir := filepath.Join(b.dir, name, strings.ReplaceAll(p.name, "/", "-"))
		err := p.copyTo(b, dir)
		if missing, ok := errors.AsType[corpora.Missing](err); ok {
			fmt.Fprintf(b.stderr, "context: %s is missing: %v\n", p.name, missing)
			r.missing = append(r.missing, p.name)
			return nil
		}
		if err != nil {
			return err
		}
		w, err := b.open(ctx, name, p, dir)
		if err != nil {
			return fmt.Errorf("starting %s: %w", name, err)
		}
		err = b.solve(w, name, p, dir, r)
		if w.close(); err != nil {
			return err
		}
	}
	return nil
}

// open starts a way.
func (b *bench) open(ctx context.Context, name string, p project, dir string) (way, error) {
	var cmd *exec.Cmd
	switch name {
	case byGrepEdit:
		return &grepEdit{dir: dir, definition: p.definition, function: p.function}, nil
	case byFilesystem:
		cmd = exec.CommandContext(ctx, b.node, b.peer, dir)
	default:
		cmd = exec.CommandContext(ctx, b.cursorcli, "-profile", b.profile, "-root", dir, "-log-level", "error")
		// The tools that are listed must not depend on the language servers of the machine.
		cmd.Env = append(os.Environ(), "PATH="+filepath.Join(b.dir, "bin"), "HOME="+b.dir, "XDG_CACHE_HOME="+filepath.Join(b.dir, "cache"), "XDG_STATE_HOME="+filepath.Join(b.dir, "state"))
	}
	cmd.Dir = dir
	session, err := driver.OpenSession(cmd)
	if err != nil {
		return nil, err
	}
	s := served{session: session, dir: dir}
	if name == byFilesystem {
		return &filesystem{s}, nil
	}
	d := &dougu{served: s}
	if b.profile == "beside" {
		d.own = &grepEdit{dir: dir, definition: p.definition}
	}
	if err := d.awaitIndex(ctx); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

// solve solves the tasks of a project in one way. The definitions of the tools, and the analysis of the project, count once.
func (b *bench) solve(w way, name string, p project, dir string, r *report) error {
	size, err := w.definitions()
	if err != nil {
		return err
	}
	row := r.row(name, p)
	row.definitions = size
	if row.sources, err = digest(dir); err != nil {
		return err
	}
	for _, t := range tasks() {
		if t.project != p.name {
			continue
		}
		if err := t.prepare(dir); err != nil {
			return fmt.Errorf("the task %q does not fit: %w", t.kind, err)
		}
		spent, err := solveTask(w, t, dir)
		if b.verbose {
			fmt.Fprintf(b.stderr, "--- %s, %s: %s %s%s\n%s\n", name, p.name, t.kind, t.name, t.words, w.log().text.String())
		}
		if err != nil {
			fmt.Fprintf(b.stderr, "context: %s, %s: %s: %v\n", name, p.name, t.kind, err)
		}
		row.add(t.kind, spent, err == nil)
	}
	return nil
}

// number returns a decimal number that a regular expression has matched.
func number(digits string) int {
	n, _ := strconv.Atoi(digits)
	return n
}
