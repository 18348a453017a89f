package editor_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// openedProject returns a project with a file that an editor has open.
func openedProject(t *testing.T, file, buffer string, dirty bool) (project, *fakeEditor, *fakeServer) {
	t.Helper()
	screen, mind := newFakeEditor(), newFakeServer()
	p := newProject(t, with(screen, mind), map[string]string{"f": file})
	screen.addDocument(p.path("f"), buffer, dirty)
	return p, screen, mind
}

func TestInsertCode_OpenFile(t *testing.T) {
	p, screen, mind := openedProject(t, "a\r\nb\r\n", "a\r\nb\r\n", false)
	got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 2, Content: "x\n", ExpectedSHA256: sha256Of("a\r\nb\r\n")})
	if got.Editor != "fake" || !got.Saved || got.SHA256 != sha256Of("a\r\nx\r\nb\r\n") || len(got.Notes) != 0 {
		t.Errorf("%+v", got)
	}
	if d := screen.docs[p.path("f")]; d.Text != "a\r\nx\r\nb\r\n" || d.Version != 2 {
		t.Errorf("%+v", d)
	}
	p.wantFile(t, "f", "a\r\nx\r\nb\r\n")
	if !slices.Equal(mind.changed, []string{p.path("f")}) {
		t.Errorf("told of %q", mind.changed)
	}
	records := p.audit.Recent(10)
	if len(records) != 2 || records[1].Operation != "edit in editor" || records[1].Result != "started" || records[0].Result != "success" || !strings.Contains(records[0].Params, `"editor":"fake"`) {
		t.Errorf("recorded are %+v", records)
	}
}

func TestInsertCode_DirtyBuffer(t *testing.T) {
	p, screen, mind := openedProject(t, "a\n", "a\nb\n", true)
	_, err := p.DeleteCode(t.Context(), editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 1, ExpectedSHA256: sha256Of("a\n")})
	toolsettest.WantError(t, err, "STALE_FILE", sha256Of("a\nb\n")[:12], "changes in fake that are not saved")
	got := call(t, p.DeleteCode, editor.DeleteCodeArgs{Path: "f", StartLine: 1, EndLine: 1, ExpectedSHA256: sha256Of("a\nb\n")})
	if got.Editor != "fake" || got.Saved || got.SHA256 != sha256Of("b\n") || !strings.Contains(got.TextContent(), "in fake, not saved") {
		t.Errorf("%+v", got)
	}
	if d := screen.docs[p.path("f")]; d.Text != "b\n" || !d.Dirty {
		t.Errorf("%+v", d)
	}
	p.wantFile(t, "f", "a\n")
	if len(mind.changed) != 0 {
		t.Errorf("told of %q", mind.changed)
	}
}

// An unmodified buffer with another text than the file is ignored: saving it would overwrite text that the tools have not read.
func TestInsertCode_DifferingBuffer(t *testing.T) {
	for name, buffer := range map[string]string{
		"older than the disk":          "old\n",
		"decoded with another charset": "\uFFFD{\uFFFD\uFFFD\n",
		"with other line ends":         "日本\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			p, screen, _ := openedProject(t, "\x93\xfa\x96\x7b\n", buffer, false)
			got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 2, Content: "本"})
			p.wantFile(t, "f", "\x93\xfa\x96\x7b\n\x96\x7b\n")
			if got.Editor != "" || screen.docs[p.path("f")].Text != buffer {
				t.Errorf("%+v", got)
			}
		})
	}
	t.Run("no text", func(t *testing.T) {
		p, screen, _ := openedProject(t, "a\n", "a\xff", true)
		_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 2, Content: "b"})
		toolsettest.WantError(t, err, "FILE_BUSY", "no text that can be edited")
		if screen.docs[p.path("f")].Text != "a\xff" {
			t.Error("the buffer was changed")
		}
		p.wantFile(t, "f", "a\n")
	})
	t.Run("of another folder", func(t *testing.T) {
		screen := newFakeEditor("/somewhere/else")
		p := newProject(t, with(screen), map[string]string{"f": "a\n"})
		screen.addDocument(p.path("f"), "dirty\n", true)
		got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 2, Content: "b"})
		p.wantFile(t, "f", "a\n")
		if text := screen.docs[p.path("f")].Text; got.Editor != "fake" || text != "dirty\nb\n" {
			t.Errorf("%+v, the buffer has %q", got, text)
		}
	})
}

func TestInsertCode_ProtectedBuffer(t *testing.T) {
	screen := newFakeEditor()
	p := newProject(t, with(screen), map[string]string{".env": "A=1\n", ".vscode/tasks.json": "{}\n"})
	for name, text := range map[string]string{".env": "A=1\n", ".vscode/tasks.json": "{}\n"} {
		screen.addDocument(p.path(name), text, false)
		_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: name, Line: 1, Content: "x"})
		toolsettest.WantError(t, err, "PERMISSION_DENIED")
		if screen.docs[p.path(name)].Text != text {
			t.Errorf("%s was changed", name)
		}
	}
}

func TestInsertCode_SaveHook(t *testing.T) {
	p, screen, _ := openedProject(t, "a\n", "a\n", false)
	screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool) {
		doc, err := screen.edit(path, version, edits, false)
		screen.docs[path].Text = doc.Text + "// laid out\n"
		if err == nil && save {
			err = os.WriteFile(path, []byte(screen.docs[path].Text), 0o644)
		}
		return doc, err, true // text before the save hook
	}
	got := call(t, p.InsertCode, editor.InsertCodeArgs{Path: "f", Line: 2, Content: "b"})
	if !got.Saved || got.SHA256 != sha256Of("a\nb\n// laid out\n") || len(got.Notes) != 1 || !strings.Contains(got.Diff, "+// laid out\n") {
		t.Errorf("%+v", got)
	}
}

// The result describes the real outcome, whatever the editor returns for an edit.
func TestInsertCode_EditorFailure(t *testing.T) {
	type outcome struct{ code, file string }
	for name, tt := range map[string]struct {
		dirty bool
		edit  func(e *fakeEditor, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error)
		want  outcome
		says  string // part of the answer
	}{
		"made, but the answer is lost": {edit: func(e *fakeEditor, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
			_, _ = e.edit(path, version, edits, save)
			return adapter.Document{}, errors.New("the connection broke")
		}, want: outcome{file: "a\nx\n"}},
		"not made": {edit: func(*fakeEditor, string, int, []adapter.TextEdit, bool) (adapter.Document, error) {
			return adapter.Document{}, errors.New("no")
		}, want: outcome{"INTERNAL_ERROR", "a\n"}},
		"dead before it was made": {edit: func(e *fakeEditor, _ string, _ int, _ []adapter.TextEdit, _ bool) (adapter.Document, error) {
			e.setState(adapter.State{})
			e.docs = nil
			return adapter.Document{}, adapter.ErrNotRunning
		}, want: outcome{file: "a\nx\n"}},
		"dead when it was saved": {edit: func(e *fakeEditor, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error) {
			_, _ = e.edit(path, version, edits, save)
			e.docs = nil
			return adapter.Document{}, adapter.ErrNotRunning
		}, want: outcome{file: "a\nx\n"}},
		"dead with what was not saved": {dirty: true, edit: func(e *fakeEditor, _ string, _ int, _ []adapter.TextEdit, _ bool) (adapter.Document, error) {
			e.docs = nil
			return adapter.Document{}, adapter.ErrNotRunning
		}, want: outcome{"IDE_NOT_RUNNING", "a\n"}},
		"said to be made": {edit: func(e *fakeEditor, path string, _ int, _ []adapter.TextEdit, _ bool) (adapter.Document, error) {
			return adapter.Document{Path: path, Text: "a\nx\n", Version: 2}, nil
		}, want: outcome{"INTERNAL_ERROR", "a\n"}},
		"made and not saved": {edit: func(e *fakeEditor, path string, version int, edits []adapter.TextEdit, _ bool) (adapter.Document, error) {
			doc, err := e.edit(path, version, edits, false)
			doc.SaveError = "the disk is full"
			return doc, err
		}, want: outcome{file: "a\n"}, says: "fake has not saved the file: the disk is full"},
		"another change than told": {dirty: true, edit: func(e *fakeEditor, path string, version int, edits []adapter.TextEdit, _ bool) (adapter.Document, error) {
			return e.edit(path, version, append(edits, adapter.TextEdit{NewText: "!", Range: span(1, 1, 1)}), false)
		}, want: outcome{"INTERNAL_ERROR", "a\n"}},
		"panics": {edit: func(*fakeEditor, string, int, []adapter.TextEdit, bool) (adapter.Document, error) { panic("boom") },
			want: outcome{"INTERNAL_ERROR", "a\n"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, screen, _ := openedProject(t, "a\n", "a\n", tt.dirty)
			screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool) {
				screen.onEdit = nil // once
				doc, err := tt.edit(screen, path, version, edits, save)
				return doc, err, true
			}
			got, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 2, Content: "x"})
			if codeOf(err) != tt.want.code {
				t.Errorf("%v, want %s", err, tt.want.code)
			}
			p.wantFile(t, "f", tt.want.file)
			if err == nil && (got.Saved != (tt.want.file == "a\nx\n") || !strings.Contains(got.TextContent(), tt.says)) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// The user types while the change is computed.
func TestInsertCode_ConcurrentTyping(t *testing.T) {
	p, screen, _ := openedProject(t, "a\n", "a\nb\n", true)
	times := 0
	screen.onEdit = func(_ context.Context, path string, version int, _ []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		if times++; times > 1 {
			return adapter.Document{}, nil, false
		}
		_, err := screen.edit(path, version, []adapter.TextEdit{{Range: span(1, 1, 1), NewText: "typed\n"}}, false)
		return adapter.Document{}, errors.Join(err, adapter.ErrStale), true
	}
	call(t, p.ReplaceCode, editor.ReplaceCodeArgs{Path: "f", Pattern: "b", Replacement: "c", Preview: new(false)})
	if d := screen.docs[p.path("f")]; d.Text != "typed\na\nc\n" || times != 2 {
		t.Errorf("%+v after %d times", d, times)
	}
	times = 0
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "x", ExpectedSHA256: sha256Of("typed\na\nc\n")})
	toolsettest.WantError(t, err, "STALE_FILE")
}

// An editor that does not respond costs its timeout. The file is not changed, because it may have unsaved text.
func TestInsertCode_EditorTimeout(t *testing.T) {
	screen := newFakeEditor()
	s := with(screen)
	s.options.ToolTimeout = time.Millisecond
	p := newProject(t, s, map[string]string{"f": "a\n"})
	screen.onDocument = func(string) (adapter.Document, bool, error, bool) {
		return adapter.Document{}, false, context.DeadlineExceeded, true
	}
	_, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 2, Content: "b"})
	toolsettest.WantError(t, err, "FILE_BUSY", "fake did not answer")
	p.wantFile(t, "f", "a\n")
}

// The project and the folders of an editor may be named by links.
func TestInsertCode_LinkedFolder(t *testing.T) {
	real, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("no links here")
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{link}, StateDir: t.TempDir(), Durability: security.Process})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for name, folder := range map[string]string{"as it was opened": link, "as it really is": real, "the one above": filepath.Dir(real), "with a slash": real + string(filepath.Separator)} {
		screen := newFakeEditor(folder)
		set, err := editor.New(t.Context(), tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{screen}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(real, "f"), []byte("a\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		screen.addDocument(filepath.Join(real, "f"), "a\n", false)
		got, err := set.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "f", Line: 1, Content: "b"})
		if err != nil || got.Editor != "fake" || got.Path != "f" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}
