package fs_test

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func TestSearchContent(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"new.go":        "package a\n\nfunc Run() {}\nfunc run() {}\n// run\n",
		"old.go":        "func run() {}\r\nnothing\r\nrun\r\n",
		"docs/guide.md": "Run it.\n",
		"src/x_test.go": "run twice: run",
		".gitignore":    "build\n", "build/out.go": "run\n", ".github/ci.yml": "run: go test\n",
		"empty": "", "data.bin": "run\x00run\n", "日本.txt": "走る\nrunを走る\n",
	})
	p.age(t, "new.go", "日本.txt", "old.go", "build/out.go", ".github/ci.yml", "src/x_test.go", "docs/guide.md", "data.bin", "empty")
	yes, no := new(true), new(false)
	tests := []struct {
		name string
		args fs.SearchContentArgs
		want string
	}{
		{"smart: any case", fs.SearchContentArgs{Pattern: "run"}, "new.go:3,4,5 日本.txt:2 old.go:1,3 src/x_test.go:1 docs/guide.md:1"},
		{"smart: this case", fs.SearchContentArgs{Pattern: "Run"}, "new.go:3 docs/guide.md:1"},
		{"any case", fs.SearchContentArgs{Pattern: "RUN", CaseSensitive: no}, "new.go:3,4,5 日本.txt:2 old.go:1,3 src/x_test.go:1 docs/guide.md:1"},
		{"this case", fs.SearchContentArgs{Pattern: "run", CaseSensitive: yes}, "new.go:4,5 日本.txt:2 old.go:1,3 src/x_test.go:1"},
		{"expression", fs.SearchContentArgs{Pattern: `^func \w+\(`}, "new.go:3,4 old.go:1"},
		{"end of line", fs.SearchContentArgs{Pattern: `run$`}, "new.go:5 old.go:3 src/x_test.go:1"},
		{"text", fs.SearchContentArgs{Pattern: "run()", Literal: true}, "new.go:3,4 old.go:1"},
		{"no ASCII", fs.SearchContentArgs{Pattern: "走."}, "日本.txt:1,2"},
		{"directory", fs.SearchContentArgs{Pattern: "run", Path: "src"}, "src/x_test.go:1"},
		{"one file", fs.SearchContentArgs{Pattern: "run", Path: "docs/guide.md"}, "docs/guide.md:1"},
		{"one file, though the patterns leave it out", fs.SearchContentArgs{Pattern: "run", Path: "build/out.go", Glob: []string{"*.md"}}, "build/out.go:1"},
		{"ignored directory", fs.SearchContentArgs{Pattern: "run", Path: "build"}, "build/out.go:1"},
		{"names", fs.SearchContentArgs{Pattern: "run", Glob: []string{"*.go"}}, "new.go:3,4,5 old.go:1,3 src/x_test.go:1"},
		{"other names", fs.SearchContentArgs{Pattern: "run", Glob: []string{"*.go", "*.md", "!*_test.go"}}, "new.go:3,4,5 old.go:1,3 docs/guide.md:1"},
		{"all but a directory", fs.SearchContentArgs{Pattern: "run", Glob: []string{"!src/", "!docs"}}, "new.go:3,4,5 日本.txt:2 old.go:1,3"},
		{"one directory", fs.SearchContentArgs{Pattern: "run", Glob: []string{"src/"}}, "src/x_test.go:1"},
		{"paths", fs.SearchContentArgs{Pattern: "run", Glob: []string{"docs/**/*.md"}}, "docs/guide.md:1"},
		{"paths from the root", fs.SearchContentArgs{Pattern: "run", Path: "docs", Glob: []string{"docs/**/*.md"}}, "docs/guide.md:1"},
		{"ignored and hidden", fs.SearchContentArgs{Pattern: "run", IncludeIgnored: true, Glob: []string{"*.go", "*.yml"}}, "new.go:3,4,5 old.go:1,3 build/out.go:1 .github/ci.yml:1 src/x_test.go:1"},
		{"hidden by the pattern", fs.SearchContentArgs{Pattern: "run", Glob: []string{".github/**"}}, ".github/ci.yml:1"},
		{"context", fs.SearchContentArgs{Pattern: "func run", Context: 1}, "new.go:2-,3,4,5- old.go:1,2-"},
		{"wide context", fs.SearchContentArgs{Pattern: "func run", Context: 20}, "new.go:1-,2-,3,4,5- old.go:1,2-,3-"},
		{"context between", fs.SearchContentArgs{Pattern: "^run$|func run", Context: 1, Path: "old.go"}, "old.go:1,2-,3"},
		{"several lines", fs.SearchContentArgs{Pattern: `Run\(\) \{\}\nfunc`, Multiline: true}, "new.go:3,4"},
		{"nothing", fs.SearchContentArgs{Pattern: "walk"}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.grep(t, tt.args)
			if all := outline(got); all != tt.want {
				t.Errorf("got %s\nwant %s", all, tt.want)
			}
			matches := 0
			for _, f := range got.Files {
				matches += f.Matches
			}
			if got.TotalFiles != len(got.Files) || got.TotalMatches != matches || got.Truncated || got.NextCursor != "" || got.Incomplete {
				t.Errorf("got %d matches in %d files, truncated %v, incomplete %v", got.TotalMatches, got.TotalFiles, got.Truncated, got.Incomplete)
			}
		})
	}
}

func TestSearchContent_Text(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"a.go": "one\ntwo\nthree\nfour\nfive\nsix\ntwo\n", "b.go": "\ttwo\n", "c.bin": "\x00two", ".gitignore": "d\n", "d/two": "two", ".e": "two",
	})
	p.age(t, "a.go", "b.go")
	tests := []struct {
		name string
		args fs.SearchContentArgs
		want string
	}{
		{"content", fs.SearchContentArgs{Pattern: "two"}, "[3 matching lines in 2 files; 2 hidden; 1 ignored]\na.go\n2: two\n7: two\nb.go\n1: \ttwo\n[not searched: 1 binary file]\n"},
		{"context", fs.SearchContentArgs{Pattern: "two", Context: 1, Path: "a.go"}, "[3 lines"},
		{"files", fs.SearchContentArgs{Pattern: "two", OutputMode: "files", Glob: []string{"*.go"}}, "[3 matching lines in 2 files; 2 hidden; 1 ignored]\na.go\nb.go\n"},
		{"count", fs.SearchContentArgs{Pattern: "two", OutputMode: "count", Glob: []string{"*.go"}}, "[3 matching lines in 2 files; 2 hidden; 1 ignored]\na.go: 2\nb.go: 1\n"},
		{"nothing", fs.SearchContentArgs{Pattern: "seven"}, "[nothing found among 7 entries below .; 1 ignored and 3 hidden were left out: includeIgnored=true looks at them, too]\n[not searched: 1 binary file]\n"},
	}
	tests[1].want = "[2 matching lines in 1 file]\na.go\n1- one\n2: two\n3- three\n--\n6- six\n7: two\n"
	tests[4].want = strings.Replace(tests[4].want, "7 entries", "6 entries", 1)
	tests[4].want = strings.Replace(tests[4].want, "3 hidden", "2 hidden", 1)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := p.grep(t, tt.args).TextContent(); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
	first := p.grep(t, fs.SearchContentArgs{Pattern: "two", MaxResults: 1, Glob: []string{"*.go"}})
	if text := first.TextContent(); text != "[3 matching lines in 2 files; these are some of them, newest files first; 2 hidden; 1 ignored]\na.go (1 of 2)\n2: two\n[continue with cursor="+first.NextCursor+"]\n" {
		t.Errorf("got %q", text)
	}
}

func TestSearchContent_InvalidArguments(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "x\nx\n", "sub/x": "x\nx\n"})
	cursor := p.grep(t, fs.SearchContentArgs{Pattern: "x", Path: "sub", MaxResults: 1}).NextCursor
	tests := []struct {
		name string
		args fs.SearchContentArgs
		code string
		says []string
	}{
		{"no pattern", fs.SearchContentArgs{}, "INVALID_PARAMS", []string{"search_files"}},
		{"malformed pattern", fs.SearchContentArgs{Pattern: "a(b"}, "INVALID_PATTERN", nil},
		{"malformed glob", fs.SearchContentArgs{Pattern: "a", Glob: []string{"a[b"}}, "INVALID_PARAMS", []string{"a[b"}},
		{"empty glob", fs.SearchContentArgs{Pattern: "a", Glob: []string{"!"}}, "INVALID_PARAMS", nil},
		{"too many globs", fs.SearchContentArgs{Pattern: "a", Glob: make([]string, 65)}, "INVALID_PARAMS", []string{"64"}},
		{"too many", fs.SearchContentArgs{Pattern: "a", MaxResults: 1001}, "INVALID_PARAMS", []string{"1001"}},
		{"too much context", fs.SearchContentArgs{Pattern: "a", Context: 21}, "INVALID_PARAMS", []string{"21", "20"}},
		{"no such mode", fs.SearchContentArgs{Pattern: "a", OutputMode: "lines"}, "INVALID_PARAMS", []string{"lines", "count"}},
		{"missing", fs.SearchContentArgs{Pattern: "a", Path: "subb"}, "FILE_NOT_FOUND", []string{"Did you mean sub?"}},
		{"blocked", fs.SearchContentArgs{Pattern: "a", Path: ".env"}, "PERMISSION_DENIED", nil},
		{"no cursor", fs.SearchContentArgs{Pattern: "x", Cursor: "?"}, "INVALID_CURSOR", nil},
		{"cursor of another path", fs.SearchContentArgs{Pattern: "x", Cursor: cursor}, "INVALID_CURSOR", []string{"path"}},
		{"cursor of another pattern", fs.SearchContentArgs{Pattern: "y", Path: "sub", Cursor: cursor}, "INVALID_CURSOR", []string{"pattern"}},
		{"broken cursor", fs.SearchContentArgs{Pattern: "x", Path: "sub", Cursor: cursor[:8]}, "INVALID_CURSOR", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.SearchContent(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
}

// Blocked files are not found under any name.
func TestSearchContent_BlockedFiles(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{".env": "KEY=needle\n", "keys/id_rsa": "needle\n", "ok.txt": "needle\n"})
	if runtime.GOOS != "windows" {
		p.put(t, "link.txt", "-> .env")
		p.put(t, "out.txt", "-> /etc/passwd")
	}
	if err := os.Link(p.path(".env"), p.path("hard.txt")); err != nil {
		t.Skip(err)
	}
	got := p.grep(t, fs.SearchContentArgs{Pattern: "needle|root", IncludeIgnored: true})
	if outline(got) != "ok.txt:1" || got.TotalMatches != 1 || !got.Incomplete || strings.Join(got.Problems, ", ") != "hard.txt: PERMISSION_DENIED" {
		t.Errorf("got %s, problems %v", outline(got), got.Problems)
	}
	if text := got.TextContent(); !strings.HasPrefix(text, "[more than 1 matching line in 1 file") || !strings.Contains(text, "[not read: hard.txt: PERMISSION_DENIED]\n") {
		t.Errorf("the text is %q", text)
	}
	for _, path := range []string{"link.txt", "hard.txt", "keys/id_rsa"} {
		_, err := p.SearchContent(t.Context(), fs.SearchContentArgs{Pattern: "needle", Path: path})
		toolsettest.WantError(t, err, "PERMISSION_DENIED")
	}
}

func TestSearch_UnreadableDirectories(t *testing.T) {
	if os.Getuid() <= 0 {
		t.Skip("everything is allowed to this user")
	}
	p := newProject(t, setup{}, map[string]string{"a/x": "needle", "locked/y": "needle", "z/y": "needle", "z/locked": "needle"})
	for _, name := range []string{"locked", "z/locked"} {
		if err := os.Chmod(p.path(name), 0); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { os.Chmod(p.path("locked"), 0o755) })
	p.age(t, "a/x", "z/y")
	content := p.grep(t, fs.SearchContentArgs{Pattern: "needle"})
	if outline(content) != "a/x:1 z/y:1" || !content.Incomplete || strings.Join(content.Problems, ", ") != "z/locked: PERMISSION_DENIED, locked: PERMISSION_DENIED" {
		t.Errorf("search_content: %s, problems %v", outline(content), content.Problems)
	}
	if got := p.find(t, fs.SearchFilesArgs{Pattern: "y"}); foundPaths(got) != "z/y" || !got.Incomplete || len(got.Problems) != 1 {
		t.Errorf("search_files: %s, problems %v", foundPaths(got), got.Problems)
	}
	if got := p.structure(t, fs.WorkspaceStructureArgs{}); got.TotalFiles != 3 || !got.Truncated || len(got.Problems) != 1 {
		t.Errorf("get_workspace_structure: %d files, problems %v", got.TotalFiles, got.Problems)
	}
}
