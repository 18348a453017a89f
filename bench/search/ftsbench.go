package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/bench/corpora"
	"github.com/dougu-go/dougu/bench/driver"
	"github.com/dougu-go/dougu/bench/search/corpus"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// questions is the limit of queries of each kind, and changes the number of changed files.
const (
	questions = 200
	changes   = 40
)

// questions returns the number of queries of each kind, which is lower for few files.
func (b *bench) questions() int {
	if b.most > 0 {
		return min(questions, b.most)
	}
	return questions
}

// fts5 compares the index with FTS5, in the sources of Go modules and in Japanese texts.
func (b *bench) fts5(ctx context.Context) error {
	if err := b.build(ctx); err != nil {
		return err
	}
	modules, err := corpora.Modules(ctx)
	if err != nil {
		return err
	}
	dir, size := filepath.Join(b.dir, "modules"), int64(0)
	for _, m := range modules {
		fmt.Fprintln(b.stderr, "search:", m.Path, m.Version)
		one, err := copyTexts(m.Dir, filepath.Join(dir, filepath.FromSlash(m.Path)), b.most)
		if err != nil {
			return err
		}
		size += one
	}
	left, err := b.sameFiles(ctx, dir)
	if err != nil {
		return err
	}
	if err := b.ftsIndexing(ctx, dir, size-left); err != nil {
		return err
	}
	t, err := cut(ctx, "modules", dir)
	if err != nil {
		return err
	}
	if err := b.inModules(ctx, t); err != nil {
		return err
	}
	fmt.Fprint(b.stdout, shortHead)
	for _, r := range b.repositories {
		if r.Name != "nako" && r.Name != "debian-ja" {
			continue
		}
		t, err := b.tree(ctx, r)
		if missing := (corpora.Missing{}); errors.As(err, &missing) {
			fmt.Fprintln(b.stderr, "search:", err)
			continue
		}
		if err == nil {
			err = b.short(ctx, t)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// sameFiles removes the files that the rules of a Root and .gitignore exclude, so that all engines index the same files. It returns
// their size in bytes.
func (b *bench) sameFiles(ctx context.Context, dir string) (size int64, err error) {
	p, err := openPlugin(ctx, dir, filepath.Join(b.dir, "first index"))
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	if _, err := p.Refresh(ctx, plugin.RefreshOptions{}); err != nil {
		return 0, err
	}
	names, err := corpus.Files(dir)
	if err != nil {
		return 0, err
	}
	known := map[string]bool{}
	for f, err := range p.Index().Files(ctx) {
		if err != nil {
			return 0, err
		}
		known[relative(dir, f.Path)] = true
	}
	for _, name := range names {
		if known[name] {
			continue
		}
		path := filepath.Join(dir, filepath.FromSlash(name))
		info, err := os.Stat(path)
		if err != nil {
			return 0, err
		}
		size += info.Size()
		if err := os.Remove(path); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// ftsIndexing compares the cost of indexing, alternately.
func (b *bench) ftsIndexing(ctx context.Context, dir string, size int64) error {
	list := append(engines()[:1], ftsEngines()...)
	all := make([][]indexed, len(list))
	for range b.rounds {
		for i, e := range list {
			said, err := b.measure(ctx, e, dir, b.indexDir(e))
			if err != nil {
				return err
			}
			all[i] = append(all[i], said)
		}
	}
	wall := func(s indexed) float64 { return s.Wall.Seconds() }
	cpu := func(s indexed) float64 { return s.CPU.Seconds() }
	fmt.Fprintf(b.stdout, "\nModules of Go, %.1f MB, indexed into an empty directory by a process of its own, %d rounds in turn: medians\n", float64(size)/1e6, b.rounds)
	fmt.Fprintf(b.stdout, "\n| engine | files | time | CPU | ours / it, time | ours / it, CPU | peak memory | on disk | of the sources | ours / it, disk |\n|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	for i, e := range list {
		last := all[i][len(all[i])-1]
		fmt.Fprintf(b.stdout, "| %s: %s | %d | %.2f s | %.2f s | %.2f | %.2f | %.0f MB | %.1f MB | %.0f %% | %.2f |\n", e.name, e.what, last.Files,
			middle(all[i], wall), middle(all[i], cpu), over(all[0], all[i], wall), over(all[0], all[i], cpu),
			middle(all[i], func(s indexed) float64 { return float64(s.Peak) })/1e6, float64(last.Disk)/1e6, 100*float64(last.Disk)/float64(size),
			float64(all[0][0].Disk)/float64(last.Disk))
	}
	return nil
}

// contender is an engine with an open index of the modules.
type contender struct {
	name string
	// ranked returns the best ten pieces for words.
	ranked func(ctx context.Context, query string) ([]rank.Result, error)
	// containing returns the files that may contain a text.
	containing func(ctx context.Context, text string) ([]string, error)
	// update indexes a file again.
	update func(ctx context.Context, name string) error
}

// inModules searches and changes the indexes that ftsIndexing has built.
func (b *bench) inModules(ctx context.Context, t *tree) (err error) {
	p, err := openPlugin(ctx, t.dir, b.indexDir(engines()[0]))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close(context.WithoutCancel(ctx))) }()
	all := []contender{ourContender(p)}
	for i, l := range []ftsLayout{ftsTrigrams, ftsTokens} {
		ix, err := openFTS(ctx, b.indexDir(ftsEngines()[i]), l)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, ix.close()) }()
		all = append(all, ftsContender(ftsEngines()[i].name, ix, t.dir))
	}
	fmt.Fprintf(b.stdout, "\n| in the modules | calls | engine | p50 | p95 | ours / it, p50 | ours / it, all | found |\n|---|---:|---|---:|---:|---:|---:|---|\n")
	words, parts, several := questionsFor(t, b.questions())
	if err := b.askWords(ctx, "a name", all, slices.Sorted(maps.Keys(words)), func(query string, r *rank.Result) bool {
		return r.Piece.Name == query && relative(t.dir, r.File.Path) == words[query]
	}); err != nil {
		return err
	}
	if err := b.askWords(ctx, "four words of a comment", all, slices.Sorted(maps.Keys(several)), func(query string, r *rank.Result) bool {
		return relative(t.dir, r.File.Path) == several[query].path && r.Piece.Range.Start == several[query].start
	}); err != nil {
		return err
	}
	if err := b.askParts(ctx, t, all, parts); err != nil {
		return err
	}
	return b.change(ctx, t, all)
}

func ourContender(p served) contender {
	return contender{
		name: "ours",
		ranked: func(ctx context.Context, query string) ([]rank.Result, error) {
			q := rank.Parse(query)
			found, err := p.Index().Search(ctx, q.Index(index.Filter{}, 0))
			return rank.Order(q, found, rank.Options{Limit: 10}), err
		},
		containing: func(ctx context.Context, text string) ([]string, error) {
			return p.Index().Candidates(ctx, index.Literals{Literal: text}, index.Filter{})
		},
		update: func(ctx context.Context, name string) error {
			_, err := p.Refresh(ctx, plugin.RefreshOptions{Path: name})
			return err
		},
	}
}

func ftsContender(name string, ix *ftsIndex, dir string) contender {
	o := document.Options{Parsers: builtin.Parsers(builtin.Options{})}
	return contender{
		name:       name,
		ranked:     func(ctx context.Context, query string) ([]rank.Result, error) { return ix.ranked(ctx, query, 10, nil) },
		containing: ix.containing,
		update: func(ctx context.Context, name string) error {
			f, err := cutFile(ctx, dir, name, o)
			if err != nil || f == nil {
				return err
			}
			w, err := ix.begin(ctx)
			if err != nil {
				return err
			}
			if err := w.put(ctx, f); err != nil {
				return errors.Join(err, w.tx.Rollback())
			}
			return w.tx.Commit()
		},
	}
}

// relative returns a path relative to a directory.
func relative(dir, path string) string {
	if relative, err := filepath.Rel(dir, filepath.FromSlash(path)); err == nil && filepath.IsAbs(filepath.FromSlash(path)) {
		return filepath.ToSlash(relative)
	}
	return path
}

// site is the start of a piece.
type site struct {
	path  string
	start int32
}

// questionsFor makes queries from a tree: names that are declared once, with their file; parts of names; and the first words of
// documentation comments, with their piece.
func questionsFor(t *tree, most int) (names map[string]string, parts []string, several map[string]site) {
	names, several = map[string]string{}, map[string]site{}
	declared := map[string]int{}
	for _, path := range t.names {
		f := t.files[path]
		for i := range f.Pieces {
			p := &f.Pieces[i]
			if p.Kind == "section" || p.Kind == "file" || len(p.Name) < 5 {
				continue
			}
			declared[p.Name]++
			names[p.Name] = path
			var words []string
			for word := range plainWords(string(f.Text[p.Doc.Start:p.Doc.End])) {
				if len(word) >= 4 && !slices.Contains(words, word) && len(words) < 4 {
					words = append(words, word)
				}
			}
			if len(words) == 4 {
				several[strings.Join(words, " ")] = site{path, p.Range.Start}
			}
		}
	}
	maps.DeleteFunc(names, func(name, _ string) bool { return declared[name] > 1 })
	for _, name := range corpora.Thin(slices.Sorted(maps.Keys(names)), most) {
		if len(name) >= 8 {
			parts = append(parts, name[2:2+max(4, len(name)/2)])
		}
	}
	kept := corpora.Thin(slices.Sorted(maps.Keys(names)), most)
	maps.DeleteFunc(names, func(name, _ string) bool { _, in := slices.BinarySearch(kept, name); return !in })
	kept = corpora.Thin(slices.Sorted(maps.Keys(several)), most)
	maps.DeleteFunc(several, func(words string, _ site) bool { _, in := slices.BinarySearch(kept, words); return !in })
	return names, parts, several
}

// askWords measures queries, and counts how often the expected piece is among the first ten.
func (b *bench) askWords(ctx context.Context, what string, all []contender, asked []string, meant func(query string, r *rank.Result) bool) error {
	var first []time.Duration
	for _, c := range all {
		right := map[string]bool{}
		times, err := best(asked, func(query string) error {
			found, err := c.ranked(ctx, query)
			if len(found) == 0 && err == nil {
				err = errors.New("nothing is found")
			}
			for i := range found {
				right[query] = right[query] || meant(query, &found[i])
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if first == nil {
			first = times
		}
		n := 0
		for _, is := range right {
			if is {
				n++
			}
		}
		b.ftsRow(what, c.name, times, first, fmt.Sprintf("what was meant among the first ten: %d", n))
	}
	return nil
}

// askParts measures the search for files with a text: candidates are read and searched.
func (b *bench) askParts(ctx context.Context, t *tree, all []contender, asked []string) error {
	want := map[string][]string{}
	for _, text := range asked {
		want[text] = t.containing(text)
	}
	var first []time.Duration
	for _, c := range all {
		missed, candidates := map[string]int{}, map[string]int{}
		times, err := best(asked, func(text string) error {
			paths, err := c.containing(ctx, text)
			if err != nil {
				return err
			}
			var found []string
			for _, path := range paths {
				if path = relative(t.dir, path); !t.files[path].Verbatim {
					continue // found by its extracted text
				}
				content, err := os.ReadFile(filepath.Join(t.dir, filepath.FromSlash(path)))
				if err != nil {
					return err
				}
				if bytes.Contains(content, []byte(text)) {
					found = append(found, path)
				}
			}
			candidates[text] = len(paths)
			for _, path := range found {
				if !slices.Contains(want[text], path) {
					return fmt.Errorf("%s is found in %s", text, path)
				}
			}
			missed[text] = len(want[text]) - len(found)
			return nil
		})
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if first == nil {
			first = times
		}
		files, gone, read := 0, 0, 0
		for _, text := range asked {
			files, gone, read = files+len(want[text]), gone+missed[text], read+candidates[text]
		}
		b.ftsRow("files with a part of a name", c.name, times, first, fmt.Sprintf("%d of %d files, %d read", files-gone, files, read))
		if gone > 0 && c.name != "fts5" { // its pieces do not cover the complete file
			return fmt.Errorf("%s misses %d files", c.name, gone)
		}
	}
	return nil
}

// containing returns the files with a text, by reading all of them.
func (t *tree) containing(text string) (paths []string) {
	for _, name := range t.names {
		if f := t.files[name]; f.Verbatim && bytes.Contains(f.Text, []byte(text)) {
			paths = append(paths, name)
		}
	}
	return paths
}

// change changes files, indexes them with each engine, and checks that the new text is found.
func (b *bench) change(ctx context.Context, t *tree, all []contender) error {
	var names []string
	for _, name := range t.names {
		if f := t.files[name]; f.Language == "go" && f.Size < 100_000 {
			names = append(names, name)
		}
	}
	names = corpora.Thin(names, changes)
	times := make([][]time.Duration, len(all))
	for i, name := range names {
		path := filepath.Join(t.dir, filepath.FromSlash(name))
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		word := fmt.Sprintf("zyxwv%cq%cnovel", 'a'+i%26, 'a'+i/26)
		if err := os.WriteFile(path, append(slices.Clip(content), []byte("\nfunc "+word+"() {}\n")...), 0o644); err != nil {
			return err
		}
		for n := range all {
			c := &all[(n+i)%len(all)]
			start := time.Now()
			if err := c.update(ctx, name); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			times[(n+i)%len(all)] = append(times[(n+i)%len(all)], time.Since(start))
			found, err := c.ranked(ctx, word)
			if err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			if len(found) == 0 || relative(t.dir, found[0].File.Path) != name {
				return fmt.Errorf("%s: %s is not found in %s", c.name, word, name)
			}
		}
	}
	first := slices.Clone(times[0])
	for i, c := range all {
		b.ftsRow("one file has changed", c.name, times[i], first, "what is new")
	}
	return nil
}

// best returns the best of three times of each query, after a warm-up.
func best(asked []string, search func(query string) error) ([]time.Duration, error) {
	times := make([]time.Duration, len(asked))
	for round := range 4 {
		for i, query := range asked {
			start := time.Now()
			if err := search(query); err != nil {
				return nil, fmt.Errorf("%q: %w", query, err)
			}
			if took := time.Since(start); round == 1 || round > 1 && took < times[i] {
				times[i] = took
			}
		}
	}
	return times, nil
}

// ftsRow prints times beside this library's.
func (b *bench) ftsRow(what, name string, times, ours []time.Duration, found string) {
	sum := func(all []time.Duration) (total time.Duration) {
		for _, d := range all {
			total += d
		}
		return total
	}
	p50, p95 := percentile(slices.Clone(times), 50), percentile(slices.Clone(times), 95)
	fmt.Fprintf(b.stdout, "| %s | %d | %s | %s | %s | %.2f | %.2f | %s |\n", what, len(times), name, short(p50), short(p95),
		float64(driver.Median(ours))/float64(driver.Median(times)), float64(sum(ours))/float64(sum(times)), found)
}
