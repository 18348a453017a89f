package fs_test

import (
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func foundPaths(r fs.SearchFilesResult) string {
	var all []string
	for _, f := range r.Files {
		all = append(all, f.Path)
	}
	return strings.Join(all, " ")
}

func TestSearchFiles(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"main.go": "", "src/app/main.go": "", "src/app/main_test.go": "", "src/Main.java": "", "docs/main/index.md": "", "src/日本語.txt": "",
		".gitignore": "build/\n", "build/main.go": "", ".github/main.yml": "", ".env": "SECRET=main",
	})
	p.age(t, "src/app/main.go", "src/app/main_test.go", "src/Main.java", "main.go", "docs/main/index.md", "docs/main", "build/main.go", ".github/main.yml", "src/日本語.txt", "src/app", "src", "docs")
	tests := []struct {
		name string
		args fs.SearchFilesArgs
		want string
		says string
	}{
		{"names", fs.SearchFilesArgs{Pattern: "*.go"}, "src/app/main.go src/app/main_test.go main.go", "3 entries, newest first"},
		{"names with alternatives", fs.SearchFilesArgs{Pattern: "*.{java,md}"}, "src/Main.java docs/main/index.md", ""},
		{"paths", fs.SearchFilesArgs{Pattern: "src/**/*.go"}, "src/app/main.go src/app/main_test.go", ""},
		{"paths from the top", fs.SearchFilesArgs{Pattern: "/*.go"}, "main.go", ""},
		{"exact names", fs.SearchFilesArgs{Pattern: "main.go"}, "src/app/main.go main.go", ""},
		{"exact path", fs.SearchFilesArgs{Pattern: "./src/app/main.go"}, "src/app/main.go", ""},
		{"part of a name", fs.SearchFilesArgs{Pattern: "MAIN"}, "src/app/main.go src/app/main_test.go src/Main.java main.go docs/main", `nothing is called "MAIN"; these contain it`},
		{"part of a path", fs.SearchFilesArgs{Pattern: "App/main"}, "src/app/main.go src/app/main_test.go", `nothing is called "App/main"`},
		{"directories", fs.SearchFilesArgs{Pattern: "main", FileType: "directory"}, "docs/main", ""},
		{"files", fs.SearchFilesArgs{Pattern: "main*", FileType: "file"}, "src/app/main.go src/app/main_test.go main.go", ""},
		{"a slash at the end", fs.SearchFilesArgs{Pattern: "main/"}, "docs/main", ""},
		{"below a directory", fs.SearchFilesArgs{Pattern: "*.go", Path: "src"}, "src/app/main.go src/app/main_test.go", ""},
		{"pattern from the root", fs.SearchFilesArgs{Pattern: "src/app/*.go", Path: "src"}, "src/app/main.go src/app/main_test.go", ""},
		{"absolute pattern", fs.SearchFilesArgs{Pattern: "{dir}/src/*.java"}, "src/Main.java", ""},
		{"ignored and hidden", fs.SearchFilesArgs{Pattern: "main.*", IncludeIgnored: true}, "src/app/main.go main.go build/main.go .github/main.yml", ""},
		{"an ignored directory", fs.SearchFilesArgs{Pattern: "main.*", Path: "build"}, "build/main.go", ""},
		{"hidden by the pattern", fs.SearchFilesArgs{Pattern: ".github/*"}, ".github/main.yml", ""},
		{"no ASCII", fs.SearchFilesArgs{Pattern: "*本*"}, "src/日本語.txt", ""},
		{"nothing", fs.SearchFilesArgs{Pattern: "*.rs"}, "", "nothing found among 13 entries below .; 1 ignored and 2 hidden were left out: includeIgnored=true"},
		{"nothing, and nothing left out", fs.SearchFilesArgs{Pattern: "*.rs", Path: "docs"}, "", "nothing found among 2 entries below docs]"},
		{"secrets", fs.SearchFilesArgs{Pattern: ".env", IncludeIgnored: true}, "", "nothing found"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.args.Pattern = strings.ReplaceAll(tt.args.Pattern, "{dir}", strings.ReplaceAll(p.dir, `\`, "/"))
			got := p.find(t, tt.args)
			if all := foundPaths(got); all != tt.want {
				t.Errorf("got %s\nwant %s", all, tt.want)
			}
			if got.TotalCount != len(got.Files) || got.Truncated || got.Incomplete {
				t.Errorf("got %d of %d, truncated %v, incomplete %v", len(got.Files), got.TotalCount, got.Truncated, got.Incomplete)
			}
			if text := got.TextContent(); !strings.Contains(text, tt.says) {
				t.Errorf("the text is %q, which does not say %q", text, tt.says)
			}
		})
	}
}

func TestSearchFiles_EntryMembers(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"a.txt": "12345", "b.txt/": "", "empty.txt": ""})
	p.age(t, "a.txt", "b.txt", "empty.txt")
	if runtime.GOOS != "windows" {
		p.put(t, "link.txt", "-> a.txt")
	}
	got := p.find(t, fs.SearchFilesArgs{Pattern: "[abe]*.txt"})
	asJSON, err := json.Marshal(got)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"files":[{"path":"a.txt","type":"file","size":5,"lastModified":"2026-05-06T07:08:09Z"},` +
		`{"path":"b.txt","type":"directory","lastModified":"2026-05-06T06:08:09Z"},` +
		`{"path":"empty.txt","type":"file","size":0,"lastModified":"2026-05-06T05:08:09Z"}],"totalCount":3,"truncated":false}`
	if string(asJSON) != want {
		t.Errorf("got %s\nwant %s", asJSON, want)
	}
	if text := got.TextContent(); text != "[3 entries, newest first]\na.txt\t5\nb.txt/\nempty.txt\t0\n" {
		t.Errorf("the text is %q", text)
	}
	if runtime.GOOS != "windows" {
		if got := p.find(t, fs.SearchFilesArgs{Pattern: "link*"}); len(got.Files) != 1 || got.Files[0].Type != "symlink" {
			t.Errorf("the link is %+v", got.Files)
		}
		if got := p.find(t, fs.SearchFilesArgs{Pattern: "link*", FileType: "file"}); got.TotalCount != 0 {
			t.Errorf("the link is a file: %+v", got.Files)
		}
	}
}

func TestSearchFiles_NewestFirst(t *testing.T) {
	files := map[string]string{}
	var order []string
	for i := range 500 {
		name := fmt.Sprintf("d%d/a rather long name that takes room/f%d.txt", i%7, i*7919%500)
		files[name] = ""
		order = append(order, name)
	}
	p := newProject(t, setup{}, files)
	p.age(t, order...)
	for _, limit := range []int{1, 7, 100, 499} {
		got := p.find(t, fs.SearchFilesArgs{Pattern: "*.txt", MaxResults: limit})
		if n := len(got.Files); n > limit || n < min(limit, 100) || !got.Truncated || got.TotalCount != 500 {
			t.Errorf("got %d of %d, truncated %v", n, got.TotalCount, got.Truncated)
		}
		for i, f := range got.Files {
			if f.Path != order[i] {
				t.Fatalf("entry %d is %s, want %s", i, f.Path, order[i])
			}
		}
		text := got.TextContent()
		if !strings.HasPrefix(text, fmt.Sprintf("[the newest %d of 500 entries]", len(got.Files))) || !strings.HasSuffix(text, "[cut here; narrow pattern or path to see others]\n") {
			t.Errorf("the text is %.100s … %s", text, text[len(text)-100:])
		}
		if asJSON, err := json.Marshal(got); err != nil || len(asJSON) > 32<<10 || len(text) > 32<<10 {
			t.Errorf("%d bytes of JSON and %d of text: %v", len(asJSON), len(text), err)
		}
	}
}

func TestSearchFiles_Refusals(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "", "sub/x": ""})
	tests := []struct {
		name string
		args fs.SearchFilesArgs
		code string
		says []string
	}{
		{"no pattern", fs.SearchFilesArgs{}, "INVALID_PARAMS", []string{"*.go"}},
		{"malformed pattern", fs.SearchFilesArgs{Pattern: "a[b"}, "INVALID_PARAMS", []string{"a[b"}},
		{"too many", fs.SearchFilesArgs{Pattern: "*", MaxResults: 1001}, "INVALID_PARAMS", []string{"1001", "1000"}},
		{"negative", fs.SearchFilesArgs{Pattern: "*", MaxResults: -1}, "INVALID_PARAMS", []string{"-1"}},
		{"no such type", fs.SearchFilesArgs{Pattern: "*", FileType: "link"}, "INVALID_PARAMS", []string{"link", "directory"}},
		{"missing", fs.SearchFilesArgs{Pattern: "*", Path: "subb"}, "FILE_NOT_FOUND", []string{"Did you mean sub?"}},
		{"a file", fs.SearchFilesArgs{Pattern: "*", Path: "f.txt"}, "NOT_A_DIRECTORY", []string{"directory"}},
		{"outside", fs.SearchFilesArgs{Pattern: "*", Path: "/etc"}, "PERMISSION_DENIED", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.SearchFiles(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
}

// Links in circles, links to the outside and unreadable directories do not end a search.
func TestSearchFiles_HostileTree(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs links")
	}
	p := newProject(t, setup{}, map[string]string{
		"a/b/x.go": "", "a/loop": "-> ../a", "a/out": "-> /etc", "a/self": "-> self", "\"quoted\".go": "", "-rf.go": "", "a\tb.go": "", strings.Repeat("n", 250) + ".go": "",
	})
	if err := os.MkdirAll(p.path(strings.Repeat("d/", 70)), 0o755); err != nil {
		t.Fatal(err)
	}
	got := p.find(t, fs.SearchFilesArgs{Pattern: "*.go"})
	// A name with a control character cannot be said in a call, so it is counted and not shown.
	if got.TotalCount != 4 || !got.Incomplete || !got.Truncated || !strings.Contains(got.TextContent(), "[more than 4 entries, newest first; 1 with an unusable name]") {
		t.Errorf("got %s: %+v", foundPaths(got), got)
	}
}
