package fs_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
)

// TestLeftOut_Counted checks the counts of left-out entries in every list and search, with and without results.
func TestLeftOut_Counted(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"main.go": "needle", ".hidden": "needle", ".gitignore": "*.log\n", "a.log": "needle", ".env": "needle", "key.pem": "needle", ".git/config": "x",
		"zero\u200bwidth.go": "needle",
	})
	want := fs.LeftOut{Hidden: 2, Ignored: 1, Withheld: 3, Unusable: 1}
	const text = "; 2 hidden; 1 ignored; 3 withheld by rules; 1 with an unusable name]\n"
	const advice = "; 1 ignored and 2 hidden were left out: includeIgnored=true looks at them, too; 3 withheld by rules and 1 with an unusable name cannot be looked at"
	check := func(name string, got fs.LeftOut, said, part string) {
		t.Helper()
		if got != want || !strings.Contains(said, part) {
			t.Errorf("%s: %+v in %q, want %+v and %q", name, got, said, want, part)
		}
	}
	list := p.list(t, fs.ListArgs{})
	check("list", list.LeftOut, list.TextContent(), "[.: 1 entry"+text)
	tree := p.structure(t, fs.WorkspaceStructureArgs{})
	check("structure", tree.LeftOut, tree.TextContent(), "[.: 1 file, 0 directories"+text)
	files := p.find(t, fs.SearchFilesArgs{Pattern: "*.go"})
	check("files", files.LeftOut, files.TextContent(), "[1 entry, newest first"+text)
	none := p.find(t, fs.SearchFilesArgs{Pattern: "*.rs"})
	check("no files", none.LeftOut, none.TextContent(), advice)
	lines := p.grep(t, fs.SearchContentArgs{Pattern: "needle"})
	check("lines", lines.LeftOut, lines.TextContent(), "[1 matching line in 1 file"+text)
	nothing := p.grep(t, fs.SearchContentArgs{Pattern: "haystack"})
	check("no lines", nothing.LeftOut, nothing.TextContent(), advice)
}

// TestNames_Linux lists, finds, searches, reads and edits files whose names only Windows refuses.
func TestNames_Linux(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows refuses these names")
	}
	names := []string{"aux.c", "con/k.c", "t:1.md", `back\slash.md`, "dot."}
	p := newProject(t, setup{}, nil)
	for _, name := range names {
		p.write(t, fs.WriteArgs{Path: name, Content: "needle\n", CreateDirectories: new(true)})
	}
	if got := p.list(t, fs.ListArgs{Recursive: true}); got.TotalCount != len(names)+1 || got.LeftOut != (fs.LeftOut{}) {
		t.Errorf("listed %q, %+v", paths(got), got.LeftOut)
	}
	if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle"}); got.TotalFiles != len(names) {
		t.Errorf("searched %+v", got)
	}
	for _, name := range names {
		if got := p.read(t, fs.ReadArgs{Path: name}); got.Content != "needle\n" || got.Path != name {
			t.Errorf("read %q: %+v", name, got)
		}
		if got := p.grep(t, fs.SearchContentArgs{Pattern: "needle", Path: name}); got.TotalMatches != 1 {
			t.Errorf("searched %q: %+v", name, got)
		}
		if got := p.edit(t, fs.EditArgs{Path: name, Edits: []fs.TextEdit{{OldText: "needle", NewText: "thread"}}}); got.Path != name {
			t.Errorf("edited %q: %+v", name, got)
		}
	}
	for pattern, want := range map[string]string{"aux.*": "aux.c", "t:1*": "t:1.md", "con/*.c": "con/k.c", `back\\slash.md`: `back\slash.md`} {
		if got := p.find(t, fs.SearchFilesArgs{Pattern: pattern}); got.TotalCount != 1 || got.Files[0].Path != want {
			t.Errorf("found %+v by %q", got, pattern)
		}
	}
}

// TestRead_LimitNote reads a file that is larger than an answer, and than maxSize.
func TestRead_LimitNote(t *testing.T) {
	p := newProject(t, setup{answer: 1000}, map[string]string{"long": strings.Repeat("123456789\n", 300)})
	for size, want := range map[int64]string{
		0:       "[cut here; continue with startLine=76]",
		100_000: "[cut here at the 750 bytes of an answer, which maxSize does not raise; continue with startLine=76]",
		100:     "[cut here by maxSize; continue with startLine=11]",
	} {
		if got := p.read(t, fs.ReadArgs{Path: "long", MaxSize: size}).TextContent(); !strings.HasSuffix(got, want) {
			t.Errorf("maxSize %d ends with %q, want %q", size, got[max(0, len(got)-120):], want)
		}
	}
	for _, tool := range p.Features().Tools {
		if d := tool.Tool(); d.Name == "read_file" && !strings.Contains(d.Description, fmt.Sprintf("over %d bytes", 1000)) {
			t.Errorf("read_file: %q", d.Description)
		}
	}
}
