// Command search measures the search of package tools/search: the quality of its ranking for manually judged queries, and its
// speed, compared with bleve and ripgrep.
//
//	go run ./search -check
//
// The result is printed as Markdown tables, which README.md of the benchmarks explains.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/bench/search/queries"
)

func main() {
	corpora.Allow()
	driver.Main("search", run)
}

// bench holds the settings of a run.
type bench struct {
	half         string // "dev", "test" or "all"
	work         string // directory for temporary files; empty is the system's
	rounds       int
	verbose      bool
	check        bool // only then are bars and the test half shown
	derive       bool // print candidates of queries instead
	only         driver.Parts[*bench]
	systems      []system
	program      string // this program, built
	most         int    // files of the Go tree; 0 is all
	repositories []corpus.Repository
	queries      []queries.Query

	stdout, stderr io.Writer
	dir            string // temporary directory
	missed         int    // number of missed bars of the ranking
	trees          map[string]*tree

	// Task as a separate process: index a directory into another one.
	engine, from, into, profile string
}

// defaultSystems are the systems that are compared without -systems and -check.
const defaultSystems = "ours,bm25,bm25-code,ripgrep-words"

// parts returns the measurements in order.
func parts() driver.Parts[*bench] {
	return driver.Parts[*bench]{
		{Name: "labels", Run: (*bench).labels},
		{Name: "relevance", Run: (*bench).relevance},
		{Name: "speed", Run: (*bench).speed},
		{Name: "fts5", Run: (*bench).fts5},
	}
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) (err error) {
	b := &bench{stdout: stdout, stderr: stderr, trees: map[string]*tree{}}
	if err := b.parse(args); err != nil {
		return err
	}
	if b.engine != "" {
		return b.index(ctx, b.engine, b.from, b.into)
	}
	if b.derive {
		return b.printCandidates(ctx)
	}
	dir, remove, err := driver.TempDir(b.work, "search")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b.dir = dir
	fmt.Fprintf(stdout, "%s %s/%s, %d CPUs\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	if err := b.only.Run(ctx, b); err != nil {
		return err
	}
	if b.missed > 0 {
		return fmt.Errorf("%d bars of the ranking are missed", b.missed)
	}
	return nil
}

func (b *bench) parse(args []string) error {
	var only, names, repositories string
	flags := flag.NewFlagSet("search", flag.ContinueOnError)
	flags.SetOutput(b.stderr)
	flags.StringVar(&only, "parts", parts().String(), "measure these `parts`")
	flags.StringVar(&names, "systems", "", "compare these `systems` (default "+defaultSystems+"; with -check all): "+strings.Join(namesOf(systems()), ", "))
	flags.StringVar(&repositories, "repositories", "", "search these `repositories` (default all)")
	flags.StringVar(&b.half, "half", "dev", "use this `half` of the queries: dev, test or all. What ranks must not be tuned by looking at test")
	flags.StringVar(&b.work, "work", "", "write indexes into this `directory` (default that for temporary files)")
	flags.IntVar(&b.rounds, "rounds", 3, "measure the speed so often, in turn")
	flags.StringVar(&b.program, "program", "", "use this `program` to index in another process (default it is built)")
	flags.IntVar(&b.most, "files", 0, "measure the speed with so many `files` of the Go tree, and of each module (default all)")
	flags.StringVar(&b.engine, "index", "", "index -from into -into with this `engine`, and say what it took: for other processes of this program")
	flags.StringVar(&b.from, "from", "", "a `directory`, for -index")
	flags.StringVar(&b.into, "into", "", "a `directory`, for -index")
	flags.StringVar(&b.profile, "profile", "", "write a CPU profile into this `file`, with -index")
	flags.BoolVar(&b.check, "check", false, "also the test half, with all systems; print which bars are met, and fail if the ranking misses one")
	flags.BoolVar(&b.derive, "candidates", false, "print candidates of queries with their evidence in the -repositories, instead of measuring")
	flags.BoolVar(&b.verbose, "v", false, "show what each system found for each query")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if flags.NArg() > 0 || b.rounds < 1 || b.most < 0 || !slices.Contains([]string{"dev", "test", "all"}, b.half) {
		return errors.New("unexpected arguments, no such half, or a number that is too small")
	}
	if names == "" && !b.check {
		names = defaultSystems
	}
	var err error
	if b.only, err = parts().Choose(only); err != nil {
		return err
	}
	if b.systems, err = chosen(systems(), names, func(s system) string { return s.name }); err != nil {
		return err
	}
	if b.repositories, err = chosen(corpus.All(), repositories, func(r corpus.Repository) string { return r.Name }); err != nil {
		return err
	}
	b.queries, err = queries.Load()
	return err
}

func namesOf(all []system) []string {
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	return names
}

// chosen returns the elements named in a comma-separated list; all for an empty list.
func chosen[T any](all []T, names string, name func(T) string) ([]T, error) {
	if names == "" {
		return all, nil
	}
	var some []T
	for want := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(all, func(one T) bool { return name(one) == want })
		if at < 0 {
			return nil, fmt.Errorf("there is no %q", want)
		}
		some = append(some, all[at])
	}
	return some, nil
}

// tree returns a downloaded repository, split into pieces, or a corpus.Missing.
func (b *bench) tree(ctx context.Context, r corpus.Repository) (*tree, error) {
	if t := b.trees[r.Name]; t != nil {
		return t, nil
	}
	dir, err := r.Dir(b.stderr)
	if err != nil {
		return nil, err
	}
	t, err := cut(ctx, r.Name, dir)
	if err == nil {
		b.trees[r.Name] = t
	}
	return t, err
}

// selectQueries returns the queries for a repository in the selected half.
func (b *bench) selectQueries(repository, half string) []*queries.Query {
	var some []*queries.Query
	for i := range b.queries {
		q := &b.queries[i]
		if q.Repo == repository && (half == "all" || q.Half() == half) {
			some = append(some, q)
		}
	}
	return some
}

// met returns a table entry about a bar.
func met(ok bool) string {
	if ok {
		return "pass"
	}
	return "FAIL"
}
