package fs_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/settest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
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

func TestDeleteRefuses(t *testing.T) {
	p := newProject(t, free, map[string]string{"file": "content", "dir/a": "a", ".env": "SECRET=1", "repo/.git/HEAD": "ref", "keys/id.pem": "key"})
	for _, tt := range []struct {
		args fs.DeleteArgs
		code string
		says string
	}{
		{fs.DeleteArgs{Path: "fil"}, "FILE_NOT_FOUND", "Did you mean file?"},
		{fs.DeleteArgs{Path: "dir"}, "IS_A_DIRECTORY", "recursive=true"},
		{fs.DeleteArgs{Path: "file", ExpectedSHA256: digest("other")}, "STALE_FILE", digest("content")},
		{fs.DeleteArgs{Path: "file", ExpectedSHA256: "x"}, "INVALID_PARAMS", "sha256"},
		{fs.DeleteArgs{Path: ".", Recursive: true}, "INVALID_PARAMS", "project directory"},
		{fs.DeleteArgs{Path: ".env"}, "PERMISSION_DENIED", ""},
		{fs.DeleteArgs{Path: "repo", Recursive: true}, "PERMISSION_DENIED", `".git"`},
		{fs.DeleteArgs{Path: "keys", Recursive: true}, "PERMISSION_DENIED", "hidden"},
		{fs.DeleteArgs{Path: "../x"}, "PERMISSION_DENIED", ""},
	} {
		_, err := p.Delete(t.Context(), tt.args)
		settest.WantError(t, err, tt.code, tt.says)
	}
	for _, name := range []string{"file", "dir/a", ".env", "repo/.git/HEAD", "keys/id.pem"} {
		if !p.exists(name) {
			t.Errorf("%s is gone", name)
		}
	}
}

// user is a client whose user answers every question alike.
func (p project) user(t *testing.T, rev mcp.Revision, answer mcp.Action) (client *mcp.Client, asked *[]string) {
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

// TestDestructionNeedsConsent calls what destroys something through clients of both eras, whose users agree, decline, or cannot be asked.
func TestDestructionNeedsConsent(t *testing.T) {
	remove := map[string]any{"path": "dir", "recursive": true}
	replace := map[string]any{"source": "file", "destination": "old", "overwrite": true}
	for _, rev := range []mcp.Revision{mcp.Latest, mcp.Rev20251125} {
		for answer, code := range map[mcp.Action]string{mcp.Accept: "", mcp.Decline: "DECLINED", mcp.Cancel: "DECLINED", "": "DESTRUCTIVE_NOT_ALLOWED"} {
			p := newProject(t, setup{}, map[string]string{"file": "content", "old": "old", "dir/a": "a"})
			client, asked := p.user(t, rev, answer)
			_, err := mcp.Call[fs.DeleteResult](t.Context(), client, "delete_file", remove)
			if got := string(security.CodeOf(err)); got != code || p.exists("dir/a") != (code != "") {
				t.Errorf("%s %s: deleting: %v", rev, answer, err)
			}
			_, err = mcp.Call[fs.MoveResult](t.Context(), client, "move_file", replace)
			if got := string(security.CodeOf(err)); got != code || p.exists("file") != (code != "") {
				t.Errorf("%s %s: overwriting: %v", rev, answer, err)
			}
			want := []string{`Delete the directory with 1 entry "dir"? It goes to the trash, from where it can be restored.`,
				`Move "file" over "old"? What is there now goes to the trash, from where it can be restored.`}
			if answer == "" {
				want = nil
			}
			if got := strings.Join(*asked, "\n"); got != strings.Join(want, "\n") {
				t.Errorf("%s %s: the user was asked\n%s", rev, answer, got)
			}
			if answer == "" && !strings.Contains(err.Error(), "security.allowDestructiveOperations") {
				t.Errorf("%s: nobody says what a person can change: %v", rev, err)
			}
		}
	}
}

// TestNobodyIsAskedInVain asks about nothing that is refused anyway, or that destroys nothing.
func TestNobodyIsAskedInVain(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "content", "dir/a": "a", ".env": "SECRET=1"})
	client, asked := p.user(t, mcp.Latest, mcp.Accept)
	for tool, calls := range map[string][]map[string]any{
		"delete_file": {{"path": "none"}, {"path": "dir"}, {"path": ".env"}, {"path": "file", "expectedSha256": digest("other")}},
		"move_file": {{"source": "none", "destination": "x", "overwrite": true}, {"source": "file", "destination": "dir", "overwrite": true}, {"source": "file", "destination": ".env", "overwrite": true},
			{"source": "file", "destination": "new", "overwrite": true}, {"source": "new", "destination": "newer"}, {"source": "newer", "destination": "dir/a"}},
	} {
		for _, args := range calls {
			client.CallTool(t.Context(), tool, args, nil)
		}
	}
	if len(*asked) > 0 || !p.exists("newer") || !p.exists("dir/a") {
		t.Errorf("asked %q", *asked)
	}
}

// TestConsentCanBeReplayed runs the tools as a client of the newest revision does, once for the question and once for the answer.
func TestConsentCanBeReplayed(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a": "a", "b": "b", "c": "c"})
	srv := mcptest.Server(t, p.Features())
	for _, call := range []struct {
		tool, key string
		args      map[string]any
	}{
		{"delete_file", "delete", map[string]any{"path": "a"}},
		{"move_file", "overwrite", map[string]any{"source": "b", "destination": "c", "overwrite": true}},
	} {
		if result := mcptest.CheckReplay(t, srv, call.tool, call.args, mcptest.Answers{call.key: mcp.Accept}); result.IsError {
			t.Errorf("%s: %+v", call.tool, result)
		}
	}
	if p.exists("a") || p.exists("b") || p.bytes(t, "c") != "b" {
		t.Error("something was not done")
	}
}

// TestGoProgramsMustAllowDestruction is about programs that call the methods: nobody can be asked there.
func TestGoProgramsMustAllowDestruction(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"file": "x", "other": "y"})
	_, err := p.Delete(t.Context(), fs.DeleteArgs{Path: "file"})
	settest.WantError(t, err, "DESTRUCTIVE_NOT_ALLOWED", "allowDestructiveOperations")
	_, err = p.Move(t.Context(), fs.MoveArgs{Source: "file", Destination: "other", Overwrite: true})
	settest.WantError(t, err, "DESTRUCTIVE_NOT_ALLOWED")
	if _, err := p.Move(t.Context(), fs.MoveArgs{Source: "file", Destination: "new", Overwrite: true}); err != nil {
		t.Errorf("nothing was overwritten: %v", err)
	}
}
