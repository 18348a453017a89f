package chunking_test

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/source"
)

// mixed returns one readable file and several others.
func mixed() map[string]string {
	return map[string]string{
		"a.go": stack, "b.odin": "b :: proc() {}\n", "src/c.odin": "c :: proc() {}\n", "d.NIM": "proc d() = discard\n", "e.quux": "func e\n",
		"run": "#!/usr/bin/tclsh\nputs\n", "LICENSE": "free\n", "README.md": "# x\n", "pic.png": "\x89PNG\x00", "go.sum": "x\n", "blob.xyz": "a\x00b", "data.json": "{}\n",
	}
}

func TestAnalyze_UnreadableFiles(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, mixed())
	r := p.analyze(t)
	if want := map[string]int{".odin": 2, ".nim": 1, ".quux": 1, "#!": 1}; !maps.Equal(r.Unreadable, want) || r.OtherFiles != 6 || r.Status != "success" {
		t.Errorf("unreadable are %v and %d others, status %s, want %v", r.Unreadable, r.OtherFiles, r.Status, want)
	}
	const says = "success: not readable here: 2 .odin, 1 script without an extension, 1 .nim, 1 .quux; 3 functions among "
	if text := r.TextContent(); !strings.HasPrefix(text, says) {
		t.Errorf("the text is %q", text)
	}
	if r := p.analyze(t); r.Unreadable[".odin"] != 2 {
		t.Errorf("the second time unreadable are %v", r.Unreadable)
	}
}

func TestAnalyze_ManyExtensions(t *testing.T) {
	files := map[string]string{"a.go": stack}
	for _, extension := range strings.Fields("odin nim hx d pas groovy rkt v awk elm") {
		files["x."+extension] = "x\n"
	}
	p := newProject(t, chunking.Options{InMemory: true}, files)
	if text := p.analyze(t).TextContent(); !strings.Contains(text, ", 2 with 2 other extensions; ") {
		t.Errorf("the text is %q", text)
	}
}

func TestAnalyze_NothingReadable(t *testing.T) {
	for about, files := range map[string]map[string]string{
		"foreign": {"a.odin": "a :: proc() {}\n", "b.odin": "b :: proc() {}\n"},
		"empty":   {},
		"binary":  {"a.go": "package p\x00"},
	} {
		p := newProject(t, chunking.Options{InMemory: true}, files)
		r := p.analyze(t)
		if text := r.TextContent(); r.Status != "empty" || !strings.Contains(text, "no source file could be read") {
			t.Errorf("%s: status %s, %q", about, r.Status, text)
		}
		if about == "foreign" && !strings.Contains(r.TextContent(), "not readable here: 2 .odin") {
			t.Errorf("the text is %q", r.TextContent())
		}
	}
}

func TestAnalyze_ExcludedLanguages(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true, Languages: []source.Language{source.Go}}, map[string]string{"a.go": stack, "b.py": "def f(): pass\n", "c.py": "x = 1\n", "run": "#!/usr/bin/python3\n"})
	r := p.analyze(t)
	if want := map[string]int{".py": 2, "#!": 1}; !maps.Equal(r.Excluded, want) || len(r.Unreadable) > 0 || !strings.Contains(r.TextContent(), "left out by the server's settings: 2 .py") {
		t.Errorf("excluded are %v, unreadable %v: %q", r.Excluded, r.Unreadable, r.TextContent())
	}
}

func TestAnalyze_LeftOut(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": stack, "out/b.go": stack, ".gitignore": "out\n"})
	if r := p.analyze(t); r.LeftOut != 2 || !strings.Contains(r.TextContent(), "2 entries not looked at: hidden, ignored or withheld") {
		t.Errorf("%d are left out: %q", r.LeftOut, r.TextContent())
	}
}

// A file without a parser has no list of functions, not an empty one.
func TestListFunctions_UnreadableLanguage(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, mixed())
	for file, says := range map[string]string{"b.odin": `no parser reads ".odin" files`, "run": "tell no language"} {
		_, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file})
		toolsettest.WantError(t, err, "NOT_SOURCE", "not readable here", says)
		_, err = p.FindFunction(t.Context(), chunking.FindFunctionArgs{FilePath: file, FunctionQuery: "b"})
		toolsettest.WantError(t, err, "NOT_SOURCE", "not readable here", says)
		_, err = p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: file + "#b"})
		toolsettest.WantError(t, err, "NOT_SOURCE", "not readable here", says)
	}
}

// A search without a hit describes the files that it has searched.
func TestSearchSymbols_NothingFound(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, mixed())
	p.analyze(t)
	for _, tc := range []struct {
		args chunking.SearchSymbolsArgs
		says string
	}{
		{chunking.SearchSymbolsArgs{Query: "zzz"}, "[0 found; 1 of 1 indexed files were searched (1 go); not readable here and so left out: 2 .odin, "},
		{chunking.SearchSymbolsArgs{Query: "Push", Language: "python"}, "[0 found; no indexed file has this language and path; indexed are 1 go"},
		{chunking.SearchSymbolsArgs{Query: "Push", Path: "src/**"}, "[0 found; no indexed file has this language and path; indexed are 1 go"},
	} {
		r, err := p.SearchSymbols(t.Context(), tc.args)
		if err != nil || !strings.HasPrefix(r.TextContent(), tc.says) {
			t.Errorf("%+v: %q, %v", tc.args, r.TextContent(), err)
		}
	}
	if r, err := p.RepoMap(t.Context(), chunking.RepoMapArgs{}); err != nil || !strings.Contains(r.TextContent(), "in 1 file; not readable here and so left out: 2 .odin, ") {
		t.Errorf("the map says %q, %v", r.TextContent(), err)
	}
}

// An answer from the index names the files that an analysis has not read, also if the call did not wait for its end.
func TestAnalyze_UnreadAfterRunning(t *testing.T) {
	s := slow{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	p := newProject(t, chunking.Options{Parsers: source.NewParsers(s), InMemory: true}, map[string]string{"a.rb": "x", "b.odin": "b :: proc() {}\n"})
	if r, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{WaitMs: 1}); err != nil || r.Status != "running" {
		t.Fatalf("%+v, %v", r, err)
	}
	close(s.goOn)
	waittest.Until(t, "the search names the unread file", func() bool {
		r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "zzz"})
		return err == nil && strings.Contains(r.TextContent(), "left out: 1 .odin")
	})
}

// The analysis of a subdirectory adds its new files to the counts of its parent.
func TestAnalyze_UnreadInSubdirectory(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, mixed())
	for _, tc := range []struct{ dir, add, says string }{
		{"src", "", "left out: 1 .odin]"},
		{".", "", "left out: 2 .odin, 1 script"},
		{"src", "src/d.odin", "left out: 2 .odin, 1 script"},
		{"src", "src/e.odin", "left out: 3 .odin, 1 script"},
		{".", "", "left out: 4 .odin, 1 script"},
	} {
		if tc.add != "" {
			p.put(t, tc.add, "d :: proc() {}\n")
		}
		p.put(t, "src/a.go", stack)
		if _, err := p.Analyze(t.Context(), chunking.AnalyzeArgs{ProjectPath: tc.dir}); err != nil {
			t.Fatal(err)
		}
		if r, err := p.SearchSymbols(t.Context(), chunking.SearchSymbolsArgs{Query: "zzz"}); err != nil || !strings.Contains(r.TextContent(), tc.says) {
			t.Errorf("after %s %s: %q, %v", tc.dir, tc.add, r.TextContent(), err)
		}
	}
}

// A file whose name determines its language is counted by that name.
func TestAnalyze_UnreadableName(t *testing.T) {
	for _, o := range []chunking.Options{{Parsers: source.NewParsers(zig{})}, {Languages: []source.Language{source.Go}}} {
		o.InMemory = true
		p := newProject(t, o, map[string]string{"a.odin": "a :: proc() {}\n", "b.go": stack, "Rakefile": "task :a\n"})
		if r := p.analyze(t); r.Unreadable["Rakefile"]+r.Excluded["Rakefile"] != 1 || !strings.Contains(r.TextContent(), "1 Rakefile") {
			t.Errorf("unreadable are %v, excluded %v: %q", r.Unreadable, r.Excluded, r.TextContent())
		}
	}
}

// An unreadable file does not affect other files with its extension.
func TestAnalyze_BlockedFile(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{".env": "A=b\n", "b.quux": "func b\n", "c.quux": "func c\n"})
	if err := os.Link(filepath.Join(p.dir, ".env"), filepath.Join(p.dir, "a.quux")); err != nil {
		t.Skip(err)
	}
	if r := p.analyze(t); r.Unreadable[".quux"] != 2 || r.OtherFiles != 1 {
		t.Errorf("unreadable are %v and %d others", r.Unreadable, r.OtherFiles)
	}
}

func TestAnalyze_UnknownLanguagesAreCounted(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{
		"a.go": stack, "ios/View.m": "@implementation View\n@end\n", "ios/Bridge.mm": "@implementation Bridge\n@end\n", "utf16.quux": "f\x00\n\x00",
	})
	r := p.analyze(t)
	unread := 0
	for _, n := range r.Unreadable {
		unread += n
	}
	if r.Parsed+unread != 4 || r.OtherFiles != 0 || r.Unreadable[".quux"] != 1 {
		t.Errorf("%d files are read, unreadable are %v and %d others", r.Parsed, r.Unreadable, r.OtherFiles)
	}
}
