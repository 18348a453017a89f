package editor_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// apply applies edits of an adapter through the tools.
func (p project) apply(t testing.TB, mind *fakeServer, edits ...adapter.FileEdit) error {
	t.Helper()
	mind.fixes = func(adapter.Document, adapter.Diagnostic) ([]adapter.Fix, error) {
		return []adapter.Fix{{Title: "fix", Edits: edits}}, nil
	}
	d := editor.Diagnostic{File: "a", Range: span(1, 1, 1), Severity: "error", Message: "m"}
	found, err := p.QuickFixes(t.Context(), editor.QuickFixesArgs{Diagnostic: editor.DiagnosticRef{Diagnostic: &d}})
	if err != nil {
		return err
	}
	if len(found.Fixes) == 0 {
		return errors.New(found.Notes[0])
	}
	_, err = p.ApplyQuickFix(t.Context(), editor.ApplyQuickFixArgs{FixID: found.Fixes[0].FixID})
	return err
}

func edit(path, text string) adapter.FileEdit {
	return adapter.FileEdit{Path: path, Edits: []adapter.TextEdit{{Range: span(1, 1, 1), NewText: text}}}
}

// A change of several files is written completely or not at all.
func TestTransaction_Undo(t *testing.T) {
	mind, screen := newFakeServer(), newFakeEditor()
	p := newProject(t, with(screen, mind), map[string]string{"a": "a\r\n", "b": "b\n", "c": "c\n", "d": "d\n", "e": "e\n"})
	screen.addDocument(p.path("a"), "a\r\nunsaved\r\n", true)
	screen.addDocument(p.path("b"), "b\n", false)
	screen.addDocument(p.path("e"), "e\n", false)
	screen.onEdit = func(_ context.Context, path string, _ int, _ []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		return adapter.Document{}, errors.New("disk full"), path == p.path("e")
	}
	err := p.apply(t, mind, edit(p.path("a"), "x"), adapter.FileEdit{Op: adapter.CreateFile, Path: p.path("new/f")}, edit(p.path("b"), "x"), edit(p.path("c"), "x"),
		adapter.FileEdit{Op: adapter.RenameFile, Path: p.path("d"), NewPath: p.path("moved")}, edit(p.path("e"), "x"))
	toolsettest.WantError(t, err, "INTERNAL_ERROR", "disk full")
	for name, want := range map[string]string{"a": "a\r\n", "b": "b\n", "c": "c\n", "d": "d\n", "e": "e\n"} {
		p.wantFile(t, name, want)
	}
	p.wantAbsent(t, "new/f")
	p.wantAbsent(t, "moved")
	if a, b := screen.docs[p.path("a")], screen.docs[p.path("b")]; b.Text != "b\n" || a.Text != "a\r\nunsaved\r\n" || a.Version != 3 || !a.Dirty || b.Dirty {
		t.Errorf("%+v, %+v", a, b)
	}
}

// Edits refer to the content that the adapter has read.
func TestTransaction_StaleEdits(t *testing.T) {
	mind, screen := newFakeServer(), newFakeEditor()
	p := newProject(t, with(screen, mind), map[string]string{"a": "a\n", "b": "b\n"})
	screen.addDocument(p.path("b"), "b\nunsaved\n", true)
	if err := p.apply(t, mind, edit(p.path("a"), "x"), edit(p.path("b"), "x")); err == nil || !strings.Contains(err.Error(), "that brain does not know") {
		t.Errorf("a language server does not know what is not saved: %v", err)
	}
	screen.addDocument(p.path("b"), "b\n", false)
	old := edit(p.path("b"), "x")
	old.Version = 7
	if err := p.apply(t, mind, old); err == nil || !strings.Contains(err.Error(), "has changed in fake meanwhile") {
		t.Errorf("another version: %v", err)
	}
	mind.name = "fake" // the same adapter as editor and server
	screen.addDocument(p.path("b"), "old\n", false)
	if err := p.apply(t, mind, edit(p.path("b"), "x")); err == nil || !strings.Contains(err.Error(), "has another content") {
		t.Errorf("an editor that has not noticed: %v", err)
	}
	p.wantFile(t, "a", "a\n")
	p.wantFile(t, "b", "b\n")
}

// Moved and removed files are restored, too.
func TestTransaction_UndoMoves(t *testing.T) {
	mind, screen := newFakeServer(), newFakeEditor()
	files := map[string]string{"a": "a\n", "b": "b\n", "c": "c\n", "d": "d\n"}
	p := newProject(t, with(screen, mind), files)
	screen.addDocument(p.path("a"), "a\n", false)
	screen.onEdit = func(_ context.Context, _ string, _ int, _ []adapter.TextEdit, _ bool) (adapter.Document, error, bool) {
		screen.onEdit = nil
		p.put(t, "taken", "foreign\n")
		return adapter.Document{}, nil, false
	}
	err := p.apply(t, mind, edit(p.path("a"), "x"), adapter.FileEdit{Op: adapter.RenameFile, Path: p.path("b"), NewPath: p.path("moved")}, edit(p.path("moved"), "x"),
		adapter.FileEdit{Op: adapter.DeleteFile, Path: p.path("c")}, adapter.FileEdit{Op: adapter.RenameFile, Path: p.path("d"), NewPath: p.path("taken")})
	toolsettest.WantError(t, err, "STALE_FIX")
	for name, want := range files {
		p.wantFile(t, name, want)
	}
	p.wantAbsent(t, "moved")
	p.wantFile(t, "taken", "foreign\n")
}

// A failed undo is reported.
func TestTransaction_UndoFails(t *testing.T) {
	mind, screen := newFakeServer(), newFakeEditor()
	p := newProject(t, with(screen, mind), map[string]string{"a": "a\n", "b": "b\n"})
	screen.addDocument(p.path("b"), "b\n", false)
	screen.onEdit = func(context.Context, string, int, []adapter.TextEdit, bool) (adapter.Document, error, bool) {
		p.put(t, "a", "foreign\n")
		return adapter.Document{}, errors.New("no"), true
	}
	err := p.apply(t, mind, edit(p.path("a"), "x"), edit(p.path("b"), "x"))
	toolsettest.WantError(t, err, "INTERNAL_ERROR", "could not all be undone: a: ", "Look at these files")
	p.wantFile(t, "a", "foreign\n")
	p.wantFile(t, "b", "b\n")
}

// Invalid changes of an adapter are refused without effect.
func TestTransaction_Refused(t *testing.T) {
	files := map[string]string{"a": "a\n", "b": "b\n", ".env": "A=1\n", ".vscode/tasks.json": "{}\n", "bin": "\x00\x01\x02", "dir/f": "f\n"}
	for name, edits := range map[string]func(p project) []adapter.FileEdit{
		"outside":              func(project) []adapter.FileEdit { return []adapter.FileEdit{edit("/etc/hosts", "x")} },
		"relative":             func(project) []adapter.FileEdit { return []adapter.FileEdit{edit("b", "x")} },
		"climbing":             func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.dir+"/../x", "x")} },
		"hidden":               func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.path(".env"), "x")} },
		"protected":            func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.path(".vscode/tasks.json"), "x")} },
		"binary":               func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.path("bin"), "x")} },
		"a directory":          func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.path("dir"), "x")} },
		"missing":              func(p project) []adapter.FileEdit { return []adapter.FileEdit{edit(p.path("none"), "x")} },
		"an unknown operation": func(p project) []adapter.FileEdit { return []adapter.FileEdit{{Op: 9, Path: p.path("b")}} },
		"made twice": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.CreateFile, Path: p.path("n")}, {Op: adapter.CreateFile, Path: p.path("n")}}
		},
		"made where one is": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.CreateFile, Path: p.path("b")}}
		},
		"made outside": func(project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.CreateFile, Path: filepath.Join(os.TempDir(), "dougu-must-not-be")}}
		},
		"made protected": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.CreateFile, Path: p.path(".vscode/launch.json")}}
		},
		"moved over another": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.RenameFile, Path: p.path("a"), NewPath: p.path("b")}}
		},
		"moved out": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.RenameFile, Path: p.path("a"), NewPath: filepath.Join(filepath.Dir(p.dir), "out")}}
		},
		"moved into protection": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.RenameFile, Path: p.path("a"), NewPath: p.path(".vscode/x.json")}}
		},
		"a directory moved": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.RenameFile, Path: p.path("dir"), NewPath: p.path("dir2")}}
		},
		"changed after it was removed": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.DeleteFile, Path: p.path("b")}, edit(p.path("b"), "x")}
		},
		"removed after it was changed": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{edit(p.path("b"), "x"), {Op: adapter.DeleteFile, Path: p.path("b")}}
		},
		"used after it was moved": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{{Op: adapter.RenameFile, Path: p.path("b"), NewPath: p.path("n")}, edit(p.path("b"), "x")}
		},
		"a good one and a bad one": func(p project) []adapter.FileEdit {
			return []adapter.FileEdit{edit(p.path("b"), "x"), edit("/etc/hosts", "x")}
		},
	} {
		t.Run(name, func(t *testing.T) {
			mind := newFakeServer()
			p := newProject(t, with(mind), files)
			if err := p.apply(t, mind, edits(p)...); err == nil {
				t.Error("it was made")
			}
			for name, want := range files {
				p.wantFile(t, name, want)
			}
			p.wantAbsent(t, "n")
		})
	}
}

func TestTransaction_RemoveAndMove(t *testing.T) {
	mind := newFakeServer()
	p := newProject(t, with(mind), map[string]string{"a": "a\n", "b": "b\n", "c": "c\n"})
	err := p.apply(t, mind, edit(p.path("a"), "1"), edit(p.path("a"), "2"), adapter.FileEdit{Op: adapter.RenameFile, Path: p.path("a"), NewPath: p.path("z")},
		edit(p.path("z"), "3"), adapter.FileEdit{Op: adapter.DeleteFile, Path: p.path("b")})
	if err != nil {
		t.Fatal(err)
	}
	p.wantFile(t, "z", "321a\n")
	p.wantAbsent(t, "a")
	p.wantAbsent(t, "b")
	trash, err := filepath.Glob(p.path(security.TrashDir + "/*/b"))
	if err != nil || len(trash) != 1 {
		t.Errorf("in the trash are %q, %v", trash, err)
	}
	if told := strings.Join(mind.changed, " "); told != strings.Join([]string{p.path("a"), p.path("z"), p.path("b")}, " ") {
		t.Errorf("told of %s", told)
	}
}

// Random edits of an adapter never change protected files or files outside of the project, and are applied completely or not at
// all.
func TestTransaction_RandomEdits(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	made := 0
	for range 200 {
		mind := newFakeServer()
		top := t.TempDir()
		outside := filepath.Join(top, "outside")
		files := map[string]string{"a": "one\ntwo\n", "b": "日本\r\n", "dir/c": "", ".env": "A=1\n", ".vscode/tasks.json": "{}\n"}
		p := newProject(t, with(mind), files)
		if err := os.WriteFile(outside, []byte("secret"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(outside, p.path("link")); err != nil {
			t.Skip("no links here")
		}
		paths := []string{p.path("a"), p.path("b"), p.path("dir/c"), p.path("new"), p.path("dir/new")}
		bad := []string{p.path(".env"), p.path(".vscode/tasks.json"), p.path("link"), outside, p.path("../outside"), "a", "", p.path("dir"), p.path("a/b"), p.path("a\x00b"), "/"}
		pick := func() string {
			if random.IntN(8) == 0 {
				return bad[random.IntN(len(bad))]
			}
			return paths[random.IntN(len(paths))]
		}
		position := func() adapter.Position {
			if random.IntN(10) == 0 {
				return adapter.Position{Line: random.IntN(9) - 3, Column: random.IntN(9) - 3}
			}
			return adapter.Position{Line: 1 + random.IntN(2), Column: 1 + random.IntN(5)}
		}
		var edits []adapter.FileEdit
		for range 1 + random.IntN(4) {
			e := adapter.FileEdit{Op: adapter.FileOp(random.IntN(5) % 4), Path: pick(), NewPath: pick(), Version: random.IntN(2)}
			for range random.IntN(3) {
				start := position()
				end := position()
				if end.Before(start) && random.IntN(10) > 0 {
					start, end = end, start
				}
				e.Edits = append(e.Edits, adapter.TextEdit{Range: adapter.Range{Start: start, End: end}, NewText: []string{"", "x", "\n", "日", "\xff", "😀\r\n"}[random.IntN(6)]})
			}
			edits = append(edits, e)
		}
		before := p.tree(t)
		err := p.apply(t, mind, edits...)
		if err == nil {
			made++
		} else if after := p.tree(t); after != before {
			t.Fatalf("%+v failed with %v and left\n%s\ninstead of\n%s", edits, err, after, before)
		}
		p.wantFile(t, ".env", files[".env"])
		p.wantFile(t, ".vscode/tasks.json", files[".vscode/tasks.json"])
		if got, err := os.ReadFile(outside); err != nil || string(got) != "secret" {
			t.Fatalf("outside is %q, %v", got, err)
		}
	}
	if made < 20 || made > 180 {
		t.Errorf("%d of 200 changes were made", made)
	}
}

// tree returns the content of all files of a project, without the Root's own files.
func (p project) tree(t testing.TB) string {
	t.Helper()
	var b strings.Builder
	err := filepath.WalkDir(p.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Name() == security.TrashDir {
			return errors.Join(err, skip(entry))
		}
		content := ""
		if entry.Type().IsRegular() {
			raw, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			content = string(raw)
		}
		fmt.Fprintf(&b, "%s %v %q\n", path, entry.Type(), content)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func skip(entry fs.DirEntry) error {
	if entry != nil && entry.IsDir() {
		return fs.SkipDir
	}
	return nil
}
