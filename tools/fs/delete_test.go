package fs_test

import (
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

var free = setup{options: fs.Options{AllowDestructive: true}}

// exists reports whether there is an entry, a link itself.
func (p project) exists(name string) bool {
	_, err := os.Lstat(p.path(name))
	return err == nil
}

func TestDelete(t *testing.T) {
	for _, tt := range []struct {
		args    fs.DeleteArgs
		kind    string
		entries int
		says    string
	}{
		{fs.DeleteArgs{Path: "file"}, "file", 0, "deleted the file]"},
		{fs.DeleteArgs{Path: "file", ExpectedSHA256: digest("content")}, "file", 0, "deleted the file]"},
		{fs.DeleteArgs{Path: "link"}, "symlink", 0, "deleted the link]"},
		{fs.DeleteArgs{Path: "empty"}, "directory", 0, "deleted the empty directory]"},
		{fs.DeleteArgs{Path: "dir", Recursive: true}, "directory", 3, "deleted the directory with 3 entries]"},
	} {
		p := newProject(t, free, map[string]string{"file": "content", "link": "-> file", "empty/": "", "dir/a": "a", "dir/sub/b": "b"})
		got, err := p.Delete(t.Context(), tt.args)
		if err != nil || got.Path != tt.args.Path || got.Type != tt.kind || got.Entries != tt.entries || p.exists(tt.args.Path) {
			t.Errorf("%+v: %+v, %v", tt.args, got, err)
			continue
		}
		if text := got.TextContent(); !strings.Contains(text, tt.says) || !strings.Contains(text, "move "+got.TrashPath+" to "+tt.args.Path) {
			t.Errorf("%+v: says %q", tt.args, text)
		}
		if _, err := p.Move(t.Context(), fs.MoveArgs{Source: got.TrashPath, Destination: got.Path}); err != nil || !p.exists(tt.args.Path) {
			t.Errorf("%+v: restoring: %v", tt.args, err)
		}
	}
}

func TestDelete_Refusals(t *testing.T) {
	p := newProject(t, free, map[string]string{"file": "content", "dir/a": "a", ".env": "SECRET=1", "repo/.git/HEAD": "ref", "keys/id.pem": "key"})
	for _, tt := range []struct {
		args fs.DeleteArgs
		code string
		says string
	}{
		{fs.DeleteArgs{Path: "fil"}, "FILE_NOT_FOUND", "Did you mean file?"},
		{fs.DeleteArgs{Path: "dir"}, "IS_A_DIRECTORY", "recursive=true"},
		{fs.DeleteArgs{Path: "file", ExpectedSHA256: tag("other")}, "STALE_FILE", tag("content")},
		{fs.DeleteArgs{Path: "file", ExpectedSHA256: "x"}, "INVALID_PARAMS", "sha256"},
		{fs.DeleteArgs{Path: ".", Recursive: true}, "INVALID_PARAMS", "project directory"},
		{fs.DeleteArgs{Path: ".env"}, "PERMISSION_DENIED", ""},
		{fs.DeleteArgs{Path: "repo", Recursive: true}, "PERMISSION_DENIED", `".git"`},
		{fs.DeleteArgs{Path: "keys", Recursive: true}, "PERMISSION_DENIED", "hidden"},
		{fs.DeleteArgs{Path: "../x"}, "PERMISSION_DENIED", ""},
	} {
		_, err := p.Delete(t.Context(), tt.args)
		toolsettest.WantError(t, err, tt.code, tt.says)
	}
	for _, name := range []string{"file", "dir/a", ".env", "repo/.git/HEAD", "keys/id.pem"} {
		if !p.exists(name) {
			t.Errorf("%s is gone", name)
		}
	}
}

// user is a client whose user answers every question alike.
func (p project) user(t *testing.T, rev protocol.Revision, answer mcp.Action) (client *mcp.Client, asked *[]string) {
	t.Helper()
	asked = new([]string)
	o := &mcp.ClientOptions{Revision: rev}
	if answer != "" {
		o.Elicit = func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			*asked = append(*asked, form.Message)
			return mcp.Answer[json.RawMessage]{Action: answer}, nil
		}
	}
	return mcptest.Connect(t, mcptest.Server(t, p.Features()), o), asked
}

// TestDelete_RecoverableWithoutQuestion deletes and overwrites through a client whose user cannot be asked.
func TestDelete_RecoverableWithoutQuestion(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "content", "old": "old", "dir/a": "a"})
	client, _ := p.user(t, protocol.Latest, "")
	deleted, err := mcp.Call[fs.DeleteResult](t.Context(), client, "delete_file", map[string]any{"path": "dir", "recursive": true})
	if err != nil || p.exists("dir") || !p.exists(deleted.TrashPath+"/a") {
		t.Errorf("deleting: %+v, %v", deleted, err)
	}
	moved, err := mcp.Call[fs.MoveResult](t.Context(), client, "move_file", map[string]any{"source": "file", "destination": "old", "overwrite": true})
	if err != nil || p.bytes(t, "old") != "content" || p.bytes(t, moved.ReplacedPath) != "old" {
		t.Errorf("overwriting: %+v, %v", moved, err)
	}
}

// TestDelete_PermanentNeedsConsent deletes for good through clients of both eras, whose users agree, decline, or cannot be asked.
func TestDelete_PermanentNeedsConsent(t *testing.T) {
	for _, rev := range []protocol.Revision{protocol.Latest, protocol.Rev20251125} {
		for answer, code := range map[mcp.Action]string{mcp.Accept: "", mcp.Decline: "DECLINED", mcp.Cancel: "DECLINED", "": "DESTRUCTIVE_NOT_ALLOWED"} {
			p := newProject(t, setup{}, map[string]string{"dir/a": "a"})
			client, asked := p.user(t, rev, answer)
			done, err := mcp.Call[fs.DeleteResult](t.Context(), client, "delete_file", map[string]any{"path": "dir", "recursive": true, "permanent": true})
			if got := string(security.CodeOf(err)); got != code || p.exists("dir/a") != (code != "") || done.TrashPath != "" {
				t.Errorf("%s %s: %+v, %v", rev, answer, done, err)
			}
			want := `Delete the directory with 1 entry "dir" for good? It does not go to the trash and cannot be restored.`
			if answer == "" {
				want = ""
			}
			if got := strings.Join(*asked, "\n"); got != want {
				t.Errorf("%s %s: the user was asked %q", rev, answer, got)
			}
			if answer == "" && (!strings.Contains(err.Error(), "security.allowDestructiveOperations") || !strings.Contains(err.Error(), "leave out permanent")) {
				t.Errorf("%s: the error names no next step: %v", rev, err)
			}
			if entries, _ := os.ReadDir(p.path(security.TrashDir)); code == "" && slices.ContainsFunc(entries, os.DirEntry.IsDir) {
				t.Errorf("%s: the trash holds %v", rev, entries)
			}
		}
	}
}

// A deletion that is refused in any case asks no question.
func TestDelete_PermanentRefusedUnasked(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "content", "dir/a": "a", ".env": "SECRET=1"})
	client, asked := p.user(t, protocol.Latest, mcp.Accept)
	for _, args := range []map[string]any{{"path": "none"}, {"path": "dir"}, {"path": ".env"}, {"path": "file", "expectedSha256": digest("other")}} {
		args["permanent"] = true
		if result, err := client.CallTool(t.Context(), "delete_file", args, nil); err != nil || !result.IsError {
			t.Errorf("%v: %+v, %v", args, result, err)
		}
	}
	if len(*asked) > 0 || !p.exists("file") || !p.exists("dir/a") {
		t.Errorf("asked %q", *asked)
	}
}

// TestDelete_ConsentReplay calls as a client of the newest revision does, once for the question and once for the answer.
func TestDelete_ConsentReplay(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "a"})
	srv := mcptest.Server(t, p.Features())
	result := mcptest.CheckReplay(t, srv, "delete_file", map[string]any{"path": "a", "permanent": true}, mcptest.Answers{"delete": mcp.Accept})
	if result.IsError || p.exists("a") {
		t.Errorf("%+v", result)
	}
}

// TestDelete_PermanentWithoutClient: without a client there is no user to ask, and the option decides.
func TestDelete_PermanentWithoutClient(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "x"})
	_, err := p.Delete(t.Context(), fs.DeleteArgs{Path: "file", Permanent: true})
	toolsettest.WantError(t, err, "DESTRUCTIVE_NOT_ALLOWED", "allowDestructiveOperations")
	p = newProject(t, free, map[string]string{"file": "x"})
	done, err := p.Delete(t.Context(), fs.DeleteArgs{Path: "file", Permanent: true})
	if err != nil || p.exists("file") || done.TrashPath != "" || done.TextContent() != "[file: removed the file for good]" {
		t.Errorf("%+v, %v", done, err)
	}
}
