package editor_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// attachedRoot returns a Root of a project whose files the editors have open.
func attachedRoot(t *testing.T, files map[string]string, editors ...adapter.Adapter) (project, *security.Root) {
	t.Helper()
	p := newProject(t, setup{}, files)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	t.Cleanup(editor.Attach(root, nil, editors...))
	return p, root
}

func textOf(t *testing.T, root *security.Root, name string) (string, security.FileInfo) {
	t.Helper()
	content, info, err := root.ReadFile(t.Context(), name, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	return string(content), info
}

// overwrite replaces a file with any content.
func overwrite(t *testing.T, root *security.Root, name, content string) (security.WriteResult, error) {
	t.Helper()
	return root.Write(t.Context(), name, []byte(content), security.WriteOptions{Overwrite: true})
}

func TestAttach_ReadAndWrite(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\nb\nc\n", "g": "\xfe\xff\x00a", "h": "plain\n"}, newFakeServer(), screen)
	screen.addDocument(p.path("f"), "a\nB\nc\n", true)
	screen.addDocument(p.path("g"), "a", false)
	screen.addDocument(p.path("h"), "other\n", false)
	if got, info := textOf(t, root, "f"); got != "a\nB\nc\n" || info.Unsaved != "fake" {
		t.Errorf("%q, %+v", got, info)
	}
	var edits []adapter.TextEdit
	screen.onEdit = func(_ context.Context, _ string, _ int, e []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		edits = e
		return adapter.Document{}, nil, false
	}
	done, err := overwrite(t, root, "f", "A\nB\nc\nd\n")
	if err != nil || !done.Unsaved || done.Program != "fake" || done.SHA256 != sha256Of("A\nB\nc\nd\n") || screen.docs[p.path("f")].Text != "A\nB\nc\nd\n" {
		t.Errorf("%+v, %v, %+v", done, err, screen.docs[p.path("f")])
	}
	if len(edits) != 2 || edits[0].NewText != "A" || edits[1].NewText != "d\n" {
		t.Errorf("the edits are %+v", edits)
	}
	p.wantFile(t, "f", "a\nb\nc\n")
	done, err = overwrite(t, root, "g", "\xfe\xff\x00a\x00b")
	if err != nil || done.Unsaved || done.Program != "fake" || screen.docs[p.path("g")].Text != "ab" {
		t.Errorf("another encoding: %+v, %v", done, err)
	}
	done, err = overwrite(t, root, "h", "new\n")
	if err != nil || done.Program != "" {
		t.Errorf("a buffer with another content: %+v, %v", done, err)
	}
	p.wantFile(t, "h", "new\n")
	if _, err := overwrite(t, root, "f", "\x00\xff"); codeOf(err) != "FILE_BUSY" || !strings.Contains(err.Error(), "other text in UTF-8") {
		t.Errorf("bytes in place of unsaved text: %v", err)
	}
}

func TestAttach_SaveFails(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.addDocument(p.path("f"), "a\n", false)
	screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		doc, err := screen.edit(path, version, edits, false)
		return doc, err, true
	}
	done, err := overwrite(t, root, "f", "b\n")
	if err != nil || !done.Unsaved || done.SHA256 != sha256Of("b\n") {
		t.Errorf("%+v, %v", done, err)
	}
	p.wantFile(t, "f", "a\n")
}

func TestAttach_SaveHook(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.addDocument(p.path("f"), "a\n", false)
	screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		doc, err := screen.edit(path, version, edits, true)
		screen.docs[path].Text = doc.Text + "// hook\n"
		return *screen.docs[path], errors.Join(err, os.WriteFile(path, []byte(screen.docs[path].Text), 0o644)), true
	}
	done, err := overwrite(t, root, "f", "b\n")
	if err != nil || done.Unsaved || !done.Altered || done.SHA256 != sha256Of("b\n// hook\n") {
		t.Errorf("%+v, %v", done, err)
	}
}

func TestAttach_EditFails(t *testing.T) {
	for name, tt := range map[string]struct {
		edit func(e *fakeEditor, path string, version int, edits []adapter.TextEdit) error
		code string
		text string
	}{
		"typed meanwhile": {func(e *fakeEditor, path string, _ int, _ []adapter.TextEdit) error {
			e.docs[path].Text = "typed\n"
			return adapter.ErrStale
		}, "STALE_FILE", "typed\n"},
		"refused": {func(*fakeEditor, string, int, []adapter.TextEdit) error { return errors.New("no") }, "INTERNAL_ERROR", "unsaved\n"},
		"made, but the answer is lost": {func(e *fakeEditor, path string, version int, edits []adapter.TextEdit) error {
			_, _ = e.edit(path, version, edits, false)
			return errors.New("the connection broke")
		}, "", "new\n"},
		"said to be made": {func(*fakeEditor, string, int, []adapter.TextEdit) error { return nil }, "INTERNAL_ERROR", "unsaved\n"},
		"dead": {func(e *fakeEditor, path string, _ int, _ []adapter.TextEdit) error {
			delete(e.docs, path)
			return adapter.ErrNotRunning
		}, "IDE_NOT_RUNNING", "a\n"},
	} {
		screen := newFakeEditor()
		p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
		screen.addDocument(p.path("f"), "unsaved\n", true)
		screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
			return adapter.Document{}, tt.edit(screen, path, version, edits), true
		}
		_, err := overwrite(t, root, "f", "new\n")
		if got, _ := textOf(t, root, "f"); codeOf(err) != tt.code || got != tt.text {
			t.Errorf("%s: %q, %v", name, got, err)
		}
		p.wantFile(t, "f", "a\n")
	}
}

func TestAttach_TwoEditors(t *testing.T) {
	one, two := newFakeEditor(), newFakeEditor()
	two.name = "second"
	p, root := attachedRoot(t, map[string]string{"f": "a\n", "g": "a\n"}, one, two)
	one.addDocument(p.path("f"), "a\n", false)
	two.addDocument(p.path("f"), "unsaved\n", true)
	if got, info := textOf(t, root, "f"); got != "unsaved\n" || info.Unsaved != "second" {
		t.Errorf("%q, %+v", got, info)
	}
	if done, err := overwrite(t, root, "f", "new\n"); err != nil || done.Program != "second" || two.docs[p.path("f")].Text != "new\n" || one.docs[p.path("f")].Text != "a\n" {
		t.Errorf("%+v, %v", done, err)
	}
	one.addDocument(p.path("g"), "mine\n", true)
	two.addDocument(p.path("g"), "yours\n", true)
	if got, info := textOf(t, root, "g"); got != "mine\n" || !strings.Contains(info.Unverified, "different unsaved texts in fake and second") {
		t.Errorf("two unsaved texts: %q, %+v", got, info)
	}
	if _, err := overwrite(t, root, "g", "new\n"); codeOf(err) != "FILE_BUSY" || !strings.Contains(err.Error(), "different unsaved texts in fake and second") {
		t.Errorf("two unsaved texts: %v", err)
	}
	two.addDocument(p.path("g"), "mine\n", true)
	if got, info := textOf(t, root, "g"); got != "mine\n" || info.Unverified != "" {
		t.Errorf("the same unsaved text: %q, %+v", got, info)
	}
	if _, err := overwrite(t, root, "g", "new\n"); codeOf(err) != "FILE_BUSY" || one.docs[p.path("g")].Text != "mine\n" {
		t.Errorf("the same unsaved text: %v", err)
	}
}

// An editor that does not answer may have other unsaved text than the one that answers.
func TestAttach_OneOfTwoAnswers(t *testing.T) {
	one, two := newFakeEditor(), newFakeEditor()
	two.name = "second"
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, one, two)
	one.addDocument(p.path("f"), "typed\n", true)
	two.onDocument = func(string) (adapter.Document, bool, error, bool) {
		return adapter.Document{}, false, errors.New("it is busy"), true
	}
	if got, info := textOf(t, root, "f"); got != "typed\n" || info.Unsaved != "fake" || !strings.Contains(info.Unverified, "second: it is busy") {
		t.Errorf("%q, %+v", got, info)
	}
	if _, err := overwrite(t, root, "f", "new\n"); codeOf(err) != "FILE_BUSY" || one.docs[p.path("f")].Text != "typed\n" {
		t.Errorf("a write: %v", err)
	}
}

func TestAttach_NotText(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.addDocument(p.path("f"), "a\xff", true)
	if got, info := textOf(t, root, "f"); got != "a\n" || !strings.HasSuffix(info.Unverified, "is open in fake with content that is not UTF-8 text") {
		t.Errorf("%q, %+v", got, info)
	}
	if _, err := overwrite(t, root, "f", "new\n"); codeOf(err) != "FILE_BUSY" || strings.Contains(err.Error(), "not known") {
		t.Errorf("a write: %v", err)
	}
}

func TestAttach_QueryFails(t *testing.T) {
	screen := newFakeEditor()
	_, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.setState(adapter.State{})
	screen.unsavedErr = errors.New("it is busy")
	if _, info := textOf(t, root, "f"); !strings.Contains(info.Unverified, "it is busy") {
		t.Errorf("%+v", info)
	}
	if _, err := overwrite(t, root, "f", "new\n"); err != nil { // the editor has answered that it does not have the file
		t.Error(err)
	}
	screen.unsavedErr = adapter.ErrNotRunning
	if _, info := textOf(t, root, "f"); info.Unverified != "" {
		t.Errorf("an editor that does not run: %+v", info)
	}
}

func TestAttach_CancelledDuringEdit(t *testing.T) {
	for name, dirty := range map[string]bool{"unsaved": true, "saved": false} {
		screen := newFakeEditor()
		p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
		screen.addDocument(p.path("f"), "a\n", dirty)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool) {
			_, err := screen.edit(path, version, edits, save)
			cancel()
			return adapter.Document{}, errors.Join(err, context.Canceled), true
		}
		done, err := root.Write(ctx, "f", []byte("b\n"), security.WriteOptions{Overwrite: true})
		if err != nil || done.Unsaved != dirty || screen.docs[p.path("f")].Text != "b\n" {
			t.Errorf("%s: %+v, %v", name, done, err)
		}
	}
}

func TestAttach_ManyUnsavedPaths(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	for i := range 2001 {
		screen.addDocument(p.path(strings.Repeat("x", i%100+1)+strconv.Itoa(i)), "typed\n", true)
	}
	if got, info := textOf(t, root, "f"); got != "a\n" || info.Unverified != "" {
		t.Errorf("%q, %+v", got, info)
	}
	screen.addDocument(p.path("zz"), "typed\n", true)
	screen.addDocument(p.path("f"), "typed\n", true)
	if got, info := textOf(t, root, "f"); got != "typed\n" || !strings.Contains(info.Unverified, "fake has more than 2001 documents") && info.Unverified != "" {
		t.Errorf("%q, %+v", got, info)
	}
	if done, err := overwrite(t, root, "f", "new\n"); err != nil || !done.Unsaved {
		t.Errorf("a write: %+v, %v", done, err)
	}
}

func TestAttach_LogsFailuresOnce(t *testing.T) {
	screen := newFakeEditor()
	p := newProject(t, setup{}, map[string]string{"f": "a\n"})
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var logged strings.Builder
	defer editor.Attach(root, slog.New(slog.NewTextHandler(&logged, nil)), screen)()
	screen.unsavedErr = errors.New("it is busy")
	for range 20 {
		textOf(t, root, "f")
	}
	if n := strings.Count(logged.String(), "it is busy"); n < 1 || n > 3 {
		t.Errorf("logged %d times", n)
	}
}

// An editor can have a file outside of its folders open, and its adapter may not have found it yet.
func TestAttach_OtherFolder(t *testing.T) {
	screen := newFakeEditor("/somewhere/else")
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.addDocument(p.path("f"), "unsaved\n", true)
	for _, state := range []adapter.State{{Running: true, Folders: []string{"/somewhere/else"}}, {}} {
		screen.setState(state)
		if got, info := textOf(t, root, "f"); got != "unsaved\n" || info.Unsaved != "fake" {
			t.Errorf("%+v: %q, %+v", state, got, info)
		}
	}
	if done, err := overwrite(t, root, "f", "new\n"); err != nil || !done.Unsaved || screen.docs[p.path("f")].Text != "new\n" {
		t.Errorf("%+v, %v", done, err)
	}
	p.wantFile(t, "f", "a\n")
}

// A part of an editor that does not answer may have other unsaved text than the part that does.
func TestAttach_PartlyHanging(t *testing.T) {
	for name, dirty := range map[string]bool{"unsaved text": true, "saved text": false} {
		screen := newFakeEditor()
		p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
		screen.addDocument(p.path("f"), map[bool]string{true: "typed\n", false: "a\n"}[dirty], dirty)
		screen.unsavedErr = errors.New("process 7 does not answer")
		screen.onDocument = func(path string) (adapter.Document, bool, error, bool) {
			return *screen.docs[path], true, screen.unsavedErr, true
		}
		want := screen.docs[p.path("f")].Text
		if got, info := textOf(t, root, "f"); got != want || !strings.Contains(info.Unverified, "process 7 does not answer") {
			t.Errorf("%s: %q, %+v", name, got, info)
		}
		if _, err := overwrite(t, root, "f", "new\n"); codeOf(err) != "FILE_BUSY" || !strings.Contains(err.Error(), "process 7 does not answer") {
			t.Errorf("%s: a write: %v", name, err)
		}
		p.wantFile(t, "f", "a\n")
	}
}

// An editor that hangs costs its timeout once; reads say that they may lack unsaved text, and writes are refused.
func TestAttach_Hanging(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"}, screen)
	screen.unsavedErr = context.DeadlineExceeded
	began := time.Now()
	for range 20 {
		if got, info := textOf(t, root, "f"); got != "a\n" || !strings.Contains(info.Unverified, "fake did not answer") {
			t.Errorf("%q, %+v", got, info)
		}
	}
	if _, err := overwrite(t, root, "f", "new\n"); codeOf(err) != "FILE_BUSY" || !strings.Contains(err.Error(), "fake did not answer") {
		t.Errorf("a write: %v after %v", err, time.Since(began))
	}
	p.wantFile(t, "f", "a\n")
}

// The tools of the set and the Root have one view of the file.
func TestNew_AttachesBuffers(t *testing.T) {
	screen := newFakeEditor()
	p, root := attachedRoot(t, map[string]string{"f": "a\n"})
	set, err := editor.New(t.Context(), tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{screen}})
	if err != nil {
		t.Fatal(err)
	}
	screen.addDocument(p.path("f"), "unsaved\n", true)
	got := call(t, set.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x\n"})
	if text, _ := textOf(t, root, "f"); text != "x\nunsaved\n" || got.SHA256 != sha256Of(text) {
		t.Errorf("%q, %+v", text, got)
	}
	if err := set.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, _ := textOf(t, root, "f"); text != "a\n" {
		t.Errorf("after Close: %q", text)
	}
}

func TestNew_SharedRoot(t *testing.T) {
	screen := newFakeEditor()
	p := newProject(t, setup{}, map[string]string{"f": "a\n"})
	var roots [2]*security.Root
	for i := range roots {
		root, err := security.OpenRoot(security.RootOptions{Dirs: []string{p.dir}, StateDir: t.TempDir(), Durability: security.Process})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { root.Close() })
		roots[i] = root
	}
	screen.addDocument(p.path("f"), "b\n", true)
	set, err := editor.New(t.Context(), tools.Env{Root: roots[0]}, editor.Options{Adapters: []adapter.Adapter{screen}, Shared: roots[1:]})
	if err != nil {
		t.Fatal(err)
	}
	for i, root := range roots {
		if got, info := textOf(t, root, "f"); got != "b\n" || info.Unsaved != "fake" {
			t.Errorf("root %d: %q, %+v", i, got, info)
		}
	}
	if err := set.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, _ := textOf(t, roots[1], "f"); got != "a\n" {
		t.Errorf("after Close: %q", got)
	}
}
