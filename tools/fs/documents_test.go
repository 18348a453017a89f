package fs_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/internal/unsavedtest"
)

func TestRead_UnsavedText(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "\x93\xfa disk\n", "b.txt": "disk\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.txt", "日 typed\n")
	ctx := tools.WithPeer(t.Context(), "one")
	got, err := p.Read(ctx, fs.ReadArgs{Path: "a.txt", Encoding: "shift-jis"})
	if err != nil || got.Content != "日 typed\n" || got.Unsaved != unsavedtest.Name || got.Encoding != "utf-8" || got.Size != 10 {
		t.Errorf("%+v, %v", got, err)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[a.txt: 1 line, 10 bytes, unsaved in pager, utf-8,") {
		t.Errorf("the text is %q", text)
	}
	if many, err := p.ReadMany(ctx, fs.ReadArgs{Paths: []string{"a.txt", "b.txt"}}); err != nil || many.Files[0].Unsaved != unsavedtest.Name || many.Files[1].Unsaved != "" {
		t.Errorf("%+v, %v", many, err)
	}
	info, err := p.Info(ctx, fs.InfoArgs{Path: "a.txt"})
	if err != nil || info.Size != 10 || info.Unsaved != unsavedtest.Name || info.SHA256 != got.SHA256 || !strings.Contains(info.TextContent(), "10 bytes, unsaved in pager") {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := p.Write(ctx, fs.WriteArgs{Path: "a.txt", Content: "new\n"}); err != nil || editor.Text("a.txt") != "new\n" {
		t.Errorf("a write with the text that was read: %q, %v", editor.Text("a.txt"), err)
	}
	editor.Type("a.txt", "typed again\n")
	_, err = p.Write(ctx, fs.WriteArgs{Path: "a.txt", Content: "newer\n"})
	toolsettest.WantError(t, err, "STALE_FILE")
}

func TestWrite_UnsavedText(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "disk\n", "dir/b.txt": "disk\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.txt", "one\ntwo\n")
	editor.Type("dir/b.txt", "typed\n")
	edited, err := p.Edit(t.Context(), fs.EditArgs{Path: "a.txt", Edits: []fs.TextEdit{{OldText: "two", NewText: "2"}}})
	if err != nil || editor.Text("a.txt") != "one\n2\n" || !edited.Unsaved || !strings.Contains(edited.TextContent(), "made 1 edit at line 2, in pager, not saved; now 6 bytes") {
		t.Errorf("%+v, %v", edited, err)
	}
	written, err := p.Write(t.Context(), fs.WriteArgs{Path: "a.txt", Content: "three\n", Mode: "append"})
	if err != nil || editor.Text("a.txt") != "one\n2\nthree\n" || !written.Unsaved || !strings.Contains(written.TextContent(), "in pager, not saved; now 12 bytes") {
		t.Errorf("%+v, %v", written, err)
	}
	if got := p.bytes(t, "a.txt"); got != "disk\n" {
		t.Errorf("the disk has %q", got)
	}
	_, err = p.Delete(t.Context(), fs.DeleteArgs{Path: "a.txt"})
	toolsettest.WantError(t, err, "FILE_BUSY", "unsaved text in pager")
	_, err = p.Move(t.Context(), fs.MoveArgs{Source: "dir", Destination: "other"})
	toolsettest.WantError(t, err, "FILE_BUSY", "dir/b.txt")
}

func TestSearchContent_UnsavedText(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "needle on the disk\n", "b.txt": "nothing\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Type("a.txt", "typed\n")
	editor.Type("b.txt", "one\nneedle typed\n")
	for _, path := range []string{"", "b.txt"} {
		got, err := p.SearchContent(t.Context(), fs.SearchContentArgs{Path: path, Pattern: "needle"})
		if err != nil || got.TotalMatches != 1 || got.Files[0].Path != "b.txt" || got.Files[0].Unsaved != unsavedtest.Name || got.Files[0].Lines[0].Line != 2 {
			t.Errorf("in %q: %+v, %v", path, got, err)
		}
		if text := got.TextContent(); !strings.Contains(text, "b.txt [unsaved in pager]\n") {
			t.Errorf("the text is %q", text)
		}
	}
}

func TestRead_EditorDoesNotAnswer(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "needle\n"})
	editor := unsavedtest.Attach(t, p.root)
	editor.Fail(errors.New("pager does not answer"))
	for tool, args := range map[string]string{"read_file": `{"path":"a.txt"}`, "search_content": `{"pattern":"needle"}`, "list_directory": `{}`} {
		blocks := toolsettest.Call(t, p.Files, tool, args).Blocks()
		last, _ := blocks[len(blocks)-1].(mcp.TextContent)
		if !strings.Contains(last.Text, "this answer may lack unsaved text: pager does not answer") {
			t.Errorf("%s: %q", tool, last.Text)
		}
	}
	_, err := p.Write(t.Context(), fs.WriteArgs{Path: "a.txt", Content: "new\n"})
	toolsettest.WantError(t, err, "FILE_BUSY", "pager does not answer")
	if got := p.bytes(t, "a.txt"); got != "needle\n" {
		t.Errorf("the disk has %q", got)
	}
}
