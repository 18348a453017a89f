package filesystem_test

import (
	"context"
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/filesystem"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

func TestRefresh_Changes(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "docs/b.md": "b", "src/deep/c.go": "c", ".gitignore": "out\n", "out/d.go": "d", ".hidden/e": "e"})
	f := p.files(filesystem.Options{})
	if s := f.Status(); s.State != plugin.Empty {
		t.Errorf("at first: %+v", s)
	}
	steps := []struct {
		name    string
		do      func()
		options plugin.RefreshOptions
		want    [5]int // files, added, updated, removed, unchanged
		indexed []string
	}{
		{"the first time", func() {}, plugin.RefreshOptions{}, [5]int{3, 3, 0, 0, 0}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"nothing", func() {}, plugin.RefreshOptions{}, [5]int{3, 0, 0, 0, 3}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"one change", func() { p.write("a.go", "a2") }, plugin.RefreshOptions{}, [5]int{3, 0, 1, 0, 2}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"a change of one path", func() { p.write("a.go", "a33") }, plugin.RefreshOptions{Path: "a.go"}, [5]int{1, 0, 1, 0, 0}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"another path", func() { p.write("a.go", "a444") }, plugin.RefreshOptions{Path: "docs"}, [5]int{1, 0, 0, 0, 1}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"a new file", func() { p.write("src/n.go", "n") }, plugin.RefreshOptions{Path: "src/n.go"}, [5]int{1, 1, 0, 0, 0}, []string{"a.go", "docs/b.md", "src/deep/c.go", "src/n.go"}},
		{"a new ignored file", func() { p.write("out/n.go", "n") }, plugin.RefreshOptions{Path: "out/n.go"}, [5]int{}, []string{"a.go", "docs/b.md", "src/deep/c.go", "src/n.go"}},
		{"a removed file", func() { p.remove("src/n.go") }, plugin.RefreshOptions{Path: "src/n.go"}, [5]int{0, 0, 0, 1, 0}, []string{"a.go", "docs/b.md", "src/deep/c.go"}},
		{"a removed directory", func() { p.remove("src") }, plugin.RefreshOptions{Path: "src"}, [5]int{0, 0, 0, 1, 0}, []string{"a.go", "docs/b.md"}},
		{"a file in place of a directory", func() { p.remove("docs"); p.write("docs", "d") }, plugin.RefreshOptions{}, [5]int{2, 1, 1, 1, 0}, []string{"a.go", "docs"}},
		{"other rules", func() { p.write(".gitignore", "docs\n") }, plugin.RefreshOptions{}, [5]int{3, 2, 0, 1, 1}, []string{"a.go", "out/d.go", "out/n.go"}},
		{"everything again", func() {}, plugin.RefreshOptions{Full: true}, [5]int{3, 0, 3, 0, 0}, []string{"a.go", "out/d.go", "out/n.go"}},
		{"a part again", func() {}, plugin.RefreshOptions{Path: "out", Full: true}, [5]int{2, 0, 2, 0, 0}, []string{"a.go", "out/d.go", "out/n.go"}},
	}
	for _, step := range steps {
		step.do()
		report := p.refresh(f, step.options)
		if counts(report) != step.want {
			t.Errorf("%s: %v, want %v", step.name, counts(report), step.want)
		}
		p.wants(step.name, step.indexed...)
		if s := f.Status(); s.State != plugin.Ready || s.Pending != 0 || s.Checked.IsZero() {
			t.Errorf("%s: %+v", step.name, s)
		}
	}
}

// TestRefresh_RacyFile checks that a file modified shortly before it was read is compared by content.
func TestRefresh_RacyFile(t *testing.T) {
	p := newProject(t, nil)
	p.now("a.txt", "one")
	info, err := os.Stat(p.path("a.txt"))
	if err != nil {
		t.Fatal(err)
	}
	f := p.files(filesystem.Options{})
	p.refresh(f, plugin.RefreshOptions{})
	p.now("a.txt", "two")
	if err := os.Chtimes(p.path("a.txt"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if p.refresh(f, plugin.RefreshOptions{}); p.texts()["a.txt"] != "two" {
		t.Errorf("found %q", p.texts())
	}
	p.write("a.txt", "two") // only the time changes
	if got, want := counts(p.refresh(f, plugin.RefreshOptions{})), [5]int{1, 0, 0, 0, 1}; got != want {
		t.Errorf("the time alone has changed: %v, want %v", got, want)
	}
	commits := p.index.commits
	if p.refresh(f, plugin.RefreshOptions{}); p.index.commits != commits {
		t.Error("nothing has changed, and something was committed")
	}
}

func TestRefresh_SkippedFiles(t *testing.T) {
	big := make([]byte, 3000)
	for i := range big {
		big[i] = 'x'
	}
	p := newProject(t, map[string]string{
		"a.go": "a", "node_modules/x/i.js": "x", "src/debug.log": "x", "photo.PNG": "x", "zero.txt": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x01\x00\x00\x00\x01",
		"big.txt": string(big), ".env": "SECRET=1", "id_rsa": "secret", "sub/node_modules/y.js": "y",
	})
	if err := os.Symlink("..", p.path("loop")); err != nil {
		t.Skip(err)
	}
	f := p.files(filesystem.Options{MaxFile: 2000})
	report := p.refresh(f, plugin.RefreshOptions{})
	p.wants("the usual rules", "a.go")
	want := []plugin.Skipped{{Reason: "binary", Files: 2, Examples: []string{"photo.PNG", "zero.txt"}}, {Reason: "too large", Files: 1, Examples: []string{"big.txt"}},
		{Reason: "files and directories blocked by rules", Files: 2}}
	if !reflect.DeepEqual(report.Skipped, want) || !reflect.DeepEqual(f.Status().Skipped, want) {
		t.Errorf("skipped %+v and %+v, want %+v", report.Skipped, f.Status().Skipped, want)
	}
	p.write("zero.txt", "text now")
	p.write("big.txt", "small now")
	p.write("a.go", "\x00")
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("after changes", "big.txt", "zero.txt")
	p.write("a.go", "text")
	p.refresh(f, plugin.RefreshOptions{Path: "a.go"})
	p.wants("one path", "a.go", "big.txt", "zero.txt")
	if s := f.Status().Skipped; len(s) != 2 || s[0].Files != 1 || s[1].Files != 2 {
		t.Errorf("skipped %+v", s)
	}
}

func TestNew_WatchedDirectories(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a", "src/b.go": "b", "docs/c.md": "c"})
	f := p.files(filesystem.Options{Watch: []string{"./src", "docs/", "later", "src"}, Ignore: []string{}})
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("two directories", "docs/c.md", "src/b.go")
	p.write("later/d.md", "d")
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("a directory that came later", "docs/c.md", "later/d.md", "src/b.go")
	if got, want := f.Status().Covered, []string{"docs", "later", "src"}; !reflect.DeepEqual(got, want) {
		t.Errorf("covered %q, want %q", got, want)
	}
	for path, code := range map[string]security.Code{"a.go": security.InvalidParams, "nothing": security.FileNotFound, "../x": security.PermissionDenied} {
		if _, err := f.Refresh(t.Context(), plugin.RefreshOptions{Path: path}); security.CodeOf(err) != code {
			t.Errorf("Refresh(%q): %v, want %s", path, err, code)
		}
	}
	p.close(f)
	f = p.files(filesystem.Options{Watch: []string{"docs"}})
	p.refresh(f, plugin.RefreshOptions{})
	p.wants("fewer directories", "docs/c.md")
}

func TestRefresh_Join(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a"})
	f := p.files(filesystem.Options{})
	held := make(chan struct{})
	p.index.change(func() { p.index.held = held })
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := f.Refresh(ctx, plugin.RefreshOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the first caller leaves with %v", err)
	}
	waittest.Until(p, "one of one file is pending", func() bool { s := f.Status(); return s.State == plugin.Building && s.Total == 1 && s.Pending == 1 })
	joined := make(chan plugin.Report, 1)
	done := make(chan struct{})
	go func() {
		defer close(done)
		report, err := f.Refresh(context.Background(), plugin.RefreshOptions{})
		if err != nil {
			t.Error(err)
		}
		joined <- report
	}()
	close(held)
	<-done
	if report := <-joined; report.Added+report.Unchanged != 1 {
		t.Errorf("the work of the first: %+v", report)
	}
	p.wants("the work of a caller who left", "a.go")
}

func TestRefresh_Errors(t *testing.T) {
	p := newProject(t, map[string]string{"a.go": "a"})
	f := p.files(filesystem.Options{})
	p.index.change(func() { p.index.fault = errors.New("the disk is full") })
	_, err := f.Refresh(t.Context(), plugin.RefreshOptions{})
	var coded interface{ ErrorCode() string }
	if !errors.As(err, &coded) || coded.ErrorCode() != "INDEX_UNAVAILABLE" {
		t.Errorf("Refresh: %v", err)
	}
	if s := f.Status(); s.State != plugin.Failed || s.Error == "" || f.Health(t.Context()) == nil {
		t.Errorf("after a failure: %+v", s)
	}
	p.index.change(func() { p.index.fault = nil })
	p.refresh(f, plugin.RefreshOptions{})
	if s := f.Status(); s.State != plugin.Ready || s.Error != "" || f.Health(t.Context()) != nil {
		t.Errorf("after it works again: %+v", s)
	}
	p.close(f)
	if _, err := f.Refresh(t.Context(), plugin.RefreshOptions{}); !errors.As(err, &coded) || f.Health(t.Context()) == nil {
		t.Errorf("Refresh after Close: %v", err)
	}
	if !p.index.closed {
		t.Error("the index was not closed")
	}
}

func TestRead(t *testing.T) {
	p := newProject(t, map[string]string{"src/a.go": "package a", "b.txt": "b", "src/.env": "SECRET", "src/big.txt": "0123456789012345678901234567890"})
	f := p.files(filesystem.Options{Watch: []string{"src"}, MaxFile: 20})
	text, modified, err := f.Read(t.Context(), "src/a.go")
	if err != nil || string(text) != "package a" || time.Since(modified) < time.Minute {
		t.Errorf("Read: %q, %v, %v", text, modified, err)
	}
	for path, code := range map[string]security.Code{"b.txt": security.FileNotFound, "src/.env": security.PermissionDenied, "src/big.txt": security.FileTooLarge, "src/no": security.FileNotFound, "src": security.IsDirectory} {
		if _, _, err := f.Read(t.Context(), path); security.CodeOf(err) != code {
			t.Errorf("Read(%q): %v, want %s", path, err, code)
		}
	}
}
