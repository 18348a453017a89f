package editor_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestOpenFileInEditor(t *testing.T) {
	other, screen := newFakeEditor("/somewhere/else"), newFakeEditor()
	other.name = "other"
	p := newProject(t, with(other, screen), map[string]string{"a.go": "a\n", ".env": "A=1\n"})
	got := call(t, p.OpenFile, editor.OpenFileArgs{Path: "./a.go", Line: 3})
	if got != (editor.OpenFileResult{Success: true, Path: "a.go", Editor: "fake"}) || !slices.Equal(screen.opened, []string{p.path("a.go")}) || *screen.cursor != (adapter.Position{Line: 3, Column: 1}) {
		t.Errorf("%+v, opened %q at %v", got, screen.opened, screen.cursor)
	}
	if got := call(t, p.OpenFile, editor.OpenFileArgs{Path: "new.go"}); !got.IsNewFile || screen.cursor != nil {
		t.Errorf("%+v", got)
	}
	p.wantFile(t, "new.go", "")
	if s := toolsettest.Text(t, toolsettest.Call(t, p, "open_file_in_editor", `{"path":"newer.go"}`)); s != "[newer.go (made, it is empty) is open in fake]" {
		t.Errorf("the text is %q", s)
	}
	for _, path := range []string{".env", "../x", "missing/dir/x.go"} {
		if _, err := p.OpenFile(t.Context(), editor.OpenFileArgs{Path: path}); err == nil {
			t.Errorf("%s is open", path)
		}
	}
	screen.onOpen = func(string) error { return errors.New("no window") }
	_, err := p.OpenFile(t.Context(), editor.OpenFileArgs{Path: "other.go"})
	toolsettest.WantError(t, err, "INTERNAL_ERROR", "no window")
	p.wantAbsent(t, "other.go")
	screen.onOpen = func(string) error { return adapter.ErrNotRunning }
	_, err = p.OpenFile(t.Context(), editor.OpenFileArgs{Path: "a.go"})
	toolsettest.WantError(t, err, "IDE_NOT_RUNNING", "other does not have the folder of a.go open")
}

func TestGetActiveFile(t *testing.T) {
	screen := newFakeEditor()
	p := newProject(t, with(screen), map[string]string{"a.go": "a\n", ".env": "A=1\n"})
	selection := span(1, 2, 3)
	for name, tt := range map[string]struct {
		front  bool
		active adapter.Active
		note   string
	}{
		"no document":    {note: "no document is open"},
		"no file":        {front: true, note: "has no file yet"},
		"outside":        {front: true, active: adapter.Active{Path: "/etc/passwd"}, note: "not a file of the project"},
		"hidden":         {front: true, active: adapter.Active{Path: p.path(".env")}, note: "not a file of the project"},
		"relative":       {front: true, active: adapter.Active{Path: "a.go"}, note: "not a file of the project"},
		"of the project": {front: true, active: adapter.Active{Path: p.path("a.go"), Cursor: adapter.Position{Line: 1}, Selection: &selection, Dirty: true}},
	} {
		t.Run(name, func(t *testing.T) {
			screen.front, screen.active = tt.front, tt.active
			got := call(t, p.ActiveFile, editor.ActiveFileArgs{})
			if tt.note != "" {
				if got.Path != nil || got.CursorPosition != nil || got.IsDirty || !strings.Contains(got.Note, tt.note) || !strings.Contains(got.TextContent(), tt.note) {
					t.Errorf("%+v", got)
				}
				return
			}
			if *got.Path != "a.go" || *got.CursorPosition != (adapter.Position{Line: 1, Column: 1}) || *got.Selection != selection || !got.IsDirty || got.Editor != "fake" {
				t.Errorf("%+v", got)
			}
			if s := got.TextContent(); s != "[a.go in fake, cursor at 1:1, selected 1:2 to 1:3, not saved]" {
				t.Errorf("the text is %q", s)
			}
		})
	}
	screen.front = false
	if got := string(toolsettest.Call(t, p, "get_active_file", `{}`).Structured); !strings.HasPrefix(got, `{"path":null,"cursorPosition":null,"selection":null,"isDirty":false,`) {
		t.Errorf("get_active_file answers %s", got)
	}
}

// activeProject returns a project whose file is active in an editor.
func activeProject(t *testing.T, content string, dirty bool) (project, *fakeEditor) {
	t.Helper()
	screen := newFakeEditor()
	p := newProject(t, with(screen), map[string]string{"a.go": content})
	screen.addDocument(p.path("a.go"), content, dirty)
	screen.front, screen.active = true, adapter.Active{Path: p.path("a.go"), Version: 1, Cursor: adapter.Position{Line: 2, Column: 3}}
	return p, screen
}

func TestInsertText(t *testing.T) {
	p, screen := activeProject(t, "one\r\n😀x\r\n", false)
	got := call(t, p.InsertText, editor.InsertTextArgs{Text: "a\nb"})
	p.wantFile(t, "a.go", "one\r\n😀a\r\nbx\r\n")
	if got.NewCursorPosition != (adapter.Position{Line: 3, Column: 2}) || got.LinesAffected != 2 || !got.Success || !got.Saved || *screen.cursor != got.NewCursorPosition {
		t.Errorf("%+v", got)
	}
	if s := got.TextContent(); !strings.HasPrefix(s, "[a.go: edited 2 lines, cursor at 3:2, in fake, saved; sha256 "+got.SHA256[:12]+"]\n--- a.go\n") {
		t.Errorf("the text is %q", s)
	}
	// The cursor belongs to an outdated version.
	_, err := p.InsertText(t.Context(), editor.InsertTextArgs{Text: "x"})
	toolsettest.WantError(t, err, "STALE_FILE", "give a position")
	got = call(t, p.InsertText, editor.InsertTextArgs{Text: "x", Position: &adapter.Position{Line: 1, Column: 99}})
	p.wantFile(t, "a.go", "onex\r\n😀a\r\nbx\r\n")
	if got.NewCursorPosition != (adapter.Position{Line: 1, Column: 5}) {
		t.Errorf("%+v", got)
	}
	_, err = p.InsertText(t.Context(), editor.InsertTextArgs{Text: "x", Position: &adapter.Position{Line: 9, Column: 1}})
	toolsettest.WantError(t, err, "BAD_RANGE", "no line 9")
	_, err = p.InsertText(t.Context(), editor.InsertTextArgs{Text: "x", Position: &adapter.Position{Line: 1, Column: 1}, ExpectedSHA256: sha256Of("x")})
	toolsettest.WantError(t, err, "STALE_FILE")
}

func TestReplaceText(t *testing.T) {
	p, screen := activeProject(t, "one\ntwo\n", true)
	got := call(t, p.ReplaceText, editor.ReplaceTextArgs{Text: "", Range: adapter.Range{Start: adapter.Position{Line: 1, Column: 2}, End: adapter.Position{Line: 2, Column: 2}}})
	if d := screen.docs[p.path("a.go")]; d.Text != "owo\n" || got.Saved || got.LinesAffected != 1 || got.NewCursorPosition != (adapter.Position{Line: 1, Column: 2}) {
		t.Errorf("%+v, %+v", d, got)
	}
	p.wantFile(t, "a.go", "one\ntwo\n")
	screen.front = false
	_, err := p.ReplaceText(t.Context(), editor.ReplaceTextArgs{Text: "x", Range: span(1, 1, 1)})
	toolsettest.WantError(t, err, "FILE_NOT_FOUND", "open_file_in_editor")
	screen.front, screen.docs = true, nil
	_, err = p.ReplaceText(t.Context(), editor.ReplaceTextArgs{Text: "x", Range: span(1, 1, 1)})
	toolsettest.WantError(t, err, "IDE_NOT_RUNNING", "insert_code")
}

// Changes of one editor are serialized for all callers.
func TestInsertCode_ConcurrentInEditor(t *testing.T) {
	p, screen := activeProject(t, "", false)
	var mu sync.Mutex
	busy := false
	screen.onEdit = func(_ context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool) {
		mu.Lock()
		if busy {
			t.Error("two changes at once")
		}
		busy = true
		mu.Unlock()
		doc, err := screen.edit(path, version, edits, save)
		mu.Lock()
		busy = false
		mu.Unlock()
		return doc, err, true
	}
	const n = 20
	p.insertConcurrently(t, n)
	p.wantFile(t, "a.go", strings.Repeat("x\n", n))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.InsertCode(ctx, editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); codeOf(err) != "CANCELLED" {
		t.Errorf("%v", err)
	}
	p.wantFile(t, "a.go", strings.Repeat("x\n", n))
}

// insertConcurrently inserts a line into a.go n times in parallel.
func (p project) insertConcurrently(t *testing.T, n int) {
	t.Helper()
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			if _, err := p.InsertCode(t.Context(), editor.InsertCodeArgs{Path: "a.go", Line: 1, Content: "x"}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

// Concurrent changes of a file on the disk wait for each other.
func TestInsertCode_ConcurrentOnDisk(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.go": ""})
	const n = 20
	p.insertConcurrently(t, n)
	p.wantFile(t, "a.go", strings.Repeat("x\n", n))
}
