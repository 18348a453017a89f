package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/uses"
	"github.com/dougu-go/dougu/tools/source"
)

// usesBar is the lowest precision and recall of resolved uses.
const usesBar = 0.9

// usesSample limits the declarations that are measured in a project.
const usesSample = 400

// place is a line of a file.
type place struct {
	path string
	line int32
}

// truth holds the uses of the functions of a project by a compiler or a language server.
type truth struct {
	functions []uses.Declaration
	resolved  map[uses.Declaration]map[place]bool
	possible  map[uses.Declaration]map[place]bool // uses of methods that a function implements
	files     map[string]bool                     // files that were checked
}

// usesCorpus is a project whose uses are known.
type usesCorpus struct {
	name, language string
	test           bool // false for a project that served to improve the Finder
	open           func(b *bench, ctx context.Context) (dir string, err error)
	check          func(b *bench, ctx context.Context, dir string) (truth, error)
}

// folder is a uses.Project of a directory.
type folder struct {
	dir   string
	files map[source.Language][]string
}

func openFolder(dir string) (*folder, error) {
	f := &folder{dir, map[source.Language][]string{}}
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		name, err = filepath.Rel(dir, name)
		if lang, ok := source.LanguageOf(name, nil); ok {
			f.files[lang] = append(f.files[lang], filepath.ToSlash(name))
		}
		return err
	})
	return f, err
}

// Files implements uses.Project.
func (f *folder) Files(languages ...source.Language) []string {
	var all []string
	for _, lang := range languages {
		all = append(all, f.files[lang]...)
	}
	slices.Sort(all)
	return all
}

// ReadFile implements uses.Project.
func (f *folder) ReadFile(_ context.Context, name string) ([]byte, error) {
	return os.ReadFile(filepath.Join(f.dir, filepath.FromSlash(name)))
}

// score counts the uses that a Finder has found.
type score struct {
	functions              int
	found, right, all      int // resolved uses, correct ones, and uses that exist
	may, mayRight, mayAll  int // the same for possible uses
	named, unresolved, hit int // uses by name, unresolved uses, and correct ones among them
}

// callers measures the uses that package uses finds.
func (b *bench) callers(ctx context.Context) error {
	fmt.Fprintf(b.stdout, "\n| project | language | for | functions | uses | by name: precision | resolved: precision | recall | may be meant: precision | recall | unresolved | of them right | median | p99 | |\n|---|---|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---|\n")
	for _, corpus := range usesCorpora() {
		if b.languages != "" && !slices.Contains(strings.Split(b.languages, ","), corpus.language) {
			continue
		}
		if err := b.measureUses(ctx, corpus); err != nil {
			return fmt.Errorf("%s: %w", corpus.name, err)
		}
	}
	return nil
}

func (b *bench) measureUses(ctx context.Context, corpus usesCorpus) error {
	dir, err := corpus.open(b, ctx)
	if err != nil {
		fmt.Fprintf(b.stderr, "chunks: %s is not measured: %v\n", corpus.name, err)
		return nil
	}
	known, err := corpus.check(b, ctx, dir)
	if err != nil {
		return err
	}
	project, err := openFolder(dir)
	if err != nil {
		return err
	}
	finder := uses.NewFinder(project)
	chosen := slices.Clone(known.functions)
	random := rand.New(rand.NewPCG(1, 2))
	random.Shuffle(len(chosen), func(i, j int) { chosen[i], chosen[j] = chosen[j], chosen[i] })
	var s score
	var times series
	for _, d := range chosen[:min(len(chosen), usesSample)] {
		var r uses.Result
		if err := times.time(func() (err error) { r, err = finder.Find(ctx, d); return err }); err != nil {
			return err
		}
		s.add(b, d, r, known)
	}
	slices.Sort(times.wall)
	purpose := "tuning"
	if corpus.test {
		purpose = "test"
	}
	precision, recall := ratio(s.right, s.found), ratio(s.right, s.all)
	fmt.Fprintf(b.stdout, "| %s | %s | %s | %d | %d | %s | %s | %s | %s | %s | %d | %s | %v | %v | %s |\n", corpus.name, corpus.language, purpose, s.functions, s.all,
		share(s.all, s.named), share(s.right, s.found), share(s.right, s.all), share(s.mayRight, s.may), share(s.mayRight, s.mayAll), s.unresolved, share(s.hit, s.unresolved),
		times.wall[len(times.wall)/2].Round(time.Microsecond), times.wall[len(times.wall)*99/100].Round(time.Microsecond), met(precision >= usesBar && recall >= usesBar))
	return nil
}

// add compares the uses of one function.
func (s *score) add(b *bench, d uses.Declaration, r uses.Result, known truth) {
	s.functions++
	want, may := known.resolved[d], known.possible[d]
	s.all += len(want)
	s.mayAll += len(may)
	s.named += r.Others
	seen := map[place]uses.Certainty{}
	for _, u := range r.Uses {
		if known.files[u.Path] {
			at := place{u.Path, u.Line}
			if c, ok := seen[at]; !ok || u.Certainty > c {
				seen[at] = u.Certainty
			}
		}
	}
	s.named += len(seen)
	for at, c := range seen {
		switch c {
		case uses.Resolved:
			s.found++
			if want[at] {
				s.right++
			} else if b.verbose {
				fmt.Fprintf(b.stderr, "wrong: %s %s: %s:%d\n", d.Path, d.Name, at.path, at.line)
			}
		case uses.Possible:
			s.may++
			if may[at] {
				s.mayRight++
			} else if b.verbose {
				fmt.Fprintf(b.stderr, "cannot be meant: %s %s: %s:%d\n", d.Path, d.Name, at.path, at.line)
			}
		default:
			s.unresolved++
			if want[at] {
				s.hit++
			}
		}
	}
	for at := range want {
		if seen[at] != uses.Resolved && b.verbose {
			fmt.Fprintf(b.stderr, "missed: %s %s: %s:%d\n", d.Path, d.Name, at.path, at.line)
		}
	}
	for at := range may {
		if seen[at] != uses.Possible && b.verbose {
			fmt.Fprintf(b.stderr, "may be missed: %s %s: %s:%d\n", d.Path, d.Name, at.path, at.line)
		}
	}
}

func ratio(part, all int) float64 {
	if all == 0 {
		return 1
	}
	return float64(part) / float64(all)
}

func share(part, all int) string {
	if all == 0 {
		return ""
	}
	return fmt.Sprintf("%.1f %%", 100*ratio(part, all))
}
