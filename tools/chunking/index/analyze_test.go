package index_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/source"
)

func TestAnalyze_ChangedFiles(t *testing.T) {
	p := newProject(t, map[string]string{
		"a.go": "func a\nclass C\nmethod m\nend\nerror\n", "src/b.go": "func b\n", "src/deep/c.py": "import os\nfunc c\n", "notes.txt": "func no\n",
	})
	x := p.index(index.Options{})
	report := p.analyze(x, ".", index.AnalyzeOptions{})
	if got, want := counts(report), [6]int{3, 3, 0, 0, 0, 0}; got != want {
		t.Errorf("first: %v, want %v", got, want)
	}
	if report.Chunks != 5 || report.Functions != 4 || report.ParseErrors != 1 || report.ByLanguage[source.Go] != 2 || report.ByParser["toy"] != 3 {
		t.Errorf("%+v", report)
	}
	if want := []index.FileProblem{{Path: "a.go", Line: 5, Message: "an error"}}; !slices.Equal(report.Problems, want) {
		t.Errorf("problems %v, want %v", report.Problems, want)
	}
	steps := []struct {
		name string
		do   func()
		o    index.AnalyzeOptions
		dir  string
		want [6]int
	}{
		{"nothing", func() {}, index.AnalyzeOptions{}, ".", [6]int{3, 0, 3, 0, 0, 0}},
		{"force", func() {}, index.AnalyzeOptions{Force: true}, ".", [6]int{3, 3, 0, 0, 0, 0}},
		{"a change", func() { p.write("src/b.go", "func b2\n") }, index.AnalyzeOptions{}, ".", [6]int{3, 1, 2, 0, 0, 0}},
		{"only the time", func() { p.write("src/b.go", "func b2\n") }, index.AnalyzeOptions{}, ".", [6]int{3, 0, 3, 0, 0, 0}},
		{"a new one elsewhere", func() { p.write("d.go", "func d\n") }, index.AnalyzeOptions{}, "src", [6]int{2, 0, 2, 0, 0, 0}},
		{"one language", func() {}, index.AnalyzeOptions{Languages: []source.Language{source.Python}}, ".", [6]int{1, 0, 1, 0, 0, 0}},
		{"the new one", func() {}, index.AnalyzeOptions{}, ".", [6]int{4, 1, 3, 0, 0, 0}},
		{"removed", func() { p.remove("src/deep") }, index.AnalyzeOptions{}, ".", [6]int{3, 0, 3, 1, 0, 0}},
		{"removed elsewhere", func() { p.remove("d.go") }, index.AnalyzeOptions{}, "src", [6]int{1, 0, 1, 0, 0, 0}},
		{"removed there", func() {}, index.AnalyzeOptions{}, ".", [6]int{2, 0, 2, 1, 0, 0}},
	}
	for _, step := range steps {
		step.do()
		if got := counts(p.analyze(x, step.dir, step.o)); got != step.want {
			t.Errorf("%s: %v, want %v", step.name, got, step.want)
		}
	}
	p.same(x, p.fresh(index.Options{}))
}

func TestAnalyze_ExcludedFiles(t *testing.T) {
	p := newProject(t, map[string]string{
		".gitignore": "ignored/\n", "ignored/a.go": "func a\n", ".hidden/b.go": "func b\n", ".c.go": "func c\n", "data/chunks/d.go": "func d\n",
		"binary.go": "func b\x00\n", "long.go": strings.Repeat("#", source.MaxSource+1), "panics.go": "panic\n", "nonsense.go": "nonsense x\n", "ok.go": "func ok\n",
		"script": "#!/usr/bin/python3\nfunc s\n", "LICENSE": "func no\n", "plain.h": "func h\n", "plus.h": "class D\nend\n", ".env.go": "func secret\n",
	})
	if err := os.Symlink("ok.go", p.path("link.go")); err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	x := p.index(index.Options{Store: p.store(), Log: slog.New(slog.NewTextHandler(&log, nil))})
	report := p.analyze(x, ".", index.AnalyzeOptions{})
	if got := log.String(); !strings.Contains(got, "path=panics.go") || !strings.Contains(got, "setup_test.go") {
		t.Errorf("the log has no stack of the panic: %s", got)
	}
	if got, want := paths(x), []string{"ok.go", "plain.h", "plus.h", "script"}; !slices.Equal(got, want) {
		t.Errorf("indexed %v, want %v", got, want)
	}
	if got, want := counts(report), [6]int{8, 4, 0, 0, 2, 2}; got != want {
		t.Errorf("%v, want %v", got, want)
	}
	var named []string
	for _, problem := range report.Problems {
		named = append(named, problem.Path+": "+problem.Message)
	}
	want := []string{"long.go: " + source.ErrTooLong.Error(), "nonsense.go: the parser toy made a mistake: ", "panics.go: the parser of go panicked"}
	for i, w := range want {
		if i >= len(named) || !strings.HasPrefix(named[i], w) {
			t.Fatalf("problems %q, want %q", named, want)
		}
	}
	if report.ByLanguage[source.CPP] != 1 || report.ByLanguage[source.C] != 1 {
		t.Errorf("languages %v", report.ByLanguage)
	}
	if report = p.analyze(x, ".", index.AnalyzeOptions{}); report.Files != 8 || report.Unchanged != 4 {
		t.Errorf("again: %+v", report)
	}
	// An explicitly named directory is analyzed although it is ignored.
	if report = p.analyze(x, "ignored", index.AnalyzeOptions{}); report.Parsed != 1 {
		t.Errorf("ignored: %+v", report)
	}
	if report = p.analyze(x, ".", index.AnalyzeOptions{}); report.Removed != 0 {
		t.Errorf("what another analysis found is dropped: %+v", report)
	}
	if report = p.update(x, "ignored/a.go", "ok.go"); report.Removed != 0 || report.Unchanged != 2 {
		t.Errorf("update: %+v", report)
	}
	p.remove("ignored")
	if report = p.analyze(x, ".", index.AnalyzeOptions{}); report.Removed != 1 {
		t.Errorf("it is gone: %+v", report)
	}
}

// TestAnalyze_UnusableFile checks that files that become unusable leave the index.
func TestAnalyze_UnusableFile(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n", "b.go": "func b\n", "c.go": "func c\n", "s": "#!/bin/ruby\nfunc s\n", "d/d.go": "func d\n"})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	p.write("a.go", "func a\x00\n")
	p.write("b.go", "panic\n")
	p.write("s", "no script any more\n")
	p.write(".gitignore", "d\n")
	p.remove("c.go")
	if err := os.Symlink("a.go", p.path("c.go")); err != nil {
		t.Fatal(err)
	}
	report := p.analyze(x, ".", index.AnalyzeOptions{})
	if got := paths(x); len(got) != 0 || report.Removed != 5 {
		t.Errorf("still there: %v, %+v", got, report)
	}
}

func TestAnalyze_SeveralDirectories(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(other, "b.go"), []byte("func b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p.root = p.open(security.RootOptions{Dirs: []string{p.dir, other}})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	p.analyze(x, other, index.AnalyzeOptions{})
	b := filepath.ToSlash(filepath.Join(other, "b.go"))
	want := []string{b, "a.go"}
	if got := paths(x); !slices.Equal(got, want) {
		t.Errorf("indexed %v, want %v", got, want)
	}
	p.remove("a.go")
	if report := p.analyze(x, ".", index.AnalyzeOptions{}); report.Removed != 1 || !slices.Equal(paths(x), want[:1]) {
		t.Errorf("%+v, left %v", report, paths(x))
	}
	if err := os.Remove(filepath.Join(other, "b.go")); err != nil {
		t.Fatal(err)
	}
	if report := p.update(x, b); report.Removed != 1 {
		t.Errorf("%+v, left %v", report, paths(x))
	}
}

func TestUpdate(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n", "src/b.go": "func b\n", "src/x/c.go": "func c\n", ".gitignore": "out\n"})
	x := p.index(index.Options{})
	p.analyze(x, ".", index.AnalyzeOptions{})
	tests := []struct {
		name  string
		do    func()
		paths []string
		want  [6]int
	}{
		{"a change", func() { p.write("src/b.go", "func b2\n") }, []string{"src/b.go"}, [6]int{1, 1, 0, 0, 0, 0}},
		{"an absolute path", func() { p.write("src/b.go", "func b3\n") }, []string{p.path("src/b.go")}, [6]int{1, 1, 0, 0, 0, 0}},
		{"a new file", func() { p.write("new/y/d.go", "func d\n") }, []string{"new/y/d.go"}, [6]int{1, 1, 0, 0, 0, 0}},
		{"a new directory", func() { p.write("other/e.go", "func e\n") }, []string{"other"}, [6]int{1, 1, 0, 0, 0, 0}},
		{"an ignored file", func() { p.write("out/f.go", "func f\n") }, []string{"out/f.go", "out"}, [6]int{}},
		{"a removed file", func() { p.remove("src/x/c.go") }, []string{"src/x/c.go"}, [6]int{0, 0, 0, 1, 0, 0}},
		{"a removed directory", func() { p.remove("new") }, []string{"new/y/z", "new"}, [6]int{0, 0, 0, 1, 0, 0}},
		{"rules", func() { p.write(".gitignore", "other\n") }, []string{".gitignore"}, [6]int{3, 1, 2, 1, 0, 0}},
		{"what cannot be", func() {}, []string{"../..", "", "nothing"}, [6]int{}},
	}
	for _, test := range tests {
		test.do()
		if got := counts(p.update(x, test.paths...)); got != test.want {
			t.Errorf("%s: %v, want %v; %v", test.name, got, test.want, paths(x))
		}
		p.same(x, p.fresh(index.Options{}))
	}
}

func TestAnalyzeErrors(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "func a\n"})
	x := p.index(index.Options{})
	for dir, want := range map[string]security.Code{"nothing": security.FileNotFound, "a.go": security.NotDirectory, "../..": security.PermissionDenied} {
		if _, err := x.Analyze(p.Context(), dir, index.AnalyzeOptions{}, nil); security.CodeOf(err) != want {
			t.Errorf("%s: %v, want %s", dir, err, want)
		}
	}
	ended, cancel := context.WithCancel(p.Context())
	cancel()
	if _, err := x.Analyze(ended, ".", index.AnalyzeOptions{}, nil); err == nil {
		t.Error("no error though the context has ended")
	}
	p.close(x)
	if _, err := x.Analyze(p.Context(), ".", index.AnalyzeOptions{}, nil); !errors.Is(err, index.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := x.Update(p.Context(), "a.go"); !errors.Is(err, index.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if err := x.Watch(p.Context(), index.WatchOptions{}); !errors.Is(err, index.ErrClosed) {
		t.Errorf("after Close: %v", err)
	}
	if _, err := index.Open(p.Context(), p.root, index.Options{}); err == nil {
		t.Error("an index without parsers")
	}
	if diff := cmp.Diff([]string{}, paths(x)); diff != "" {
		t.Error(diff)
	}
}
