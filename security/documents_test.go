package security_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
)

// program is an editor in memory.
type program struct {
	mu     sync.Mutex
	docs   map[string]*security.Document
	listed int
	opened int
	// saveError is the reason why the program cannot save a document.
	saveError string
	err       error                     // of each call
	openErr   error                     // of Open, together with the document
	hang      func(ctx context.Context) // called by Unsaved; nil returns at once
}

func (p *program) Unsaved(ctx context.Context) ([]security.UnsavedDocument, error) {
	if p.hang != nil {
		p.hang(ctx)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed++
	var all []security.UnsavedDocument
	for name, d := range p.docs {
		if d.Unsaved {
			all = append(all, security.UnsavedDocument{Path: name, Program: "pager"})
		}
	}
	return all, p.err
}

func (p *program) Open(_ context.Context, name string) (security.Document, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.opened++
	if d := p.docs[name]; d != nil && p.err == nil {
		return *d, true, p.openErr
	}
	return security.Document{}, false, p.err
}

func (p *program) Replace(_ context.Context, doc security.Document, before, after []byte) (security.Replaced, bool, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	d := p.docs[doc.Path]
	switch {
	case d == nil || d.Text != doc.Text:
		return security.Replaced{}, false, &security.Error{Code: security.StaleFile, Message: "It has changed."}
	case string(before) != d.Text:
		return security.Replaced{}, false, nil
	}
	d.Text = string(after)
	if d.Unsaved {
		return security.Replaced{Text: d.Text}, true, nil
	}
	if p.saveError != "" {
		d.Unsaved = true
		return security.Replaced{Text: d.Text, SaveError: p.saveError}, true, nil
	}
	return security.Replaced{Saved: true}, true, os.WriteFile(doc.Path, after, 0o644)
}

// open opens a document.
func (p *program) open(name, text string, unsaved bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.docs == nil {
		p.docs = make(map[string]*security.Document)
	}
	p.docs[name] = &security.Document{Path: name, Program: "pager", Text: text, Unsaved: unsaved}
}

// edited is a project whose files a program has open.
type edited struct {
	*security.Root
	program
	dir    string
	detach func()
}

func newEdited(t *testing.T, files map[string]string) *edited {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	p := &edited{Root: root, dir: dir}
	p.detach = root.Attach(&p.program)
	return p
}

func (p *edited) path(name string) string { return filepath.Join(p.dir, name) }

func (p *edited) text(t *testing.T, name string) (string, security.FileInfo) {
	t.Helper()
	content, info, err := p.ReadFile(t.Context(), name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(content), info
}

func (p *edited) disk(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(p.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func TestDocuments_Read(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "b": "same", "dir/c": "deep"})
	p.open(p.path("a"), "unsaved text", true)
	p.open(p.path("b"), "same", false)
	p.open(p.path("dir/c"), "typed", true)
	if got, info := p.text(t, "a"); got != "unsaved text" || info.Size != 12 || info.Unsaved != "pager" || info.Unverified != "" {
		t.Errorf("%q, %+v", got, info)
	}
	if got, info := p.text(t, "b"); got != "same" || info.Unsaved != "" {
		t.Errorf("%q, %+v", got, info)
	}
	for _, look := range []func(context.Context, string) (security.FileInfo, error){p.Stat, p.Lstat} {
		if info, err := look(t.Context(), "a"); err != nil || info.Size != 12 || info.Unsaved != "pager" {
			t.Errorf("%+v, %v", info, err)
		}
	}
	_, first := p.text(t, "a")
	if _, second := p.text(t, "a"); !first.ModTime.Equal(second.ModTime) {
		t.Error("an unchanged text has another modification time")
	}
	p.open(p.path("a"), "unsaved Text", true)
	if _, second := p.text(t, "a"); first.ModTime.Equal(second.ModTime) {
		t.Error("a changed text has the same modification time")
	}
	if content, info, err := p.ReadFile(security.OnDisk(t.Context()), "a", 100); err != nil || string(content) != "disk" || info.Unsaved != "" {
		t.Errorf("on the disk: %q, %+v, %v", content, info, err)
	}
	if _, _, err := p.ReadFile(t.Context(), "a", 5); security.CodeOf(err) != security.FileTooLarge {
		t.Errorf("beyond the limit: %v", err)
	}
	p.detach()
	if got, _ := p.text(t, "a"); got != "disk" {
		t.Errorf("after detach: %q", got)
	}
}

func TestDocuments_Walk(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "dir/b": "disk", "c": "disk"})
	p.open(p.path("a"), "typed a", true)
	p.open(p.path("dir/b"), "typed b, long", true)
	for _, workers := range []int{1, 4} {
		var mu sync.Mutex
		got := make(map[string]string)
		p.listed, p.opened = 0, 0
		stats, err := p.Walk(t.Context(), ".", security.WalkOptions{Workers: workers}, func(e *security.WalkEntry) error {
			if e.Kind != security.RegularFile {
				return nil
			}
			short, err := e.ReadFile(t.Context(), nil, 8)
			if err != nil && security.CodeOf(err) != security.FileTooLarge {
				return err
			}
			f, err := e.Open(t.Context())
			if err != nil {
				return err
			}
			defer f.Close()
			whole, err := f.ReadAll(t.Context(), nil, 100)
			if err != nil {
				return err
			}
			info, err := e.Info(t.Context())
			mu.Lock()
			defer mu.Unlock()
			got[e.Path()] = fmt.Sprintf("%s|%s|%d%s", short, whole, info.Size, info.Unsaved)
			return err
		})
		want := map[string]string{"a": "typed a|typed a|7pager", "dir/b": "typed b,|typed b, long|13pager", "c": "disk|disk|4"}
		if err != nil || fmt.Sprint(got) != fmt.Sprint(want) || stats.Unverified != "" {
			t.Errorf("%d workers: %v, want %v; %+v, %v", workers, got, want, stats, err)
		}
		if p.listed != 1 || p.opened != 2 {
			t.Errorf("%d workers: the documents were listed %d times and opened %d times", workers, p.listed, p.opened)
		}
	}
}

func TestDocuments_Update(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "b": "same", "other": "disk"})
	p.open(p.path("a"), "typed", true)
	p.open(p.path("b"), "same", false)
	p.open(p.path("other"), "not loaded yet", false)
	add := func(old []byte, _ security.FileInfo) ([]byte, error) { return append(old, '!'), nil }

	if _, err := p.Update(t.Context(), "a", security.UpdateOptions{ExpectedSHA256: sum("disk")}, add); security.CodeOf(err) != security.StaleFile {
		t.Errorf("the digest of the disk: %v", err)
	}
	done, err := p.Update(t.Context(), "a", security.UpdateOptions{ExpectedSHA256: sum("typed"), Backup: true}, add)
	if err != nil || !done.Unsaved || done.Program != "pager" || done.SHA256 != sum("typed!") || done.Size != 6 {
		t.Fatalf("%+v, %v", done, err)
	}
	if kept, _, err := p.ReadFile(t.Context(), done.BackupPath, 100); err != nil || string(kept) != "typed" {
		t.Errorf("the backup has %q, %v", kept, err)
	}
	if got, _ := p.text(t, "a"); got != "typed!" || p.disk(t, "a") != "disk" {
		t.Errorf("unsaved: %q, on the disk %q", got, p.disk(t, "a"))
	}
	done, err = p.Write(t.Context(), "a", []byte(" more"), security.WriteOptions{Append: true})
	if got, _ := p.text(t, "a"); err != nil || got != "typed! more" || !done.Unsaved {
		t.Errorf("append: %q, %+v, %v", got, done, err)
	}

	done, err = p.Update(t.Context(), "b", security.UpdateOptions{}, add)
	if err != nil || done.Unsaved || done.Program != "pager" || done.SHA256 != sum("same!") || p.disk(t, "b") != "same!" || p.docs[p.path("b")].Text != "same!" {
		t.Errorf("saved: %+v, %v; %q", done, err, p.disk(t, "b"))
	}
	p.open(p.path("b"), "same!", false)
	p.saveError = "the disk is full"
	done, err = p.Update(t.Context(), "b", security.UpdateOptions{}, add)
	if err != nil || !done.Unsaved || done.SaveError != "the disk is full" || done.SHA256 != sum("same!!") || p.disk(t, "b") != "same!" {
		t.Errorf("not saved: %+v, %v", done, err)
	}
	done, err = p.Write(t.Context(), "other", []byte("new"), security.WriteOptions{Overwrite: true})
	if err != nil || done.Program != "" || p.disk(t, "other") != "new" {
		t.Errorf("a document with another content: %+v, %v", done, err)
	}
}

func TestDocuments_ChangedMeanwhile(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk"})
	p.open(p.path("a"), "typed", true)
	_, err := p.Update(t.Context(), "a", security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) {
		p.open(p.path("a"), "typed on", true)
		return []byte("other"), nil
	})
	if got, _ := p.text(t, "a"); security.CodeOf(err) != security.StaleFile || got != "typed on" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestDocuments_MoveAndTrash(t *testing.T) {
	p := newEdited(t, map[string]string{"dir/a": "disk", "b": "disk"})
	p.open(p.path("dir/a"), "typed", true)
	p.open(p.path("new"), "never saved", true)
	for name, act := range map[string]func() error{
		"trash": func() error { _, err := p.Trash(t.Context(), "dir/a", security.TrashOptions{}); return err },
		"trash directory": func() error {
			_, err := p.Trash(t.Context(), "dir", security.TrashOptions{Recursive: true})
			return err
		},
		"move":           func() error { _, err := p.Move(t.Context(), "dir/a", "c", security.MoveOptions{}); return err },
		"move directory": func() error { _, err := p.Move(t.Context(), "dir", "e", security.MoveOptions{}); return err },
		"replace": func() error {
			_, err := p.Move(t.Context(), "b", "dir/a", security.MoveOptions{Overwrite: true})
			return err
		},
		"move to": func() error { _, err := p.Move(t.Context(), "b", "new", security.MoveOptions{}); return err },
		"create":  func() error { _, err := p.Write(t.Context(), "new", nil, security.WriteOptions{}); return err },
	} {
		if err := act(); security.CodeOf(err) != security.FileBusy || !strings.Contains(err.Error(), "pager") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if p.disk(t, "dir/a") != "disk" || p.disk(t, "b") != "disk" {
		t.Error("a file has changed")
	}
	if _, err := p.Move(t.Context(), "b", "c", security.MoveOptions{}); err != nil {
		t.Error(err)
	}
}

func TestDocuments_NoAnswer(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk"})
	p.err = errors.New("pager does not answer")
	if got, info := p.text(t, "a"); got != "disk" || info.Unverified != "pager does not answer" {
		t.Errorf("%q, %+v", got, info)
	}
	stats, err := p.Walk(t.Context(), ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
		_, err := e.ReadFile(t.Context(), nil, 100)
		return err
	})
	if err != nil || stats.Unverified != "pager does not answer" {
		t.Errorf("%+v, %v", stats, err)
	}
	for name, act := range map[string]func() error{
		"write": func() error {
			_, err := p.Write(t.Context(), "a", nil, security.WriteOptions{Overwrite: true})
			return err
		},
		"create": func() error { _, err := p.Write(t.Context(), "new", nil, security.WriteOptions{}); return err },
		"trash":  func() error { _, err := p.Trash(t.Context(), "a", security.TrashOptions{}); return err },
		"move":   func() error { _, err := p.Move(t.Context(), "a", "b", security.MoveOptions{}); return err },
	} {
		if err := act(); security.CodeOf(err) != security.FileBusy || !strings.Contains(err.Error(), "pager does not answer") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A path is queried by itself if there are more documents than a View lists.
func TestDocuments_Limit(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "dir/b": "disk"})
	for i := range security.MaxUnsaved + 1 {
		name := fmt.Sprint("f", i)
		if err := os.WriteFile(p.path(name), []byte("disk"), 0o644); err != nil {
			t.Fatal(err)
		}
		p.open(p.path(name), "typed", true)
	}
	ctx, view := p.View(t.Context())
	for i := range security.MaxUnsaved + 1 {
		name := fmt.Sprint("f", i)
		content, info, err := p.ReadFile(ctx, name, 100)
		if err != nil || string(content) != "typed" || info.Unsaved != "pager" || info.Unverified != "" {
			t.Fatalf("%s: %q, %+v, %v", name, content, info, err)
		}
		if i%20 > 0 { // changes take long on Windows
			continue
		}
		done, err := p.Write(ctx, name, []byte("written"), security.WriteOptions{Overwrite: true, ExpectedSHA256: sum("typed")})
		if err != nil || !done.Unsaved || p.disk(t, name) != "disk" {
			t.Fatalf("%s: %+v, %v", name, done, err)
		}
		if _, err := p.Move(ctx, name, "moved", security.MoveOptions{}); security.CodeOf(err) != security.FileBusy {
			t.Fatalf("moving %s: %v", name, err)
		}
	}
	if got, info := p.text(t, "a"); got != "disk" || info.Unverified != "" || view.Problem() != "" {
		t.Errorf("%q, %+v; %q", got, info, view.Problem())
	}
	stats, err := p.Walk(ctx, ".", security.WalkOptions{}, func(e *security.WalkEntry) error {
		if e.Kind != security.RegularFile {
			return nil
		}
		_, err := e.ReadFile(ctx, nil, 100)
		return err
	})
	if err != nil || !strings.Contains(stats.Unverified, "more than 200") || !strings.Contains(view.Problem(), "were read from the disk") {
		t.Errorf("a walk: %+v, %v; %q", stats, err, view.Problem())
	}
	_, err = p.Move(ctx, "dir", "other", security.MoveOptions{})
	if known, ok := errors.AsType[*security.Error](err); !ok || known.Code != security.FileBusy || !strings.Contains(known.Next, "save documents") || strings.Contains(known.Message, "from the disk") {
		t.Errorf("moving a directory: %v", err)
	}
	if _, err := p.Move(ctx, "a", "c", security.MoveOptions{}); err != nil {
		t.Errorf("moving a file: %v", err)
	}
	p.err = errors.New("pager does not answer")
	if _, info := p.text(t, "c"); info.Unverified != "pager does not answer" {
		t.Errorf("without an answer: %+v", info)
	}
	if _, err := p.Move(ctx, "c", "d", security.MoveOptions{}); security.CodeOf(err) != security.FileBusy || !strings.Contains(err.Error(), "pager does not answer") {
		t.Errorf("a move without an answer: %v", err)
	}
}

func TestDocuments_LimitCountsProjectFiles(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk"})
	p.open(p.path("a"), "typed", true)
	elsewhere := t.TempDir()
	for i := range security.MaxUnsaved + 1 {
		p.open(filepath.Join(elsewhere, fmt.Sprint(i)), "typed", true)
	}
	if got, info := p.text(t, "a"); got != "typed" || info.Unverified != "" {
		t.Errorf("%q, %+v", got, info)
	}
}

func TestDocuments_DetachedDuringWrite(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "b": "disk"})
	for _, name := range []string{"a", "b"} {
		p.open(p.path(name), "typed", true)
		var other program
		done, err := p.Update(t.Context(), name, security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) {
			p.detach()
			if name == "b" {
				p.Attach(&other)
			}
			return append(old, '!'), nil
		})
		if err != nil || !done.Unsaved || p.docs[p.path(name)].Text != "typed!" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
		p.detach = p.Attach(&p.program)
	}
}

func TestDocuments_TextWithError(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk"})
	p.open(p.path("a"), "typed", true)
	p.openErr = errors.New("pager 2 does not answer")
	if got, info := p.text(t, "a"); got != "typed" || info.Unsaved != "pager" || info.Unverified != "pager 2 does not answer" {
		t.Errorf("%q, %+v", got, info)
	}
	if _, err := p.Write(t.Context(), "a", nil, security.WriteOptions{Overwrite: true}); security.CodeOf(err) != security.FileBusy {
		t.Errorf("a write: %v", err)
	}
}

// A reader that waits for the list of another one ends with its own context.
func TestView_WaitingReader(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk"})
	ctx, view := p.View(t.Context())
	asked, release, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	p.hang = func(context.Context) { close(asked); <-release }
	go func() {
		defer close(done)
		_, _, _ = p.ReadFile(ctx, "a", 100)
	}()
	<-asked
	ended, cancel := context.WithCancel(ctx)
	time.AfterFunc(10*time.Millisecond, cancel)
	if info, err := p.Stat(ended, "a"); err == nil && !strings.Contains(info.Unverified, "ended before") || err != nil && security.CodeOf(err) != security.Cancelled {
		t.Errorf("%+v, %v", info, err)
	}
	if got := view.Problem(); got != "" { // it does not wait
		t.Errorf("the problem is %q", got)
	}
	close(release)
	<-done
}

// A document that was never saved is read by its path, and not written.
func TestDocuments_NeverSaved(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "dir/b": "disk"})
	p.open(p.path("new.txt"), "typed", true)
	p.open(p.path("dir/sub/new.txt"), "deep", true)
	p.open(p.path(".env"), "secret", true)
	for name, want := range map[string]string{"new.txt": "typed", "dir/../new.txt": "typed", "dir/sub/new.txt": "deep"} {
		got, info := p.text(t, name)
		if got != want || info.Unsaved != "pager" || !info.NotOnDisk || info.Size != int64(len(want)) || info.Name != "new.txt" || info.Path != filepath.ToSlash(filepath.Clean(name)) {
			t.Errorf("%s: %q, %+v", name, got, info)
		}
		for _, look := range []func(context.Context, string) (security.FileInfo, error){p.Stat, p.Lstat} {
			if info, err := look(t.Context(), name); err != nil || info.Kind != security.RegularFile || !info.NotOnDisk {
				t.Errorf("%s: %+v, %v", name, info, err)
			}
		}
		add := func(old []byte, _ security.FileInfo) ([]byte, error) { return append(old, '!'), nil }
		if _, err := p.Update(t.Context(), name, security.UpdateOptions{ExpectedSHA256: sum(want)}, add); security.CodeOf(err) != security.FileBusy || !strings.Contains(err.Error(), "pager has unsaved text") {
			t.Errorf("changing %s: %v", name, err)
		}
	}
	for name, code := range map[string]security.Code{".env": security.PermissionDenied, "none": security.FileNotFound, "../new.txt": security.PermissionDenied} {
		if _, _, err := p.ReadFile(t.Context(), name, 100); security.CodeOf(err) != code {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, _, err := p.ReadFile(security.OnDisk(t.Context()), "new.txt", 100); security.CodeOf(err) != security.FileNotFound {
		t.Errorf("on the disk: %v", err)
	}
	for dir, want := range map[string]string{".": "new.txt", "dir": "dir/sub/new.txt"} {
		ctx, view := p.View(t.Context())
		if _, err := p.Walk(ctx, dir, security.WalkOptions{}, func(*security.WalkEntry) error { return nil }); err != nil || !strings.Contains(view.Problem(), want) || strings.Contains(view.Problem(), ".env") {
			t.Errorf("a walk of %s: %q, %v", dir, view.Problem(), err)
		}
	}
}

func TestDocuments_Link(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege on Windows")
	}
	p := newEdited(t, map[string]string{"dir/a": "disk"})
	if err := os.Symlink("dir", p.path("link")); err != nil {
		t.Fatal(err)
	}
	outside := filepath.Join(t.TempDir(), "secret")
	p.open(p.path("link/a"), "typed", true)
	p.open(p.path("link/new"), "never saved", true)
	if _, err := p.Write(t.Context(), "dir/new", nil, security.WriteOptions{}); security.CodeOf(err) != security.FileBusy {
		t.Errorf("a document that was never saved, by its other name: %v", err)
	}
	p.open(outside, "secret", true)
	p.open("relative", "text", true)
	for _, name := range []string{"dir/a", "link/a", p.path("link/a")} {
		if got, _ := p.text(t, name); got != "typed" {
			t.Errorf("%s: %q", name, got)
		}
	}
	if _, _, err := p.ReadFile(t.Context(), outside, 100); security.CodeOf(err) != security.PermissionDenied {
		t.Errorf("a document outside of the project: %v", err)
	}
	done, err := p.Update(t.Context(), "dir/a", security.UpdateOptions{}, func(old []byte, _ security.FileInfo) ([]byte, error) { return append(old, '!'), nil })
	if err != nil || !done.Unsaved || p.docs[p.path("link/a")].Text != "typed!" {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestRoot_UnsavedFiles(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", ".env": "KEY=1", "b": "disk"})
	for _, name := range []string{"a", ".env", "new"} {
		p.open(p.path(name), "typed", true)
	}
	p.open(p.path("b"), "disk", false)
	got, err := p.UnsavedFiles(t.Context())
	if err != nil || len(got) != 1 || got[0].Path != "a" || got[0].Size != 5 || got[0].Unsaved != "pager" || p.listed != 1 {
		t.Errorf("%+v, %v; listed %d times", got, err, p.listed)
	}
	p.detach()
	if got, err := p.UnsavedFiles(t.Context()); got != nil || err != nil {
		t.Errorf("after detach: %+v, %v", got, err)
	}
}

func TestDocuments_Blocked(t *testing.T) {
	p := newEdited(t, map[string]string{".env": "KEY=1"})
	p.open(p.path(".env"), "KEY=2", true)
	if _, _, err := p.ReadFile(t.Context(), ".env", 100); security.CodeOf(err) != security.PermissionDenied {
		t.Errorf("a blocked document: %v", err)
	}
}

func TestDocuments_View(t *testing.T) {
	p := newEdited(t, map[string]string{"a": "disk", "b": "disk"})
	ctx, view := p.View(t.Context())
	for range 3 {
		if _, _, err := p.ReadFile(ctx, "a", 100); err != nil {
			t.Fatal(err)
		}
	}
	if p.listed != 1 || view.Problem() != "" {
		t.Errorf("listed %d times, %q", p.listed, view.Problem())
	}
	p.open(p.path("b"), "typed", true)
	if _, err := p.Write(ctx, "a", []byte("new"), security.WriteOptions{Overwrite: true}); err != nil {
		t.Fatal(err)
	}
	if content, _, err := p.ReadFile(ctx, "b", 100); err != nil || string(content) != "typed" {
		t.Errorf("after a write: %q, %v", content, err)
	}
	p.err = errors.New("pager does not answer")
	if content, _, err := p.ReadFile(ctx, "b", 100); err != nil || string(content) != "typed" || view.Problem() != "" {
		t.Errorf("a text that was read: %q, %v; %q", content, err, view.Problem())
	}
	if _, err := p.Write(ctx, "b", nil, security.WriteOptions{Overwrite: true}); security.CodeOf(err) != security.FileBusy {
		t.Errorf("a write: %v", err)
	}
	if _, _, err := p.ReadFile(ctx, "b", 100); err != nil || view.Problem() != "pager does not answer" {
		t.Errorf("%q, %v", view.Problem(), err)
	}
}
