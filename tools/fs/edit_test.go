package fs_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func (p project) edit(t testing.TB, args fs.EditArgs) fs.EditResult {
	t.Helper()
	got, err := p.Edit(t.Context(), args)
	if err != nil {
		t.Fatalf("editing %+v: %v", args, err)
	}
	return got
}

// edits are pairs of old and new text.
func edits(texts ...string) []fs.TextEdit {
	var all []fs.TextEdit
	for i := 0; i < len(texts); i += 2 {
		all = append(all, fs.TextEdit{OldText: texts[i], NewText: texts[i+1]})
	}
	return all
}

// TestEdit_ExactText checks that the answer to exact edits does not repeat the text that the caller has written.
func TestEdit_ExactText(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"f": "one\ntwo\nthree\ntwo\n"})
	got := p.edit(t, fs.EditArgs{Path: "f", Edits: edits("three", "3")})
	if want := "[f: made 1 edit at line 3; now 14 bytes, sha256 " + got.SHA256[:12] + "]\n"; got.TextContent() != want || got.Diff == "" {
		t.Errorf("%q with the diff %q, want %q", got.TextContent(), got.Diff, want)
	}
	got = p.edit(t, fs.EditArgs{Path: "f", Edits: []fs.TextEdit{{OldText: "two", NewText: "2", ReplaceAll: true}}})
	if want := "[f: made 1 edit; now 10 bytes, sha256 " + got.SHA256[:12] + "]\n[edit 1: line 2 and 1 more place]\n"; got.TextContent() != want {
		t.Errorf("%q, want %q", got.TextContent(), want)
	}
}

func TestEdit_Result(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"src/f.go": "func f() {\n\trun() \n\tb()\n}\n\nvar x, y = x, y\n"})
	got := p.edit(t, fs.EditArgs{Path: filepath.Join(p.dir, "src", "f.go"), Edits: []fs.TextEdit{
		{OldText: "x", NewText: "z", ReplaceAll: true},
		{OldText: "\trun()\n\tb()\n", NewText: "\trun()\n\tc()\n\tb()\n"},
		{OldText: "y = z", NewText: "y = 1"},
	}})
	after := "func f() {\n\trun() \n\tc()\n\tb()\n}\n\nvar z, y = 1, y\n"
	if p.bytes(t, "src/f.go") != after || got.Path != "src/f.go" || got.SHA256 != digest(after) || got.Size != int64(len(after)) {
		t.Errorf("%q became %+v", p.bytes(t, "src/f.go"), got)
	}
	want := []fs.AppliedEdit{{Line: 7, Count: 2, MatchedBy: "exact"}, {Line: 2, Count: 1, MatchedBy: "trailing-space"}, {Line: 7, Count: 1, MatchedBy: "exact"}}
	for i, applied := range got.Applied {
		if applied != want[i] {
			t.Errorf("edit %d: %+v, want %+v", i+1, applied, want[i])
		}
	}
	if strings.Join(got.MatchedBy, " ") != "exact trailing-space" {
		t.Errorf("matched by %v", got.MatchedBy)
	}
	const text = "[src/f.go: made 3 edits; now 48 bytes, sha256 SUM]\n" +
		"[edit 1: line 7 and 1 more place]\n" +
		"[edit 2: line 2 (matched ignoring trailing white space)]\n" +
		"--- src/f.go\n+++ src/f.go\n@@ -1,6 +1,7 @@\n func f() {\n \trun() \n+\tc()\n \tb()\n }\n \n-var x, y = x, y\n+var z, y = 1, y\n"
	if said := strings.Replace(got.TextContent(), tag(after), "SUM", 1); said != text {
		t.Errorf("says\n%s\nwant\n%s", said, text)
	}
}

func TestEdit_Refusals(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{maxFile: 1000}, map[string]string{
		"f": "one\ntwo\n", "dir/": "", "large": strings.Repeat("x\n", 600), "binary": "\x00\x01\x02\x7fELF\x00",
		".env": "KEY=1\n", ".git/config": "[core]\n", "sjis": "\x93\xfa\x96{\x8c\xea\x82\xcc\x95\xb6\x8e\x9a\x97\xf1\n", "sub/real.txt": "x\n",
	})
	for name, tt := range map[string]struct {
		args fs.EditArgs
		code string
		says string
	}{
		"no file":           {fs.EditArgs{Path: "g", Edits: edits("a", "b")}, "FILE_NOT_FOUND", "write_file"},
		"a similar name":    {fs.EditArgs{Path: "sub/reel.txt", Edits: edits("a", "b")}, "FILE_NOT_FOUND", "sub/real.txt"},
		"a directory":       {fs.EditArgs{Path: "dir", Edits: edits("a", "b")}, "IS_A_DIRECTORY", ""},
		"outside":           {fs.EditArgs{Path: "../f", Edits: edits("a", "b")}, "PERMISSION_DENIED", ""},
		"a secret":          {fs.EditArgs{Path: ".env", Edits: edits("1", "2")}, "PERMISSION_DENIED", ""},
		"a protected file":  {fs.EditArgs{Path: ".git/config", Edits: edits("core", "x")}, "PERMISSION_DENIED", ""},
		"too large":         {fs.EditArgs{Path: "large", Edits: edits("x", "y")}, "FILE_TOO_LARGE", "at most 1000 bytes. read_file shows parts"},
		"too large then":    {fs.EditArgs{Path: "f", Edits: edits("one", strings.Repeat("1", 1000))}, "FILE_TOO_LARGE", "Insert less text"},
		"binary":            {fs.EditArgs{Path: "binary", Edits: edits("ELF", "EXE")}, "BINARY_FILE", "write_file"},
		"no edits":          {fs.EditArgs{Path: "f"}, "INVALID_PARAMS", "at least one edit"},
		"empty old text":    {fs.EditArgs{Path: "f", Edits: edits("", "x")}, "INVALID_PARAMS", "next to the place"},
		"no such text":      {fs.EditArgs{Path: "f", Edits: edits("three", "x")}, "EDIT_NO_MATCH", "Read the file again"},
		"two places":        {fs.EditArgs{Path: "f", Edits: edits("o", "x")}, "EDIT_AMBIGUOUS", "lines 1, 2"},
		"another count":     {fs.EditArgs{Path: "f", Edits: []fs.TextEdit{{OldText: "o", NewText: "0", ExpectedCount: 3}}}, "EDIT_COUNT_MISMATCH", "is at 2"},
		"another digest":    {fs.EditArgs{Path: "f", Edits: edits("one", "1"), ExpectedSHA256: tag("other")}, "STALE_FILE", "Read the file again"},
		"no digest":         {fs.EditArgs{Path: "f", Edits: edits("one", "1"), ExpectedSHA256: "12"}, "INVALID_PARAMS", "64 hexadecimal digits"},
		"not in Shift_JIS":  {fs.EditArgs{Path: "sjis", Edits: edits("文字", "🍣")}, "UNENCODABLE_CHARACTER", "line 1, column 5"},
		"not valid unicode": {fs.EditArgs{Path: "f", Edits: edits("one", "\xff")}, "INVALID_PARAMS", "UTF-8"},
	} {
		for _, dry := range []bool{true, false} {
			tt.args.DryRun = dry
			_, err := p.Edit(t.Context(), tt.args)
			t.Run(name, func(t *testing.T) { toolsettest.WantError(t, err, tt.code, tt.says) })
		}
	}
	if got := p.bytes(t, "f"); got != "one\ntwo\n" {
		t.Errorf("a refused edit made %q", got)
	}
}

func TestEdit_ReadOnlyProject(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{readOnly: true}, map[string]string{"f": "one\n"})
	for _, dry := range []bool{true, false} {
		_, err := p.Edit(t.Context(), fs.EditArgs{Path: "f", Edits: edits("one", "two"), DryRun: dry})
		toolsettest.WantError(t, err, "PERMISSION_DENIED")
	}
}

// A dry run only reads, and returns the present state and the planned change.
func TestEdit_DryRun(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"f": "one\ntwo\n"})
	if err := os.Chmod(p.path("f"), 0o444); err != nil {
		t.Fatal(err)
	}
	args := fs.EditArgs{Path: "f", Edits: edits("one", "1"), DryRun: true, ExpectedSHA256: strings.ToUpper(digest("one\ntwo\n"))}
	got := p.edit(t, args)
	if p.bytes(t, "f") != "one\ntwo\n" || !got.DryRun || got.SHA256 != digest("one\ntwo\n") || got.Size != 8 || !strings.Contains(got.Diff, "-one\n+1\n") {
		t.Errorf("answered %+v", got)
	}
	if said := got.TextContent(); !strings.HasPrefix(said, "[f: dry run of 1 edit, nothing was written; now 8 bytes, sha256 ") {
		t.Errorf("says %q", said)
	}
	args.ExpectedSHA256 = digest("other")
	_, err := p.Edit(t.Context(), args)
	toolsettest.WantError(t, err, "STALE_FILE")
	args.ExpectedSHA256, args.Edits = "", edits("three", "3")
	_, err = p.Edit(t.Context(), args)
	toolsettest.WantError(t, err, "EDIT_NO_MATCH")
}

func TestEdit_FileMode(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"run.sh": "#!/bin/sh\necho one\n", "link": "-> run.sh"})
	if err := os.Chmod(p.path("run.sh"), 0o750); err != nil {
		t.Fatal(err)
	}
	got := p.edit(t, fs.EditArgs{Path: "link", Edits: edits("one", "two")})
	info, err := os.Stat(p.path("run.sh"))
	if err != nil || info.Mode().Perm() != 0o750 || got.Path != "run.sh" || p.bytes(t, "run.sh") != "#!/bin/sh\necho two\n" {
		t.Errorf("%v, %v, %+v", info.Mode(), err, got)
	}
	if target, err := os.Readlink(p.path("link")); err != nil || target != "run.sh" {
		t.Errorf("the link is %q, %v", target, err)
	}
}

// Edits without an effect write nothing.
func TestEdit_NoEffect(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"f": "one\n"})
	got := p.edit(t, fs.EditArgs{Path: "f", Edits: edits("one", "two", "two", "one")})
	if got.Diff != "" || !strings.Contains(got.TextContent(), "together change nothing") || p.bytes(t, "f") != "one\n" {
		t.Errorf("answered %+v", got)
	}
}

func TestEdit_AnswerBounds(t *testing.T) {
	t.Parallel()
	content := strings.Repeat("old line\nsame\n\n\n\n\n\n\n", 1000)
	p := newProject(t, setup{}, map[string]string{"f": content, "long": strings.Repeat("x", 64<<10) + "!"})
	got := p.edit(t, fs.EditArgs{Path: "f", Edits: []fs.TextEdit{{OldText: "old", NewText: "new", ReplaceAll: true}}})
	if n := len(got.TextContent()); n > 10_000 || !strings.Contains(got.Diff, "[diff cut: ") || got.Applied[0].Count != 1000 {
		t.Errorf("the answer has %d bytes", n)
	}
	got = p.edit(t, fs.EditArgs{Path: "long", Edits: edits("x!", "x?")})
	if n := len(got.TextContent()); n > 10_000 || !strings.Contains(got.Diff, "x!") || !strings.Contains(got.Diff, "x?") {
		t.Errorf("the answer has %d bytes: %.300s", n, got.Diff)
	}
	many := make([]fs.TextEdit, 0, 80)
	for range 40 {
		many = append(many, edits("  new line\n", "  x line\n", "  x line\n", "  new line\n")...)
	}
	for i := range many {
		many[i].NearLine = 1
	}
	if got := p.edit(t, fs.EditArgs{Path: "f", Edits: many}); strings.Count(got.TextContent(), "\n") > 30 {
		t.Errorf("says %s", got.TextContent())
	}
}

// Concurrent edits of one file lose no change.
func TestEdit_Concurrent(t *testing.T) {
	t.Parallel()
	const editors, rounds = 4, 20
	var content strings.Builder
	for i := range editors {
		content.WriteString(strings.Repeat(string(rune('a'+i))+" ", rounds) + "\n")
	}
	p := newProject(t, setup{}, map[string]string{"f": content.String()})
	var wait sync.WaitGroup
	for i := range editors {
		wait.Go(func() {
			name := string(rune('a' + i))
			for range rounds {
				args := fs.EditArgs{Path: "f", Edits: []fs.TextEdit{{OldText: name + " \n", NewText: "\n"}}}
				if _, err := p.Edit(t.Context(), args); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
	wait.Wait()
	if got := strings.Trim(p.bytes(t, "f"), "\n "); got != "" {
		t.Errorf("%q is left", got)
	}
}

// A peer that has read a file knows it after an edit and may write it. An edit alone gives no knowledge of the file.
func TestEdit_LedgerState(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{options: fs.Options{RequireRead: true}}, map[string]string{"f": "one\n", "g": "one\n"})
	ctx := tools.WithPeer(t.Context(), "somebody")
	if _, err := p.Read(ctx, fs.ReadArgs{Path: "f"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"f", "g"} {
		if _, err := p.Edit(ctx, fs.EditArgs{Path: name, Edits: edits("one", "two")}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Write(ctx, fs.WriteArgs{Path: "f", Content: "three\n"}); err != nil {
		t.Errorf("after reading and editing: %v", err)
	}
	if _, err := p.Write(ctx, fs.WriteArgs{Path: "g", Content: "three\n"}); security.CodeOf(err) != "READ_REQUIRED" {
		t.Errorf("after editing only: %v", err)
	}
}

func TestEdit_JSON(t *testing.T) {
	t.Parallel()
	p := newProject(t, setup{}, map[string]string{"f": "one\r\ntwo\r\n"})
	called := toolsettest.Call(t, p, "edit_file", `{"path":"f","edits":[{"oldText":"one\ntwo","newText":"1\n2"}]}`)
	got := toolsettest.Structured[fs.EditResult](t, called)
	if p.bytes(t, "f") != "1\r\n2\r\n" || got.Applied[0] != (fs.AppliedEdit{Line: 1, Count: 1, MatchedBy: "line-ends"}) || got.Diff == "" {
		t.Errorf("answered %+v", got)
	}
	if said := toolsettest.Text(t, called); !strings.Contains(said, "[edit 1: line 1 (matched ignoring line ends)]\n--- f\n") {
		t.Errorf("says %q", said)
	}
	for args, says := range map[string]string{
		`{"path":"f","edits":[]}`:                "edits",
		`{"path":"f"}`:                           "edits",
		`{"path":"f","edits":[{"oldText":"a"}]}`: "newText",
		`{"path":"f","edits":[{"oldText":"a","newText":"b","expectedCount":0}]}`:             "expectedCount",
		`{"path":"f","edits":[{"oldText":"a","newText":"b","nearLine":0}]}`:                  "nearLine",
		`{"path":"f","edits":[{"oldText":"a","newText":"b","count":2}]}`:                     "count",
		`{"path":"f","edits":[{"oldText":"zebra","newText":"b"}]}`:                           "EDIT_NO_MATCH: ",
		`{"path":"f","edits":[{"oldText":"1","newText":"b"},{"oldText":"1","newText":"b"}]}`: "edit 2",
	} {
		refused := toolsettest.Call(t, p, "edit_file", args)
		if said := toolsettest.Text(t, refused); !refused.IsError || !strings.Contains(said, says) || !strings.Contains(said, "Next step: ") {
			t.Errorf("edit_file(%s): %s", args, said)
		}
	}
	tool := toolsettest.Tool(t, p, "edit_file").Tool()
	if n := len(tool.InputSchema) + len(tool.Description); n > 700 {
		t.Errorf("the definition has %d bytes", n)
	}
	var parsed struct{ Properties map[string]json.RawMessage }
	if err := json.Unmarshal(tool.InputSchema, &parsed); err != nil || len(parsed.Properties) != 4 {
		t.Errorf("the schema is %s, %v", tool.InputSchema, err)
	}
}
