package security_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/internal/audittest"
)

// relocate is one way to change the tree.
type relocate func(r *security.Root) error

func moveCall(t *testing.T, from, to string) relocate {
	return func(r *security.Root) error {
		_, err := r.Move(t.Context(), from, to, security.MoveOptions{Overwrite: true})
		return err
	}
}

func trashCall(t *testing.T, name string) relocate {
	return func(r *security.Root) error {
		_, err := r.Trash(t.Context(), name, security.TrashOptions{Recursive: true})
		return err
	}
}

func makeCall(t *testing.T, name string) relocate {
	return func(r *security.Root) error { _, err := r.MakeDir(t.Context(), name, true); return err }
}

// TestMove_Rules tries to move, delete and create blocked and protected entries: by name, through links, and with
// their directory.
func TestMove_Rules(t *testing.T) {
	entries := map[string]string{
		".env": secret, ".git/config": "config", ".git/hooks/x": "hook", "file": "file", "dir/a": "a", "sub/.npmrc": secret, "deep/a/b/c.pem": secret,
		"repo/.git/HEAD": "ref", "tools/credentials": "region", "agents/mcp.json": "{}", "agents/deep/x/y": "y", "toEnv": "-> .env", "toGit": "-> .git", "toHooks": "-> .git/hooks",
		"outward": "-> ..", ".aws/x": "x", "keys": "-> deep/a/b", ".dougu-backup/files/x": "kept", "nested/.dougu-trash/x": "kept",
	}
	tests := []struct {
		what   string
		call   relocate
		reason security.Reason
		says   string
	}{
		{"a hidden file", moveCall(t, ".env", "new"), security.BlockedPattern, ""},
		{"a hidden file in capitals", moveCall(t, ".ENV", "new"), security.BlockedPattern, ""},
		{"to a hidden name", moveCall(t, "file", "x/.env"), security.BlockedPattern, ""},
		{"over a hidden file", moveCall(t, "file", ".env"), security.BlockedPattern, ""},
		{"a hidden file through a link", moveCall(t, "keys/c.pem", "new"), security.BlockedPattern, ""},
		{"a directory with a hidden file", moveCall(t, "sub", "new"), security.BlockedPattern, "holds something"},
		{"a directory with a hidden file far below", moveCall(t, "deep", "new"), security.BlockedPattern, "holds something"},
		{"a directory that would hold something hidden", moveCall(t, "tools", "dir/.aws"), security.BlockedPattern, `"credentials"`},
		{"a protected file", moveCall(t, ".git/config", "new"), security.ProtectedFile, ""},
		{"a protected directory", moveCall(t, ".git", "new"), security.ProtectedFile, ""},
		{"a directory with a protected one", moveCall(t, "repo", "new"), security.ProtectedFile, `holds ".git"`},
		{"a file into a protected directory", moveCall(t, "file", ".git/hooks/pre-commit"), security.ProtectedFile, ""},
		{"a file into a protected directory by a link", moveCall(t, "file", "toHooks/pre-commit"), security.ProtectedFile, ""},
		{"from a protected directory by a link", moveCall(t, "toGit/config", "new"), security.ProtectedFile, ""},
		{"to a protected name", moveCall(t, "file", ".envrc"), security.ProtectedFile, ""},
		{"a directory to a protected name", moveCall(t, "dir", ".git/hooks/dir"), security.ProtectedFile, ""},
		{"a directory that would hold something protected", moveCall(t, "agents", ".cursor"), security.ProtectedFile, `"mcp.json"`},
		{"out of the project", moveCall(t, "file", "../new"), security.PathTraversal, ""},
		{"out of the project by a link", moveCall(t, "file", "outward/new"), security.OutsideProjectRoot, ""},
		{"from outside", moveCall(t, "/etc/passwd", "new"), security.OutsideProjectRoot, ""},
		{"to an unsafe name", moveCall(t, "file", "bidi\u202etxt"), security.UnsafeName, ""},
		{"to the name of a file that is being written", moveCall(t, "file", ".dougu-tmp-0123456789abcdef0123456789abcdef"), security.UnsafeName, ""},
		{"a backup", moveCall(t, ".dougu-backup/files/x", "new"), security.ProtectedFile, ""},
		{"into the backups", moveCall(t, "file", ".dougu-backup/files/y"), security.ProtectedFile, ""},
		{"into the trash", moveCall(t, "file", ".dougu-trash/file"), security.ProtectedFile, ""},
		{"into an entry of the trash", moveCall(t, "file", ".dougu-trash/20260101T000000.000000Z-01234567/file"), security.ProtectedFile, ""},
		{"a directory with somebody's trash", moveCall(t, "nested", "new"), security.ProtectedFile, ""},

		{"delete a hidden file", trashCall(t, ".env"), security.BlockedPattern, ""},
		{"delete a directory with a hidden file", trashCall(t, "sub"), security.BlockedPattern, "holds something"},
		{"delete a protected file", trashCall(t, ".git/hooks/x"), security.ProtectedFile, ""},
		{"delete a protected directory", trashCall(t, "toGit/hooks"), security.ProtectedFile, ""},
		{"delete a directory with a protected one", trashCall(t, "repo"), security.ProtectedFile, `".git"`},
		{"delete the backups", trashCall(t, ".dougu-backup"), security.ProtectedFile, ""},
		{"delete outside", trashCall(t, "outward/x"), security.OutsideProjectRoot, ""},

		{"make a protected directory", makeCall(t, ".vscode"), security.ProtectedFile, ""},
		{"make a directory in a protected one", makeCall(t, "toHooks/new"), security.ProtectedFile, ""},
		{"make a hidden directory", makeCall(t, "x/.ssh/y"), security.BlockedPattern, ""},
		{"make an unsafe directory", makeCall(t, "x/bidi\u202etxt/y"), security.UnsafeName, ""},
		{"make a trash", makeCall(t, ".dougu-trash/x"), security.ProtectedFile, ""},
		{"make a directory outside", makeCall(t, "outward/new"), security.OutsideProjectRoot, ""},
	}
	for _, tt := range tests {
		dir := layout(t, entries)
		before := contents(t, dir)
		err := tt.call(open(t, quick, dir))
		e := asError(t, err)
		if e.Reason != tt.reason || e.NextStep() == "" {
			t.Errorf("%s: %s %s: %v", tt.what, e.Code, e.Reason, e)
		}
		if !strings.Contains(e.Error(), tt.says) || strings.Contains(e.Error(), "npmrc") {
			t.Errorf("%s: says %q", tt.what, e)
		}
		if after := contents(t, dir); !maps.Equal(before, after) {
			t.Errorf("%s:%s", tt.what, differences(before, after))
		}
	}
}

// TestMove_RulesOfBothPaths moves a directory of ordinary files to a path where a pattern matches them.
func TestMove_RulesOfBothPaths(t *testing.T) {
	for _, tt := range []struct {
		from, to string
		reason   security.Reason
	}{
		{"tools", "x/.aws", security.BlockedPattern},    // x/.aws/credentials
		{"tools", "x/.awsome", ""},                      //
		{"agents", "x/.cursor", security.ProtectedFile}, // x/.cursor/mcp.json
		{"agents/deep", "x/.cursor", security.ProtectedFile},
		{"agents/rules", "x/.cursor", ""},
	} {
		dir := layout(t, map[string]string{"tools/credentials": "region", "agents/mcp.json": "{}", "agents/deep/x/y": "y", "agents/rules/rules/a": "a", "x/": ""})
		before := contents(t, dir)
		_, err := open(t, quick, dir).Move(t.Context(), tt.from, tt.to, security.MoveOptions{})
		if got := reasonOf(t, err); got != tt.reason {
			t.Errorf("%s to %s: %v", tt.from, tt.to, err)
		}
		if after := contents(t, dir); maps.Equal(before, after) != (tt.reason != "") {
			t.Errorf("%s to %s:%s", tt.from, tt.to, differences(before, after))
		}
	}
}

// TestMove_HardLinksOfSecrets moves hard links of secrets to directories where the rules would not recognize them.
func TestMove_HardLinksOfSecrets(t *testing.T) {
	dir := layout(t, map[string]string{"src/.npmrc": secret, "src/lib/": "", "other/": "", "a/.vscode/tasks.json": "tasks", "plain": "plain"})
	for name, of := range map[string]string{"src/lib/d": "src/.npmrc", "a/f": "a/.vscode/tasks.json", "other/plain": "plain", "a/g/h/plain": "plain"} {
		full := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Link(filepath.Join(dir, of), full); err != nil {
			t.Skip("the file system has no hard links")
		}
	}
	r := open(t, quick, dir)
	for _, tt := range []struct {
		what   string
		call   relocate
		reason security.Reason
	}{
		{"a secret", moveCall(t, "src/lib/d", "other/d"), security.BlockedPattern},
		{"a directory with a secret", moveCall(t, "src/lib", "other/lib"), security.ProtectedFile},
		{"a protected file", moveCall(t, "a/f", "other/f"), security.ProtectedFile},
		{"delete a secret", trashCall(t, "src/lib/d"), security.BlockedPattern},
		{"over a secret", moveCall(t, "plain", "src/lib/d"), security.BlockedPattern},
		{"delete a directory with a secret", trashCall(t, "src/lib"), security.ProtectedFile},
		{"a plain file", moveCall(t, "other/plain", "other/new"), ""},
		{"a directory with a plain file", moveCall(t, "a/g", "other/g"), ""},
	} {
		if got := reasonOf(t, tt.call(r)); got != tt.reason {
			t.Errorf("%s: refused because of %q, want %q", tt.what, got, tt.reason)
		}
	}
}

func TestMove_ReadOnlyRoot(t *testing.T) {
	dir := layout(t, map[string]string{"file": "x"})
	r := open(t, security.RootOptions{ReadOnly: true}, dir)
	for what, call := range map[string]relocate{"move": moveCall(t, "file", "new"), "delete": trashCall(t, "file"), "make": makeCall(t, "new")} {
		if got := reasonOf(t, call(r)); got != security.ReadOnlyRoot {
			t.Errorf("%s: refused because of %q", what, got)
		}
	}
	if after := contents(t, dir); !maps.Equal(after, map[string]string{"file": "x"}) {
		t.Errorf("left %v", after)
	}
}

// TestMove_RootDirectories tries to move and delete the directories of the Root and their parents.
func TestMove_RootDirectories(t *testing.T) {
	dir := layout(t, map[string]string{"a/inner/file": "x", "a/other/file": "y"})
	inner := filepath.Join(dir, "a", "inner")
	r := open(t, quick, dir, inner)
	for what, call := range map[string]relocate{
		"move the directory": moveCall(t, "a/inner", "new"), "move one around it": moveCall(t, "a", "new"), "by its own name": moveCall(t, inner, "new"),
		"delete the directory": trashCall(t, "a/inner"), "delete one around it": trashCall(t, "a"), "delete the project": trashCall(t, "."), "delete by its own name": trashCall(t, inner),
	} {
		if err := call(r); security.CodeOf(err) != security.InvalidParams {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := moveCall(t, "a/other", "new")(r); err != nil {
		t.Error(err)
	}
	if err := moveCall(t, filepath.Join(inner, "file"), "new/moved")(r); err != nil {
		t.Error(err)
	}
}

// TestAudit_EveryChangeRecorded compares the audit log with the calls, and checks that every effect follows its
// record.
func TestAudit_EveryChangeRecorded(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	o := quick
	o.Audit = audittest.Open(t, audit.Options{Path: log})
	dir := layout(t, map[string]string{"file": "x", "other": "y", ".env": secret, "link": "-> dir", "dir/": ""})
	r := open(t, o, dir)
	for _, call := range []relocate{
		makeCall(t, "link/new"), makeCall(t, "dir/new"), moveCall(t, "file", "link/file"), moveCall(t, "dir/file", "other"), trashCall(t, "other"), trashCall(t, ".env"), moveCall(t, "none", "x"),
	} {
		call(r)
	}
	if _, err := r.Trash(t.Context(), "dir/new", security.TrashOptions{DryRun: true}); err != nil {
		t.Error(err)
	}
	var got []string
	for _, record := range audittest.Records(t, log) {
		got = append(got, fmt.Sprint(record["operation"], " ", record["params"], " ", record["result"], " ", record["errorCode"]))
	}
	want := []string{
		`fs.mkdir {"path":"dir/new"} started <nil>`, `fs.mkdir {"path":"dir/new"} success <nil>`,
		`fs.move {"from":"file","overwrite":true,"to":"dir/file"} started <nil>`, `fs.move {"from":"file","overwrite":true,"to":"dir/file"} success <nil>`,
		`fs.move {"from":"dir/file","overwrite":true,"to":"other"} started <nil>`, `fs.move {"from":"dir/file","overwrite":true,"to":"other"} success <nil>`,
		`fs.trash {"path":"other"} started <nil>`, `fs.trash {"path":"other"} success <nil>`,
		`fs.trash {"path":".env"} blocked PERMISSION_DENIED`,
		`fs.move {"from":"none","overwrite":true,"to":"x"} error FILE_NOT_FOUND`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("recorded\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}

	if err := o.Audit.Close(); err != nil {
		t.Fatal(err)
	}
	before := contents(t, dir)
	for what, call := range map[string]relocate{"move": moveCall(t, "dir/new", "new"), "delete": trashCall(t, "dir/new"), "make": makeCall(t, "new")} {
		if err := call(r); security.CodeOf(err) != security.AuditFailed {
			t.Errorf("%s without a record: %v", what, err)
		}
	}
	if after := contents(t, dir); !maps.Equal(before, after) {
		t.Errorf("changed without a record:%s", differences(before, after))
	}
}
