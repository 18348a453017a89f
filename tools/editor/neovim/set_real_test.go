//go:build unix

package neovim_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// The tools of package editor work on Neovim's buffers.
func TestEditor_Tools(t *testing.T) {
	w := speller(t, "utf-8")
	w.write("other.txt", otherText)
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{w.dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	set, err := editor.New(w.ctx, tools.Env{Root: root}, editor.Options{Adapters: []adapter.Adapter{w.Neovim}})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(context.Background())

	if opened, err := set.OpenFile(w.ctx, editor.OpenFileArgs{Path: "text.txt", Line: 3, Column: 1}); err != nil || opened.Editor != "neovim" {
		t.Fatalf("%+v, %v", opened, err)
	}
	if typed, err := set.InsertText(w.ctx, editor.InsertTextArgs{Text: "😀\n"}); err != nil || typed.NewCursorPosition != at(4, 1) {
		t.Fatalf("%+v, %v", typed, err)
	}
	if want := "😀 wrng a \n\tthing\n😀\nwrng 😀\n"; w.disk("text.txt") != want {
		t.Errorf("it is not saved: %q", w.disk("text.txt"))
	}
	w.isActive("text.txt 4:1")
	renamed, err := set.Rename(w.ctx, editor.RenameArgs{Target: editor.Target{Path: "text.txt", Line: 1, Column: 5}, NewName: "wrong", DryRun: new(bool)})
	if err != nil {
		t.Fatalf("%+v, %v", renamed, err)
	}
	if want := "😀 wrong a \n\tthing\n😀\nwrong 😀\n"; w.disk("text.txt") != want || w.opened("text.txt").Text != want || w.opened("text.txt").Dirty {
		t.Errorf("%q, %+v", w.disk("text.txt"), w.opened("text.txt"))
	}
	if got := w.disk("other.txt"); got != "😀 wrong thing\n" {
		t.Errorf("%q", got)
	}
	w.vim("normal! Adirty")
	if edited, err := set.InsertText(w.ctx, editor.InsertTextArgs{Text: "# ", Position: &adapter.Position{Line: 1, Column: 1}}); err != nil || !w.opened("text.txt").Dirty {
		t.Errorf("what the user has not saved is not saved: %+v, %v", edited, err)
	}
}
