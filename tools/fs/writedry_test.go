package fs_test

import (
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

// TestWrite_DryRun checks the planned change and that nothing is written.
func TestWrite_DryRun(t *testing.T) {
	for _, tt := range []struct {
		what, old string
		args      fs.WriteArgs
		diff      string
		text      string
		created   bool
	}{
		{what: "a change", old: "a\nb\nc\n", args: fs.WriteArgs{Content: "a\nB\nc\n"}, diff: "--- f\n+++ f\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n", text: "[f: would be changed, utf-8; dry run, nothing was written]\n--- f\n"},
		{what: "nothing", old: "a\r\n", args: fs.WriteArgs{Content: "a\n"}, text: "[f: would stay as it is, utf-8; dry run, nothing was written]\n"},
		{what: "another encoding", old: "\x93\xfa\n", args: fs.WriteArgs{Content: "本\n"}, diff: "--- f\n+++ f\n@@ -1 +1 @@\n-日\n+本\n", text: "[f: would be changed, shift-jis;"},
		{what: "conversion", old: "\x93\xfa\x96\x7b\n", args: fs.WriteArgs{Content: "日本\n", Encoding: "utf-8"}, text: "[f: would be changed, utf-8;"},
		{what: "appending", old: "a\n", args: fs.WriteArgs{Content: "b\n", Mode: "append"}, diff: "--- f\n+++ f\n@@ -1 +1,2 @@\n a\n+b\n"},
		{what: "an empty file", old: "", args: fs.WriteArgs{Content: "b\n"}, diff: "--- f\n+++ f\n@@ -0,0 +1 @@\n+b\n"},
		{what: "a new file", args: fs.WriteArgs{Path: "new", Content: "a\n"}, created: true, diff: "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+a\n", text: "[new: would be created, utf-8; dry run"},
		{what: "only a new file", args: fs.WriteArgs{Path: "new", Content: "a\n", Overwrite: new(false)}, created: true, diff: "--- /dev/null\n+++ new\n@@ -0,0 +1 @@\n+a\n"},
		{what: "a new file in new directories", args: fs.WriteArgs{Path: "x/y/new", Content: "a\n", CreateDirectories: new(true)}, created: true, diff: "--- /dev/null\n+++ x/y/new\n@@ -0,0 +1 @@\n+a\n"},
		{what: "bytes", old: "\x00\x01", args: fs.WriteArgs{Content: "AAEC", Encoding: "binary"}, diff: "Contents that are not text differ: 2 bytes became 3 bytes.\n"},
		{what: "bytes for text", old: "text", args: fs.WriteArgs{Content: "AAEC", Encoding: "binary"}, diff: "Contents that are not text differ: 4 bytes became 3 bytes.\n"},
	} {
		p := newProject(t, setup{}, map[string]string{"f": tt.old})
		if tt.args.Path == "" {
			tt.args.Path = "f"
		}
		tt.args.DryRun = true
		got := p.write(t, tt.args)
		if got.Diff != tt.diff || !got.DryRun || got.Created != tt.created || got.BytesWritten != 0 || got.Path != tt.args.Path {
			t.Errorf("%s: %+v", tt.what, got)
		}
		if text := got.TextContent(); !strings.HasPrefix(text, tt.text) || !strings.HasSuffix(text, tt.diff) {
			t.Errorf("%s: says %q", tt.what, text)
		}
		if want := digest(tt.old); !tt.created && (got.SHA256 != want || got.Size != int64(len(tt.old))) || tt.created && got.SHA256 != "" {
			t.Errorf("%s: tells %d bytes, %s", tt.what, got.Size, got.SHA256)
		}
		if p.bytes(t, "f") != tt.old || p.exists("new") || p.exists("x") || p.exists(".dougu-backup") {
			t.Errorf("%s: something was written", tt.what)
		}
	}
}

// TestWrite_DryRunRefusals checks that a dry run refuses the calls that the write refuses.
func TestWrite_DryRunRefusals(t *testing.T) {
	p := newProject(t, setup{maxFile: 100}, map[string]string{"f": "old", ".env": "SECRET=1", "large": strings.Repeat("x", 200), "sjis": "\x93\xfa\x96\x7b\x8c\xea\n", ".git/config": "x"})
	for _, tt := range []struct {
		args fs.WriteArgs
		code string
		says string
	}{
		{fs.WriteArgs{Path: "f", Overwrite: new(false)}, "ALREADY_EXISTS", "overwrite=true"},
		{fs.WriteArgs{Path: "large", Overwrite: new(false)}, "ALREADY_EXISTS", "overwrite=true"},
		{fs.WriteArgs{Path: "f", ExpectedSHA256: tag("other")}, "STALE_FILE", ""},
		{fs.WriteArgs{Path: "x/y"}, "FILE_NOT_FOUND", "createDirectories=true"},
		{fs.WriteArgs{Path: ".env"}, "PERMISSION_DENIED", ""},
		{fs.WriteArgs{Path: ".git/config"}, "PERMISSION_DENIED", ""},
		{fs.WriteArgs{Path: "large"}, "FILE_TOO_LARGE", "without dryRun"},
		{fs.WriteArgs{Path: "sjis", Content: "한\n"}, "UNENCODABLE_CHARACTER", ""},
	} {
		tt.args.DryRun = true
		_, err := p.Write(t.Context(), tt.args)
		toolsettest.WantError(t, err, tt.code, tt.says)
	}
	ada := p.as("ada")
	ada.read(t, fs.ReadArgs{Path: "f"})
	p.put(t, "f", "changed")
	_, err := ada.Write(ada.ctx, fs.WriteArgs{Path: "f", Content: "x", DryRun: true})
	toolsettest.WantError(t, err, "STALE_FILE")
}

// TestWrite_DryRunBudget shows the beginning of a long diff.
func TestWrite_DryRunBudget(t *testing.T) {
	p := newProject(t, setup{answer: 4000}, map[string]string{"f": strings.Repeat("old line\n", 2000)})
	got := p.write(t, fs.WriteArgs{Path: "f", Content: strings.Repeat("new line\n", 2000), DryRun: true})
	if n := len(got.TextContent()); n > 4000 || n < 2000 || !strings.Contains(got.Diff, "-old line\n") {
		t.Errorf("the answer has %d bytes: %q", n, got.Diff[max(0, len(got.Diff)-200):])
	}
}
