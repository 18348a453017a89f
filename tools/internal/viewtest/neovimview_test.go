//go:build unix

package viewtest

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor"
	"github.com/dougu-go/dougu/tools/fs"
)

// The defects of two views, in a real Neovim: an edit by line after a read, an edit that is visible to all tools, a write beneath
// unsaved text, and diagnostics of unsaved text. A second server on the same project and the same Neovim sees the same.
func TestTools_UnsavedTextInNeovim(t *testing.T) {
	dir, user, a := startNeovim(t)
	w := newWorld(t, dir, user, a)
	second := newWorld(t, dir, user, connectNeovim(t, user.conn.RemoteAddr().String(), dir))
	ctx := tools.WithPeer(t.Context(), "peer")
	path := w.path("a.go")
	w.outside("a.go", "package p\n")
	user.write(t, path, "package p\n\nvar typed = 1\n")

	read, err := w.files.Read(ctx, fs.ReadArgs{Path: "a.go"})
	if err != nil || read.Content != "package p\n\nvar typed = 1\n" || read.Unsaved != "neovim" {
		t.Fatalf("%+v, %v", read, err)
	}
	if _, err := w.code.InsertCode(ctx, editor.InsertCodeArgs{Path: "a.go", Line: 4, Content: "var inserted = 2\n", ExpectedSHA256: read.SHA256}); err != nil {
		t.Fatalf("an edit after a read: %v", err)
	}
	const want = "package p\n\nvar typed = 1\nvar inserted = 2\n"
	for name, one := range map[string]*world{"this server": w, "another server": second} {
		if got, err := one.files.Read(ctx, fs.ReadArgs{Path: "a.go"}); err != nil || got.Content != want {
			t.Errorf("%s reads %+v, %v", name, got, err)
		}
		if got, err := one.files.SearchContent(ctx, fs.SearchContentArgs{Pattern: "inserted"}); err != nil || got.TotalMatches != 1 || got.Files[0].Unsaved != "neovim" {
			t.Errorf("%s finds %+v, %v", name, got, err)
		}
	}
	if got, err := second.files.Write(ctx, fs.WriteArgs{Path: "a.go", Content: "package q\n"}); err != nil || !got.Unsaved {
		t.Errorf("a write by the second server: %+v, %v", got, err)
	}
	if text, _, dirty := user.look(t, path); text != "package q\n" || !dirty {
		t.Errorf("Neovim has %q, dirty %v", text, dirty)
	}
	user.undo(t, path)
	if got, err := w.files.Read(ctx, fs.ReadArgs{Path: "a.go"}); err != nil || got.Content != want {
		t.Errorf("after an undo: %+v, %v", got, err)
	}
	if _, err := w.files.Delete(ctx, fs.DeleteArgs{Path: "a.go"}); security.CodeOf(err) != security.FileBusy || !strings.Contains(err.Error(), "neovim") {
		t.Errorf("deleting it: %v", err)
	}
	user.write(t, w.path("new.txt"), "never saved\n")
	if got, err := w.files.Read(ctx, fs.ReadArgs{Path: "new.txt"}); err != nil || got.Content != "never saved\n" || !got.NotOnDisk || !strings.Contains(got.TextContent(), "unsaved in neovim, not on the disk yet") {
		t.Errorf("a document that was never saved: %+v, %v", got, err)
	}
	if _, err := w.files.Write(ctx, fs.WriteArgs{Path: "new.txt", Content: "other"}); security.CodeOf(err) != security.FileBusy {
		t.Errorf("writing it: %v", err)
	}
	user.write(t, w.path("d.json"), "{")
	if got, err := second.code.Diagnostics(ctx, editor.DiagnosticsArgs{Path: "d.json"}); err != nil || *got.Errors == 0 {
		t.Errorf("diagnostics of unsaved text: %+v, %v", got, err)
	}
}
