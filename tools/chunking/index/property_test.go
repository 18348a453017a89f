package index_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/index"
)

// edits changes a project at random: files appear, change, keep their size and
// time, disappear, become directories; rules change.
type edits struct {
	*project
	*rand.Rand
	moment time.Time
}

func (e *edits) name() string {
	dirs := []string{"", "a/", "a/b/", "c/", "out/"}
	return dirs[e.IntN(len(dirs))] + fmt.Sprintf("f%d", e.IntN(4)) + []string{".go", ".py", ".h", ""}[e.IntN(4)]
}

func (e *edits) content() string {
	var b strings.Builder
	if e.IntN(3) == 0 {
		b.WriteString("#!/bin/python\n")
	}
	for range e.IntN(4) {
		b.WriteString([]string{"func %d\n", "class %d\nmethod m\nend\n", "error\n", "import %d\n", "\x00"}[e.IntN(5)])
	}
	return strings.ReplaceAll(b.String(), "%d", fmt.Sprint(e.IntN(10)))
}

// edit makes one change and answers with the path that it was made at.
func (e *edits) edit() string {
	name := e.name()
	info, err := os.Stat(e.path(name))
	switch kind := e.IntN(10); {
	case kind == 0:
		e.remove(name)
	case kind == 1:
		name = []string{"a", "a/b", "c", "out"}[e.IntN(4)]
		e.remove(name)
	case kind == 2:
		e.remove(".gitignore")
		e.writeNow(".gitignore", []string{"out\n", "a/b\n", "*.py\n", ""}[e.IntN(4)])
		return ".gitignore"
	case kind == 3 && err == nil && info.Size() > 8: // the same size and time
		content, _ := os.ReadFile(e.path(name))
		for i, c := range content {
			if c >= '0' && c <= '9' {
				content[i] = '0' + byte(e.IntN(10))
			}
		}
		e.writeNow(name, string(content))
		if err := os.Chtimes(e.path(name), info.ModTime(), info.ModTime()); err != nil {
			e.Fatal(err)
		}
		if time.Since(info.ModTime()) > time.Second { // no program can see that
			e.write(name, string(content)+"\n")
		}
	case kind == 4:
		e.write(name, e.content()+strings.Repeat(" ", e.IntN(100)))
		e.moment = e.moment.Add(time.Second)
		if err := os.Chtimes(e.path(name), e.moment, e.moment); err != nil {
			e.Fatal(err)
		}
	default:
		e.writeNow(name, e.content())
	}
	return name
}

// TestIndex_EqualsNewIndex applies random changes, and compares the updated index with
// a new one.
func TestIndex_EqualsNewIndex(t *testing.T) {
	rounds := 25
	if testing.Short() {
		rounds = 5
	}
	for seed := range uint64(rounds) {
		p := newProject(t, nil)
		e := &edits{p, rand.New(rand.NewPCG(seed, 1)), time.Now().Add(-24 * time.Hour)}
		x := p.index(index.Options{Store: p.store()})
		p.analyze(x, ".", index.AnalyzeOptions{})
		for range 12 {
			var touched []string
			for range 1 + e.IntN(5) {
				touched = append(touched, e.edit())
			}
			switch e.IntN(4) {
			case 0:
				p.analyze(x, ".", index.AnalyzeOptions{})
			case 1:
				p.close(x)
				x = p.index(index.Options{Store: p.store()})
				p.analyze(x, ".", index.AnalyzeOptions{})
			case 2:
				for _, name := range touched {
					_, _, _ = x.ReadFile(t.Context(), name, "") // which may not exist
				}
				p.analyze(x, ".", index.AnalyzeOptions{})
			default:
				p.update(x, touched...)
			}
			first := p.fresh(index.Options{})
			p.same(x, first)
			s, all := x.Snapshot(), first.Snapshot()
			if s.Chunks() != all.Chunks() || s.Functions() != all.Functions() || !slices.IsSorted(paths(x)) {
				t.Fatalf("seed %d: %d chunks, %d functions, want %d and %d", seed, s.Chunks(), s.Functions(), all.Chunks(), all.Functions())
			}
		}
		p.close(x)
		y := p.index(index.Options{Store: p.store()})
		p.same(y, p.fresh(index.Options{}))
		p.close(y)
	}
}
