package git_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/git"
)

func TestDiff(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\ntwo\nthree\n", "old.txt": strings.Repeat("a line of some length\n", 20), "bin": "a\x00b", "gone.txt": "x\n"}})
	first := p.git("rev-parse", "HEAD")
	p.write("a.txt", "one\n2\nthree\n")
	p.git("mv", "old.txt", "new.txt")
	p.write("bin", "b\x00c")
	p.git("rm", "--quiet", "gone.txt")

	r := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	if r.TotalFiles != 2 || r.Insertions != 1 || r.Deletions != 1 {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "modified a.txt +1 -1", "modified bin [binary]", "--- a/a.txt\n+++ b/a.txt\n@@", "\n-two\n+2\n")

	r = must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t)
	contains(t, r.TextContent(), "deleted gone.txt +0 -1", "renamed new.txt (was old.txt) +0 -0", "+++ /dev/null")
	lacks(t, r.TextContent(), "a.txt")

	p.git("checkout", "--quiet", "-b", "side")
	second := p.commit("second")
	r = must(p.Diff(t.Context(), git.DiffArgs{From: first, To: "side", Paths: []string{"a.txt"}, Context: new(0)}))(t)
	if r.TotalFiles != 1 || strings.Contains(r.Patch, "three") {
		t.Errorf("%+v", r)
	}
	p.git("checkout", "--quiet", "main")
	p.write("main.txt", "m\n")
	p.commit("on main")
	r = must(p.Diff(t.Context(), git.DiffArgs{From: "main", To: second, MergeBase: true, StatOnly: true}))(t)
	if r.TotalFiles != 4 || r.Patch != "" {
		t.Errorf("%+v", r)
	}
	r = must(p.Diff(t.Context(), git.DiffArgs{From: "side"}))(t)
	contains(t, r.TextContent(), "added main.txt")

	for code, args := range map[string]git.DiffArgs{
		"UNKNOWN_REVISION":  {From: "nothing"},
		"INVALID_PARAMS":    {To: "main"},
		"INVALID_CURSOR":    {Cursor: "AAAA"},
		"PERMISSION_DENIED": {Paths: []string{"../up"}},
	} {
		_, err := p.Diff(t.Context(), args)
		wants(t, err, code)
	}
	for _, name := range []string{"--output=pwned", "-O/etc/passwd", "main\nx", "", "@{u}", "--end-of-options"} {
		if name == "" {
			continue
		}
		_, err := p.Diff(t.Context(), git.DiffArgs{From: name})
		wants(t, err, "UNKNOWN_REVISION")
	}
	if _, err := os.Stat(filepath.Join(p.dir, "pwned")); err == nil {
		t.Error("a revision was an option")
	}
}

func TestDiff_EmptyRepository(t *testing.T) {
	p := newProject(t, setup{})
	p.write("a.txt", "a\n")
	p.git("add", "a.txt")
	r := must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t)
	contains(t, r.TextContent(), "added a.txt +1 -0", "+a")
	l := must(p.Log(t.Context(), git.LogArgs{}))(t)
	contains(t, l.TextContent(), "[no commits]")
	_, err := p.Diff(t.Context(), git.DiffArgs{From: "HEAD"})
	wants(t, err, "UNKNOWN_REVISION", "no commit yet")
}

// The pages of an answer join to the complete difference.
func TestDiff_Pages(t *testing.T) {
	p := newProject(t, setup{limits: tools.Limits{Answer: 2000}})
	for i := range 30 {
		p.write(fmt.Sprintf("f%02d.txt", i), strings.Repeat(fmt.Sprintf("old %d\n", i), 20))
	}
	p.commit("first")
	for i := range 30 {
		p.write(fmt.Sprintf("f%02d.txt", i), strings.Repeat(fmt.Sprintf("new %d\n", i), 20))
	}
	all, cursor := "", ""
	for pages := 0; ; pages++ {
		r := must(p.Diff(t.Context(), git.DiffArgs{Cursor: cursor}))(t)
		if len(r.Patch) > 2100 || pages > 40 {
			t.Fatalf("page %d has %d bytes", pages, len(r.Patch))
		}
		if (pages == 0) != (len(r.Files) > 0) {
			t.Errorf("page %d lists %d files", pages, len(r.Files))
		}
		all += r.Patch
		if cursor = r.Cursor; cursor == "" {
			break
		}
	}
	for i := range 30 {
		if got := strings.Count(all, fmt.Sprintf("\n+new %d\n", i)); got == 0 {
			t.Errorf("file %d is missing", i)
		}
	}
	if got := strings.Count(all, "\n+new "); got != 600 {
		t.Errorf("%d lines", got)
	}
	r := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	p.write("f00.txt", "something else\n")
	_, err := p.Diff(t.Context(), git.DiffArgs{Cursor: r.Cursor})
	wants(t, err, "INVALID_CURSOR", "changed since")
}

// Blocked files are named without content, also after a rename.
func TestDiff_BlockedFiles(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{".env": "KEY=one\n", "sub/id_rsa": "k\n", "a.txt": "a\n"}})
	p.write(".env", "KEY=hunter2\n")
	p.write("a.txt", "b\n")
	r := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	contains(t, r.TextContent(), ".env [not shown", "+b")
	lacks(t, r.TextContent(), "hunter2", "KEY")
	p.git("mv", "-f", ".env", "notes.txt")
	p.git("mv", "sub/id_rsa", "sub/harmless")
	r = must(p.Diff(t.Context(), git.DiffArgs{From: "HEAD"}))(t)
	lacks(t, r.TextContent(), "KEY=one")
	second := p.commit("second")
	p.git("checkout", "--quiet", "HEAD~1")
	r = must(p.Diff(t.Context(), git.DiffArgs{From: second, To: "HEAD"}))(t)
	lacks(t, r.Patch, "KEY=one")
	_, err := p.Blame(t.Context(), git.BlameArgs{Path: ".env"})
	wants(t, err, "PERMISSION_DENIED")
}

func TestDiff_ShiftJIS(t *testing.T) {
	text := func(n byte) string {
		return "\x93\xfa\x96\x7b\x8c\xea\x82\xcc\x95\xb6\x8f\xcd\x82\xc5\x82\xb7\n\x82\xb1\x82\xea\x82\xcd\x83\x65\x83\x58\x83\x67\x82\xc5\x82\xb7" + string(n) + "\n"
	}
	p := newProject(t, setup{files: map[string]string{"sjis.txt": text('1')}})
	p.write("sjis.txt", text('2'))
	r := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	contains(t, r.Patch, "日本語の文章です", "-これはテストです1", "+これはテストです2")
	b := must(p.Blame(t.Context(), git.BlameArgs{Path: "sjis.txt"}))(t)
	contains(t, b.TextContent(), "日本語の文章です", "これはテストです2", "not committed")
}

func TestLog(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	for i := range 30 {
		p.write("dir/b.txt", fmt.Sprint(i))
		p.commit(fmt.Sprintf("change %d\n\nThe body of %d.", i, i))
	}
	p.git("tag", "v1", "HEAD~5")
	r := must(p.Log(t.Context(), git.LogArgs{Limit: 10}))(t)
	if len(r.Commits) != 10 || r.Commits[0].Subject != "change 29" || r.Cursor == "" {
		t.Fatalf("%+v", r)
	}
	contains(t, r.TextContent(), "HEAD -> main", "tag: v1", "Tester <tester@example.com>")
	seen := 10
	for cursor := r.Cursor; cursor != ""; {
		page := must(p.Log(t.Context(), git.LogArgs{Limit: 10, Cursor: cursor}))(t)
		seen += len(page.Commits)
		cursor = page.Cursor
	}
	if seen != 31 {
		t.Errorf("the pages have %d commits", seen)
	}
	one := must(p.Log(t.Context(), git.LogArgs{Grep: "BODY OF 7", Body: true, Files: true}))(t)
	contains(t, one.TextContent(), "change 7", "    The body of 7.", "  M dir/b.txt")
	if len(one.Commits) != 1 {
		t.Errorf("%+v", one)
	}
	for args, n := range map[*git.LogArgs]int{
		{Path: "a.txt"}: 1, {Author: "nobody"}: 0, {Author: "tester@"}: 20, {Ref: "v1", Limit: 200}: 26, {Without: "v1"}: 5, {Since: "2030-01-01"}: 0, {Path: "never.txt"}: 0, {Grep: "--all"}: 0,
	} {
		if got := must(p.Log(t.Context(), *args))(t); len(got.Commits) != n {
			t.Errorf("%+v: %d commits, want %d", *args, len(got.Commits), n)
		}
	}
	_, err := p.Log(t.Context(), git.LogArgs{Ref: "--output=x"})
	wants(t, err, "UNKNOWN_REVISION")
	p.commit("new")
	_, err = p.Log(t.Context(), git.LogArgs{Limit: 10, Cursor: r.Cursor})
	wants(t, err, "INVALID_CURSOR")

	shallow := filepath.Join(realDir(t), "shallow")
	p.git("clone", "--quiet", "--depth=2", "file://"+p.dir, shallow)
	p.dir = shallow
	p.reopen(setup{})
	r = must(p.Log(t.Context(), git.LogArgs{}))(t)
	if len(r.Commits) != 2 || !r.Shallow {
		t.Errorf("%+v", r)
	}
	contains(t, must(p.Log(t.Context(), git.LogArgs{Path: "gone.txt"}))(t).TextContent(), "[no commits: no commit of HEAD has the path gone.txt, and there is no such file; check the path]\n[a shallow clone")
}

// TestBlame_Shallow does not take the first commit of a shallow clone for the origin of its lines.
func TestBlame_Shallow(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\n"}})
	p.write("a.txt", "one\ntwo\n")
	second := p.commit("second")
	p.write("a.txt", "one\ntwo\nthree\n")
	p.commit("third")
	if r := must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"}))(t); len(r.Oldest) > 0 || strings.Contains(r.TextContent(), "shallow") {
		t.Errorf("the whole history: %+v", r)
	}
	shallow := filepath.Join(realDir(t), "shallow")
	p.git("clone", "--quiet", "--depth=2", "file://"+p.dir, shallow)
	p.dir = shallow
	p.reopen(setup{})
	r := must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"}))(t)
	contains(t, r.TextContent(), "[a shallow clone: lines of "+second[:12]+" may be from older commits, which are missing]\n")
	r = must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt", StartLine: 3}))(t)
	if len(r.Oldest) > 0 {
		t.Errorf("a line of a known commit: %+v", r)
	}
}

// TestLog_UnknownPath distinguishes an unknown path from commits that the other arguments exclude.
func TestLog_UnknownPath(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\n"}})
	p.write("new.txt", "x\n")
	for path, want := range map[string]string{
		"nope.py": "[no commits: no commit of HEAD has the path nope.py, and there is no such file; check the path]\n",
		"new.txt": "[no commits: no commit of HEAD has the path new.txt: the file is not committed]\n",
	} {
		if s := must(p.Log(t.Context(), git.LogArgs{Path: path}))(t).TextContent(); s != want {
			t.Errorf("%s: %q", path, s)
		}
	}
	if s := must(p.Log(t.Context(), git.LogArgs{Path: "a.txt", Grep: "nothing of the kind"}))(t).TextContent(); s != "[no commits]\n" {
		t.Errorf("another reason: %q", s)
	}
}

// TestStatus_AheadWithoutUpstream compares with no branch if there is none.
func TestStatus_AheadWithoutUpstream(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\n"}})
	if r := must(p.Status(t.Context(), git.StatusArgs{}))(t); r.Ahead != nil || r.Behind != nil {
		t.Errorf("without an upstream: %+v", r.Head)
	}
	p.git("config", "branch.main.remote", "origin")
	p.git("config", "branch.main.merge", "refs/heads/main")
	p.git("config", "remote.origin.url", "https://localhost/x")
	p.git("config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
	r := must(p.Status(t.Context(), git.StatusArgs{}))(t)
	if r.Ahead != nil || r.Upstream != "origin/main" {
		t.Errorf("an upstream that was never fetched: %+v", r.Head)
	}
	contains(t, r.TextContent(), "which follows origin/main; there is no such branch here")
}

// The configuration of a repository cannot have git show a line of a file outside of the project.
func TestBlame_IgnoreRevsFileOfRepository(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\n", "revs": strings.Repeat("1", 40) + "\n"}})
	outside := filepath.Join(realDir(t), "private")
	p.put(outside, "SECRET line\n")
	p.git("config", "blame.ignoreRevsFile", outside)
	_, err := p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"})
	wants(t, err, "UNSAFE_REPOSITORY", "blame.ignoreRevsFile")
	if strings.Contains(err.Error(), "SECRET") {
		t.Errorf("the error shows the file: %v", err)
	}
	p.git("config", "blame.ignoreRevsFile", "revs")
	must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"}))(t)
}

func TestBlame(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "one\ntwo\nthree\nfour\n"}})
	first := p.git("rev-parse", "HEAD")
	p.write("a.txt", "one\ntwo\n  three\nfour\n")
	second := p.commit("second")
	p.write("a.txt", "one\ntwo\n  three\nfour!\n")
	r := must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"}))(t)
	if len(r.Ranges) != 3 || r.Ranges[0].Commit != first || r.Ranges[0].End != 2 || r.Ranges[1].Commit != second || r.Ranges[2].Commit != "" || r.NextLine != 0 {
		t.Errorf("%+v", r)
	}
	contains(t, r.TextContent(), "1\tone\n2\ttwo\n", "Tester: second]\n3\t  three\n", "not committed")
	r = must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt", StartLine: 2, EndLine: 3, Ref: "HEAD", IgnoreRevs: []string{"HEAD"}}))(t)
	if len(r.Ranges) != 1 || r.Ranges[0].Commit != first || r.NextLine != 4 {
		t.Errorf("%+v", r)
	}
	p.write("ignore", "# layout\n"+second+"\n"+strings.Repeat("1", 40)+"\n")
	r = must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt", StartLine: 3, EndLine: 3, Ref: "HEAD", IgnoreRevsFile: "ignore"}))(t)
	if r.Ranges[0].Commit != first {
		t.Errorf("%+v", r)
	}
	for code, args := range map[string]git.BlameArgs{
		"BAD_RANGE": {Path: "a.txt", StartLine: 9}, "INVALID_PARAMS": {Path: "a.txt", StartLine: 3, EndLine: 2}, "UNKNOWN_REVISION": {Path: "none.txt"},
	} {
		_, err := p.Blame(t.Context(), args)
		wants(t, err, code)
	}
	small := newProject(t, setup{limits: tools.Limits{Answer: 500}, files: map[string]string{"long.txt": strings.Repeat("a line of some length\n", 300)}})
	line, pages := 1, 0
	for ; line != 0; pages++ {
		line = must(small.Blame(t.Context(), git.BlameArgs{Path: "long.txt", StartLine: line}))(t).NextLine
	}
	if pages < 5 || pages > 100 {
		t.Errorf("%d pages", pages)
	}
}

// Repositories with SHA-256 have longer hashes.
func TestLog_SHA256Repository(t *testing.T) {
	p := newProject(t, setup{init: []string{"--object-format=sha256"}, files: map[string]string{"a.txt": "a\n"}})
	p.write("a.txt", "b\n")
	r := must(p.Commit(t.Context(), git.CommitArgs{Message: "second", All: true}))(t)
	if len(r.Hash) != 64 {
		t.Errorf("%+v", r)
	}
	b := must(p.Blame(t.Context(), git.BlameArgs{Path: "a.txt"}))(t)
	if len(b.Ranges) != 1 || b.Ranges[0].Commit != r.Hash {
		t.Errorf("%+v", b)
	}
	contains(t, must(p.Diff(t.Context(), git.DiffArgs{From: "HEAD~1"}))(t).Patch, "-a", "+b")
}

// A pattern matches names, or paths if it contains a slash.
func TestDiff_Patterns(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"z.go": "z\n", "sub/deep/y.go": "y\n", "sub/x.ts": "x\n", "a.txt": "a\n", "app/[id]/page.tsx": "p\n"}})
	for _, name := range []string{"z.go", "sub/deep/y.go", "sub/x.ts", "a.txt", "app/[id]/page.tsx"} {
		p.write(name, "changed\n")
	}
	p.write("new.go", "n\n")
	for _, tc := range []struct {
		paths, files, untracked, unmatched string
	}{
		{"*.go", "sub/deep/y.go z.go", "new.go", ""},
		{"sub/**/*.go", "sub/deep/y.go", "", ""},
		{"sub/*", "sub/deep/y.go sub/x.ts", "", ""},
		{"./*.{ts,txt}", "a.txt sub/x.ts", "", ""},
		{"*.go a.txt", "a.txt sub/deep/y.go z.go", "new.go", ""},
		{"app/[id]/page.tsx", "app/[id]/page.tsx", "", ""},
		{"app/[id]", "app/[id]/page.tsx", "", ""},
		{p.dir + "/sub/*.ts", "sub/x.ts", "", ""},
		{"new.go", "", "new.go", ""},
		{"*.rs", "", "", "*.rs"},
		{"none.go z.go", "z.go", "", "none.go"},
	} {
		r := must(p.Diff(t.Context(), git.DiffArgs{Paths: strings.Fields(tc.paths)}))(t)
		var files []string
		for _, f := range r.Files {
			files = append(files, f.Path)
			contains(t, r.Patch, "+++ b/"+f.Path)
		}
		if got := strings.Join(files, " "); got != tc.files || r.TotalFiles != len(files) {
			t.Errorf("%s: %s, want %s", tc.paths, got, tc.files)
		}
		if got := strings.Join(r.Untracked, " "); got != tc.untracked {
			t.Errorf("%s: untracked %s, want %s", tc.paths, got, tc.untracked)
		}
		if got := strings.Join(r.Unmatched, " "); got != tc.unmatched {
			t.Errorf("%s: unmatched %s, want %s", tc.paths, got, tc.unmatched)
		}
	}
	for _, pattern := range []string{"../*.go", "/etc/*"} {
		_, err := p.Diff(t.Context(), git.DiffArgs{Paths: []string{pattern}})
		wants(t, err, "PERMISSION_DENIED")
	}
	_, err := p.Diff(t.Context(), git.DiffArgs{Paths: []string{"{a"}})
	wants(t, err, "INVALID_PARAMS", "malformed")
	p.commit("second")
	r := must(p.Diff(t.Context(), git.DiffArgs{From: "HEAD~1", To: "HEAD", Paths: []string{"*.go", "*.rs"}, StatOnly: true}))(t)
	if r.TotalFiles != 3 || len(r.Untracked) > 0 || len(r.Unmatched) != 1 {
		t.Errorf("%+v", r)
	}
	r = must(p.Diff(t.Context(), git.DiffArgs{Paths: []string{"z.go"}}))(t)
	if r.TotalFiles != 0 || len(r.Unmatched) != 0 {
		t.Errorf("%+v", r)
	}
}

// Untracked files are listed beside the difference of the worktree.
func TestDiff_Untracked(t *testing.T) {
	p := newProject(t, setup{files: map[string]string{"a.txt": "a\n"}})
	for i := range 102 {
		p.write(fmt.Sprintf("new%03d.txt", i), "n\n")
	}
	r := must(p.Diff(t.Context(), git.DiffArgs{}))(t)
	if r.TotalFiles != 0 || r.UntrackedFiles != 102 || len(r.Untracked) != 100 {
		t.Errorf("%d changed, %d of %d untracked", r.TotalFiles, len(r.Untracked), r.UntrackedFiles)
	}
	contains(t, r.TextContent(), "no part of the difference: 102 files", "untracked new000.txt", "[100 of 102 untracked files]")
	if r := must(p.Diff(t.Context(), git.DiffArgs{Staged: true}))(t); len(r.Untracked) > 0 {
		t.Errorf("staged: %+v", r)
	}
}
