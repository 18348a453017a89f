package editor_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// cancelledRename is a project whose rename changes two files on the disk and two documents of an editor.
type cancelledRename struct {
	project
	screen *fakeEditor
	cancel context.CancelFunc
	calls  int // calls of the adapters so far
	edited int // number of the last call that changed a document
	at     int // number of the call that cancels the rename
}

func newCancelledRename(t *testing.T, late bool) (*cancelledRename, context.Context) {
	files := map[string]string{"a.go": "name\n", "b.go": "name, name\n", "c.go": "name()\n", "d.go": "name[]\n"}
	mind, screen := newFakeServer(), newFakeEditor()
	r := &cancelledRename{project: newProject(t, with(screen, mind), files), screen: screen}
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	r.cancel = cancel
	screen.addDocument(r.path("b.go"), files["b.go"], false)
	screen.addDocument(r.path("c.go"), files["c.go"], true)
	screen.onDocument = func(string) (adapter.Document, bool, error, bool) {
		r.call()
		return adapter.Document{}, false, nil, false
	}
	screen.onEdit = func(ctx context.Context, path string, version int, edits []adapter.TextEdit, save bool) (adapter.Document, error, bool) {
		r.call()
		r.edited = r.calls
		if !late || ctx.Err() == nil {
			return adapter.Document{}, nil, false
		}
		// The editor makes the change although the call has ended.
		_, err := screen.edit(path, version, edits, save)
		return adapter.Document{}, errors.Join(ctx.Err(), err), true
	}
	mind.rename = func(adapter.Document, adapter.Position, string) ([]adapter.FileEdit, error) {
		r.call()
		var all []adapter.FileEdit
		for _, name := range []string{"a.go", "b.go", "c.go", "d.go"} {
			all = append(all, adapter.FileEdit{Path: r.path(name), Edits: replaceAll(files[name], "name", "title")})
		}
		return all, nil
	}
	return r, ctx
}

// call counts a call of an adapter.
func (r *cancelledRename) call() {
	if r.calls++; r.calls == r.at {
		r.cancel()
	}
}

// state describes the files and documents.
func (r *cancelledRename) state(t *testing.T) string {
	text := ""
	for _, name := range []string{"a.go", "b.go", "c.go", "d.go"} {
		raw, err := os.ReadFile(r.path(name))
		if err != nil {
			t.Fatal(err)
		}
		text += fmt.Sprintf("%s %q\n", name, raw)
	}
	for _, name := range []string{"b.go", "c.go"} {
		d := r.screen.docs[r.path(name)]
		text += fmt.Sprintf("open %s %q dirty %v\n", name, d.Text, d.Dirty)
	}
	return text
}

// A rename that is cancelled before its last step changes no file, and leaves no lock and no other file.
func TestRename_CancelledAtEveryStep(t *testing.T) {
	args := editor.RenameArgs{Target: editor.Target{Path: "c.go", Line: 1, Column: 1}, NewName: "title", DryRun: new(false)}
	for _, late := range []bool{false, true} {
		whole, ctx := newCancelledRename(t, late)
		before := whole.state(t)
		if _, err := whole.Rename(ctx, args); err != nil {
			t.Fatal(err)
		}
		after := whole.state(t)
		for at := 1; at <= whole.calls; at++ {
			r, ctx := newCancelledRename(t, late)
			r.at = at
			_, err := r.Rename(ctx, args)
			want := after
			if err != nil {
				want = before
				toolsettest.WantError(t, err, "CANCELLED")
			}
			if got := r.state(t); got != want {
				t.Errorf("cancelled at call %d of %d (late %v): %v\ngot\n%swant\n%s", at, whole.calls, late, err, got, want)
			}
			entries, _ := filepath.Glob(filepath.Join(r.dir, "*"))
			if hidden, _ := filepath.Glob(filepath.Join(r.dir, ".*")); len(entries) != 4 || len(hidden) > 0 {
				t.Errorf("cancelled at call %d: left %q %q", at, entries, hidden)
			}
			if err == nil {
				if at <= whole.edited { // a file on the disk is changed after the documents
					t.Errorf("the end of the call at call %d of %d did not cancel the rename", at, whole.calls)
				}
				continue
			}
			if _, err := r.Rename(t.Context(), args); err != nil || r.state(t) != after {
				t.Errorf("after the cancellation at call %d: %v", at, err)
			}
		}
	}
}
