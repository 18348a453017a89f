package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"log/slog"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/chunking/repomap"
	"github.com/dougu-go/dougu/tools/source"
)

// mapBudget is the size of the measured maps in tokens.
const mapBudget = 1500

// mapShares counts the named declarations that maps contain.
type mapShares struct {
	all                            int // named declarations
	plain, asked, mentions, bySize int // in a map without the question, with it, and in the simple maps
}

func (s *mapShares) add(o mapShares) {
	s.all += o.all
	s.plain += o.plain
	s.asked += o.asked
	s.mentions += o.mentions
	s.bySize += o.bySize
}

// repositoryMaps measures whether maps contain the declarations that a person names.
func (b *bench) repositoryMaps(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n| project | language | for | files | declarations named | get_repo_map | with the question | most mentioned names | largest files | first map | next |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n")
	var sums [2]mapShares
	for _, p := range mapProjects() {
		if b.languages != "" && !slices.Contains(strings.Split(b.languages, ","), p.language) {
			continue
		}
		s, err := b.mapProject(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		if p.test {
			sums[1].add(s)
		} else {
			sums[0].add(s)
		}
	}
	for i, name := range []string{"all for tuning", "**all for the test**"} {
		s := sums[i]
		fmt.Fprintf(b.stdout, "| %s | | | | %d | %s | %s | %s | %s | | |\n", name, s.all, share(s.plain, s.all), share(s.asked, s.all), share(s.mentions, s.all), share(s.bySize, s.all))
	}
	return nil
}

// mapProject measures the maps of one project and prints a row. A project that is not available
// is reported and left out.
func (b *bench) mapProject(ctx context.Context, p mapProject) (sum mapShares, err error) {
	dir, err := b.copyProject(p)
	if err != nil {
		fmt.Fprintf(b.stderr, "chunks: %s is not measured: %v\n", p.name, err)
		return sum, nil
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	set, err := chunking.New(ctx, tools.Env{Root: root, Log: slog.New(slog.DiscardHandler)}, chunking.Options{InMemory: true})
	if err != nil {
		return sum, err
	}
	defer func() { err = errors.Join(err, set.Close(ctx)) }()
	if _, err := set.Index().Analyze(ctx, ".", index.AnalyzeOptions{}, nil); err != nil {
		return sum, err
	}
	files := set.Index().Snapshot().Files()
	mentioned, err := byMentions(dir, files)
	if err != nil {
		return sum, err
	}
	var first, next series
	measured := &first
	draw := func(question string) (string, error) {
		var r chunking.RepoMapResult
		err := measured.time(func() (err error) {
			r, err = set.RepoMap(ctx, mapArguments(question))
			return err
		})
		measured = &next
		return r.Map, err
	}
	plain, err := draw("")
	if err != nil {
		return sum, err
	}
	mentions, _ := repomap.Render(mentioned, mapBudget)
	bySize, _ := repomap.Render(bySize(files), mapBudget)
	if b.verbose {
		fmt.Fprintf(b.stderr, "%s:\n%s\n", p.name, plain)
	}
	for _, q := range p.questions {
		asked, err := draw(q.text)
		if err != nil {
			return sum, err
		}
		for _, id := range q.ids {
			at, err := lineOf(files, id)
			if err != nil {
				return sum, err
			}
			sum.all++
			for _, m := range []struct {
				text  string
				count *int
			}{{plain, &sum.plain}, {asked, &sum.asked}, {mentions, &sum.mentions}, {bySize, &sum.bySize}} {
				if shows(m.text, at) {
					*m.count++
				}
			}
			if b.verbose {
				fmt.Fprintf(b.stderr, "%q: %s: %v without the question, %v with it\n", q.text, id, shows(plain, at), shows(asked, at))
			}
		}
		if b.verbose {
			fmt.Fprintf(b.stderr, "%s\n", asked)
		}
	}
	purpose := "tuning"
	if p.test {
		purpose = "test"
	}
	slices.Sort(next.wall)
	fmt.Fprintf(b.stdout, "| %s | %s | %s | %d | %d | %s | %s | %s | %s | %v | %v |\n", p.name, p.language, purpose, len(files), sum.all,
		share(sum.plain, sum.all), share(sum.asked, sum.all), share(sum.mentions, sum.all), share(sum.bySize, sum.all),
		first.wall[0].Round(time.Millisecond), next.wall[len(next.wall)/2].Round(100*time.Microsecond))
	return sum, nil
}

// mapArguments returns the arguments of a measured map.
func mapArguments(question string) chunking.RepoMapArgs {
	return chunking.RepoMapArgs{BudgetTokens: mapBudget, Query: question}
}

// copyProject returns a directory with the files of a project.
func (b *bench) copyProject(p mapProject) (string, error) {
	from, err := p.files(b)
	if err != nil {
		return "", err
	}
	found, err := fs.Glob(from, p.within)
	if err != nil || len(found) == 0 {
		return "", errors.Join(err, fmt.Errorf("it has no directory %s", p.within))
	}
	if from, err = fs.Sub(from, found[0]); err != nil {
		return "", err
	}
	var names []string
	err = fs.WalkDir(from, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		if _, ok := source.LanguageOf(name, nil); ok || slices.Contains([]string{"package.json", "go.mod", "pyproject.toml", "setup.cfg", "setup.py"}, path.Base(name)) {
			names = append(names, name)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	dir := filepath.Join(b.dir, "map", filepath.Base(p.name))
	_, err = copyFiles(dir, from, names)
	return dir, err
}

// goFiles returns the files of a module of Go, which is downloaded to the module cache.
func goFiles(module, version string) func(*bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) {
		cmd := exec.Command("go", "mod", "download", "-json", module+"@"+version)
		cmd.Dir = b.dir
		out, err := cmd.Output()
		var answer struct{ Dir, Error string }
		if failed := json.Unmarshal(out, &answer); failed != nil || answer.Dir == "" {
			return nil, errors.Join(err, failed, errors.New(answer.Error))
		}
		return os.DirFS(answer.Dir), nil
	}
}

// installedFiles returns the files of an npm package that the tests of this repository install.
func installedFiles(name string) func(*bench) (fs.FS, error) {
	return func(b *bench) (fs.FS, error) {
		dir, err := installed(name, "")(b, context.Background())
		return os.DirFS(dir), err
	}
}

// declared is the place of a declaration in a map.
type declared struct {
	path, name string
	line       int32
}

// lineOf returns the place of a named declaration.
func lineOf(files []*index.File, id string) (declared, error) {
	name, _, _ := strings.Cut(id, "#")
	for _, f := range files {
		if f.Path != name {
			continue
		}
		parsed, err := f.Parsed()
		if err != nil {
			return declared{}, err
		}
		for i := range parsed.Chunks {
			if f.ID(i) == id {
				return declared{name, parsed.Chunks[i].Name, parsed.Chunks[i].Line}, nil
			}
		}
	}
	return declared{}, fmt.Errorf("the project has no %s", id)
}

// shows reports whether a map shows a declaration.
func shows(text string, d declared) bool {
	current := ""
	for line := range strings.Lines(text) {
		if !strings.HasPrefix(line, " ") {
			current = strings.TrimSuffix(strings.TrimSpace(line), ":")
			continue
		}
		var at int32
		if current == d.path && strings.Contains(line, d.name) {
			if _, err := fmt.Sscanf(line, "%d", &at); err == nil && at == d.line {
				return true
			}
		}
	}
	return false
}

// bySize returns the declarations of the files, the largest file first.
func bySize(files []*index.File) iter.Seq[repomap.Ranked] {
	sorted := slices.SortedStableFunc(slices.Values(files), func(a, b *index.File) int { return cmp.Compare(b.Size, a.Size) })
	return func(yield func(repomap.Ranked) bool) {
		for _, f := range sorted {
			for i := range f.Len() {
				if !yield(repomap.Ranked{File: f, Chunk: i}) {
					return
				}
			}
		}
	}
}

// byMentions returns the functions, methods and types of the files, the most often mentioned name first.
func byMentions(dir string, files []*index.File) (iter.Seq[repomap.Ranked], error) {
	counts := map[string]int{}
	for _, f := range files {
		text, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(f.Path)))
		if err != nil {
			return nil, err
		}
		for word := range bytes.FieldsFuncSeq(text, func(r rune) bool {
			return r != '_' && !('0' <= r && r <= '9') && !('a' <= r && r <= 'z') && !('A' <= r && r <= 'Z')
		}) {
			counts[string(word)]++
		}
	}
	type entry struct {
		ranked repomap.Ranked
		count  int
	}
	var all []entry
	for _, f := range files {
		parsed, err := f.Parsed()
		if err != nil {
			return nil, err
		}
		for i := range parsed.Chunks {
			if c := &parsed.Chunks[i]; c.Kind.IsCallable() || c.Kind.IsType() {
				all = append(all, entry{repomap.Ranked{File: f, Chunk: i}, counts[c.Name]})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b entry) int { return cmp.Compare(b.count, a.count) })
	return func(yield func(repomap.Ranked) bool) {
		for _, e := range all {
			if !yield(e.ranked) {
				return
			}
		}
	}, nil
}
