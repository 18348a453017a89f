package fs_test

import (
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// TestWrite_StaleFile overwrites files in states that a peer has seen and in others.
func TestWrite_StaleFile(t *testing.T) {
	const old = "one\ntwo\nthree\n"
	type step func(t *testing.T, p project, ada peer)
	read := func(args fs.ReadArgs) step {
		return func(t *testing.T, _ project, ada peer) { args.Path = "f"; ada.read(t, args) }
	}
	write := func(args fs.WriteArgs) step {
		return func(t *testing.T, _ project, ada peer) { args.Path = "f"; ada.write(t, args) }
	}
	others := func(content string) step {
		return func(t *testing.T, p project, _ peer) { p.put(t, "f", content) }
	}
	tests := []struct {
		what   string
		steps  []step
		args   fs.WriteArgs
		code   string // of an overwrite
		strict string // the same with RequireRead
	}{
		{what: "never seen", strict: "READ_REQUIRED"},
		{what: "read", steps: []step{read(fs.ReadArgs{})}},
		{what: "read by a link", steps: []step{func(t *testing.T, _ project, ada peer) { ada.read(t, fs.ReadArgs{Path: "link"}) }}},
		{what: "read among others", steps: []step{func(t *testing.T, _ project, ada peer) {
			if _, err := ada.ReadMany(ada.ctx, fs.ReadArgs{Paths: []string{"other", "f"}}); err != nil {
				t.Error(err)
			}
		}}},
		{what: "read from the first line to the last", steps: []step{read(fs.ReadArgs{StartLine: 1, EndLine: 3})}},
		{what: "read in part", steps: []step{read(fs.ReadArgs{EndLine: 2})}, strict: "READ_REQUIRED"},
		{what: "read but for the beginning", steps: []step{read(fs.ReadArgs{StartLine: 2})}, strict: "READ_REQUIRED"},
		{what: "read as bytes, in part", steps: []step{read(fs.ReadArgs{Length: 3})}, strict: "READ_REQUIRED"},
		{what: "read as bytes, from the second", steps: []step{read(fs.ReadArgs{Offset: 1})}, strict: "READ_REQUIRED"},
		{what: "read, then changed by others", steps: []step{read(fs.ReadArgs{}), others("changed\n")}, code: "STALE_FILE", strict: "STALE_FILE"},
		{what: "read, changed, read in part", steps: []step{read(fs.ReadArgs{}), others("changed\nagain\n"), read(fs.ReadArgs{EndLine: 1})}, code: "STALE_FILE", strict: "STALE_FILE"},
		{what: "read, changed, read again", steps: []step{read(fs.ReadArgs{}), others("changed\n"), read(fs.ReadArgs{})}},
		{what: "read, changed and changed back", steps: []step{read(fs.ReadArgs{}), others("changed\n"), others(old)}},
		{what: "written", steps: []step{others("x"), read(fs.ReadArgs{}), write(fs.WriteArgs{Content: "mine"})}},
		{what: "written, then changed", steps: []step{read(fs.ReadArgs{}), write(fs.WriteArgs{Content: "mine"}), others("changed")}, code: "STALE_FILE", strict: "STALE_FILE"},
		{what: "appended to after reading", steps: []step{read(fs.ReadArgs{}), write(fs.WriteArgs{Content: "more", Mode: "append"})}},
		{what: "appended to unseen", steps: []step{write(fs.WriteArgs{Content: "more", Mode: "append"})}, strict: "READ_REQUIRED"},
		{what: "appended to after others", steps: []step{read(fs.ReadArgs{}), others("changed\n"), write(fs.WriteArgs{Content: "more", Mode: "append"})}, code: "STALE_FILE", strict: "STALE_FILE"},
		{what: "naming the content", steps: []step{read(fs.ReadArgs{}), others("changed")}, args: fs.WriteArgs{ExpectedSHA256: digest("changed")}},
		{what: "writing what is there", steps: []step{read(fs.ReadArgs{}), others("new\n")}},
		{what: "moved there after reading", steps: []step{func(t *testing.T, p project, ada peer) {
			p.put(t, "g", "moved")
			ada.read(t, fs.ReadArgs{Path: "g"})
			if err := os.Remove(p.path("f")); err != nil {
				t.Fatal(err)
			}
			if _, err := ada.Move(ada.ctx, fs.MoveArgs{Source: "g", Destination: "f"}); err != nil {
				t.Fatal(err)
			}
		}}},
		{what: "deleted, then made by others", steps: []step{read(fs.ReadArgs{}), func(t *testing.T, _ project, ada peer) {
			if _, err := ada.Delete(ada.ctx, fs.DeleteArgs{Path: "f"}); err != nil {
				t.Fatal(err)
			}
		}, others("made")}, strict: "READ_REQUIRED"},
		{what: "read by somebody else", steps: []step{func(t *testing.T, p project, _ peer) {
			p.as("bob").read(t, fs.ReadArgs{Path: "f"})
		}}, strict: "READ_REQUIRED"},
		{what: "read, then written by somebody else", steps: []step{read(fs.ReadArgs{}), func(t *testing.T, p project, _ peer) {
			p.as("bob").write(t, fs.WriteArgs{Path: "f", Content: "bob", ExpectedSHA256: digest(old)})
		}}, code: "STALE_FILE", strict: "STALE_FILE"},
	}
	for _, tt := range tests {
		for _, strict := range []bool{false, true} {
			p := newProject(t, setup{options: fs.Options{AllowDestructive: true, RequireRead: strict}}, map[string]string{"f": old, "link": "-> f", "other": "x"})
			ada := p.as("ada")
			for _, s := range tt.steps {
				s(t, p, ada)
			}
			before := p.bytes(t, "f")
			args := tt.args
			args.Path, args.Content = "f", "new\n"
			_, err := ada.Write(ada.ctx, args)
			code := tt.code
			if strict {
				code = tt.strict
			}
			if code == "" {
				if err != nil || p.bytes(t, "f") != "new\n" {
					t.Errorf("%s (%v): %v", tt.what, strict, err)
				}
				continue
			}
			toolsettest.WantError(t, err, code)
			if p.bytes(t, "f") != before {
				t.Errorf("%s (%v): overwritten all the same", tt.what, strict)
			}
			if code == "STALE_FILE" && !strings.Contains(err.Error(), tag(before)) {
				t.Errorf("%s: does not name what is there: %v", tt.what, err)
			}
			// The advice of the error helps.
			ada.read(t, fs.ReadArgs{Path: "f"})
			ada.write(t, fs.WriteArgs{Path: "f", Content: "new\n"})
		}
	}
}

// TestWrite_NewFileWithoutRead writes new files.
func TestWrite_NewFileWithoutRead(t *testing.T) {
	p := newProject(t, setup{options: fs.Options{RequireRead: true}}, nil)
	ada := p.as("ada")
	ada.write(t, fs.WriteArgs{Path: "new", Content: "x"})
	ada.write(t, fs.WriteArgs{Path: "new", Content: "y"}) // written by the peer itself
	ada.write(t, fs.WriteArgs{Path: "only", Content: "x", Overwrite: new(false)})
	ada.write(t, fs.WriteArgs{Path: "only", Content: "y"})
	ada.write(t, fs.WriteArgs{Path: "log", Content: "x", Mode: "append"})
	ada.write(t, fs.WriteArgs{Path: "log", Content: "y"})
	// Reads without a peer are not recorded.
	p.write(t, fs.WriteArgs{Path: "new", Content: "z"})
	_, err := ada.Write(ada.ctx, fs.WriteArgs{Path: "new", Content: "a"})
	toolsettest.WantError(t, err, "STALE_FILE", tag("z"), tag("y"), "Read it again")
}

// TestWrite_LargeUnreadFile overwrites files that are too large to be held.
func TestWrite_LargeUnreadFile(t *testing.T) {
	p := newProject(t, setup{maxFile: 100, options: fs.Options{RequireRead: true}}, map[string]string{"f": "small"})
	ada := p.as("ada")
	ada.read(t, fs.ReadArgs{Path: "f"})
	large := strings.Repeat("large\n", 100)
	p.put(t, "f", large)
	_, err := ada.Write(ada.ctx, fs.WriteArgs{Path: "f", Content: "new"})
	toolsettest.WantError(t, err, "STALE_FILE", tag("small"), tag(large))
	p.put(t, "g", large)
	_, err = ada.Write(ada.ctx, fs.WriteArgs{Path: "g", Content: "new"})
	toolsettest.WantError(t, err, "READ_REQUIRED", "expectedSha256")
	ada.write(t, fs.WriteArgs{Path: "g", Content: "new", Mode: "append"})
	ada.write(t, fs.WriteArgs{Path: "g", Content: "new", ExpectedSHA256: digest(large + "new")})
}

// TestLedger_Sessions records reads for each session of a legacy revision, and for the principal on other transports.
func TestLedger_Sessions(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "old"})
	srv := mcptest.Server(t, p.Features())
	connect := func(rev protocol.Revision) *mcp.Client {
		return mcptest.Connect(t, srv, &mcp.ClientOptions{Revision: rev})
	}
	call := func(c *mcp.Client, tool string, args map[string]any) string {
		args["path"] = "f"
		_, err := mcp.Call[map[string]any](t.Context(), c, tool, args)
		return string(security.CodeOf(err))
	}
	one, two := connect(protocol.Rev20251125), connect(protocol.Rev20251125)
	call(one, "read_file", map[string]any{})
	call(two, "read_file", map[string]any{})
	if code := call(one, "write_file", map[string]any{"content": "one"}); code != "" {
		t.Errorf("the first session: %s", code)
	}
	if code := call(two, "write_file", map[string]any{"content": "two"}); code != "STALE_FILE" {
		t.Errorf("the second session: %q", code)
	}
	three, four := connect(protocol.Latest), connect(protocol.Latest)
	call(three, "read_file", map[string]any{})
	if code := call(four, "write_file", map[string]any{"content": "four"}); code != "" {
		t.Errorf("requests that stand alone: %s", code)
	}
	p.put(t, "f", "changed")
	if code := call(three, "write_file", map[string]any{"content": "three"}); code != "STALE_FILE" {
		t.Errorf("requests that stand alone, after a change: %q", code)
	}
}

// TestLedger_Eviction exceeds the number of recorded peers and files.
func TestLedger_Eviction(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f": "old"})
	first := p.as("first")
	first.read(t, fs.ReadArgs{Path: "f"})
	for i := range 256 {
		p.as(path.Join("peer", fmt.Sprint(i))).read(t, fs.ReadArgs{Path: "f"})
	}
	p.put(t, "f", "changed")
	_, err := p.as("peer/255").Write(p.as("peer/255").ctx, fs.WriteArgs{Path: "f", Content: "x"})
	toolsettest.WantError(t, err, "STALE_FILE")
	first.write(t, fs.WriteArgs{Path: "f", Content: "x"})
}
