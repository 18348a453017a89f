package fs_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/fs"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
)

func (p project) structure(t testing.TB, args fs.WorkspaceStructureArgs) fs.WorkspaceStructure {
	t.Helper()
	got, err := p.WorkspaceStructure(t.Context(), args)
	if err != nil {
		t.Fatalf("looking at %+v: %v", args, err)
	}
	return got
}

// sketch writes a tree in one line: "src(app(main.go) +3) README.md" with the number of folded entries.
func sketch(n fs.TreeNode) string {
	var parts []string
	for _, child := range n.Children {
		if child.Type == "directory" {
			parts = append(parts, child.Name+"("+sketch(child)+")")
		} else {
			parts = append(parts, child.Name)
		}
	}
	if n.Folded != nil {
		parts = append(parts, fmt.Sprintf("+%d/%d", n.Folded.Files, n.Folded.Directories))
	}
	return strings.Join(parts, " ")
}

func TestWorkspaceStructure(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{
		"README.md": "hello", "src/main.go": "", "src/app/a.go": "", "src/app/b.ts": "", "src/app/deep/er/x.go": "", "empty/": "",
		".gitignore": "build\n", "build/out": "", ".github/ci.yml": "", ".env": "SECRET", "docs/a.md": "", "docs/b.md": "",
	})
	tests := []struct {
		name               string
		args               fs.WorkspaceStructureArgs
		want               string
		files, directories int
	}{
		{"all", fs.WorkspaceStructureArgs{}, "docs(a.md b.md) empty() src(app(deep(er(x.go)) a.go b.ts) main.go) README.md", 7, 6},
		{"one level", fs.WorkspaceStructureArgs{MaxDepth: 1}, "docs(+2/0) empty() src(+4/3) README.md", 7, 6},
		{"three levels", fs.WorkspaceStructureArgs{MaxDepth: 3}, "docs(a.md b.md) empty() src(app(deep(+1/1) a.go b.ts) main.go) README.md", 7, 6},
		{"without some", fs.WorkspaceStructureArgs{ExcludePatterns: []string{"docs", "*.ts", "src/app/deep/**"}}, "empty() src(app(a.go) main.go) README.md", 3, 3},
		{"below", fs.WorkspaceStructureArgs{Path: "src/app"}, "deep(er(x.go)) a.go b.ts", 3, 2},
		{"nothing", fs.WorkspaceStructureArgs{Path: "empty"}, "", 0, 0},
		{"ignored", fs.WorkspaceStructureArgs{Path: "build"}, "out", 1, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := p.structure(t, tt.args)
			if all := sketch(got.Root); all != tt.want {
				t.Errorf("got  %s\nwant %s", all, tt.want)
			}
			if got.TotalFiles != tt.files || got.TotalDirectories != tt.directories || got.Truncated != strings.Contains(tt.want, "+") || got.Incomplete {
				t.Errorf("got %d files, %d directories, truncated %v", got.TotalFiles, got.TotalDirectories, got.Truncated)
			}
		})
	}

	got := p.structure(t, fs.WorkspaceStructureArgs{MaxDepth: 2})
	want := "[.: 7 files, 6 directories; 2 hidden; 1 ignored; 1 withheld by rules]\n" +
		"docs/\n  a.md\n  b.md\nempty/\nsrc/\n  app/ … 3 files (.go 2, .ts 1), 2 directories\n  main.go\nREADME.md\n" +
		"[… is folded; ask for a directory with path to see more of it, or raise maxBytes]\n"
	if text := got.TextContent(); text != want {
		t.Errorf("got  %q\nwant %q", text, want)
	}
	asJSON, err := json.Marshal(got.Root.Children[2])
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"name":"src","path":"src","type":"directory","children":[{"name":"app","path":"src/app","type":"directory","children":[],"folded":{"files":3,"directories":2}},` +
		`{"name":"main.go","path":"src/main.go","type":"file","size":0}]}`; string(asJSON) != want {
		t.Errorf("got  %s\nwant %s", asJSON, want)
	}
	if root := got.Root; root.Path != "." || root.Type != "directory" || !strings.HasSuffix(p.dir, root.Name) {
		t.Errorf("the root is %+v", root)
	}
}

// A large directory leaves room for the others, and high levels are shown first.
func TestWorkspaceStructure_Folding(t *testing.T) {
	files := map[string]string{"README.md": "", "src/main.go": "", "src/app/deep/x.go": "", "z/last.go": ""}
	for i := range 1500 {
		files[fmt.Sprintf("assets/%s-%04d.%s", "icon", i, []string{"png", "png", "svg"}[i%3])] = ""
	}
	for i := range 300 {
		files[fmt.Sprintf("packages/p%03d/index.js", i)] = ""
	}
	p := newProject(t, setup{}, files)
	for _, size := range []int{500, 24_000} {
		got := p.structure(t, fs.WorkspaceStructureArgs{MaxBytes: size})
		text := got.TextContent()
		if len(text) > size+250 {
			t.Errorf("%d bytes of text; %d are allowed", len(text), size)
		}
		asJSON, err := json.Marshal(got.Root)
		if err != nil || len(asJSON) > size*4/3 {
			t.Errorf("%d bytes of JSON, %d are allowed: %v", len(asJSON), size*4/3, err)
		}
		if !got.Truncated || got.TotalFiles != 1804 || got.TotalDirectories != 306 {
			t.Errorf("%d files, %d directories, truncated %v", got.TotalFiles, got.TotalDirectories, got.Truncated)
		}
		for _, want := range []string{"assets/\n", "more files (.png ", "packages/\n  p000/", "src/\n", "  main.go", "z/\n  last.go", "README.md"} {
			if !strings.Contains(text, want) {
				t.Errorf("in %d bytes there is no %s:\n%s", size, want, text)
			}
		}
		if size == 24_000 && (!strings.Contains(text, "p299/\n    index.js\n") || !strings.Contains(text, "x.go")) {
			t.Errorf("in %d bytes, small directories have no room:\n%s", size, text)
		}
	}
}

// Every tree is shown in its bounds, loses nothing and looks the same each time.
func TestWorkspaceStructure_Counts(t *testing.T) {
	for seed := range uint64(4) {
		r := rand.New(rand.NewPCG(seed, 2))
		files := map[string]string{}
		for i := range 20 + r.IntN(200) {
			name := fmt.Sprintf("f%d%s.x%d", i, strings.Repeat("n", r.IntN(1+r.IntN(60))), r.IntN(9))
			for range r.IntN(9) {
				name = fmt.Sprintf("%s%d/%s", strings.Repeat("d", 1+r.IntN(12)), r.IntN(4), name)
			}
			files[name] = ""
		}
		p := newProject(t, setup{}, files)
		for range 4 {
			args := fs.WorkspaceStructureArgs{MaxDepth: 1 + r.IntN(10), MaxBytes: 500 + r.IntN(20_000)}
			got, again := p.structure(t, args), p.structure(t, args)
			if got.TextContent() != again.TextContent() || sketch(got.Root) != sketch(again.Root) {
				t.Fatalf("seed %d, %+v: two looks differ", seed, args)
			}
			nodes := count(t, got.Root, args.MaxDepth)
			if nodes.Files != got.TotalFiles || nodes.Directories != got.TotalDirectories || got.TotalFiles != len(files) {
				t.Errorf("seed %d, %+v: the tree has %+v, the totals are %d and %d of %d", seed, args, nodes, got.TotalFiles, got.TotalDirectories, len(files))
			}
			asJSON, err := json.Marshal(got.Root)
			if text := got.TextContent(); err != nil || len(text) > args.MaxBytes+250 || len(asJSON) > args.MaxBytes*4/3 {
				t.Errorf("seed %d, %+v: %d bytes of text and %d of JSON", seed, args, len(text), len(asJSON))
			}
		}
		if whole := p.structure(t, fs.WorkspaceStructureArgs{MaxDepth: 10, MaxBytes: 1_000_000}); whole.Truncated || strings.Contains(whole.TextContent(), "…") {
			t.Errorf("seed %d: not everything is shown though there is room", seed)
		}
	}
}

// count adds up what a tree shows and what it folds.
func count(t *testing.T, n fs.TreeNode, levels int) fs.Folded {
	var all fs.Folded
	if n.Folded != nil {
		all = *n.Folded
	}
	if len(n.Children) > 0 && levels == 0 {
		t.Errorf("%s is too deep", n.Children[0].Path)
	}
	for i, child := range n.Children {
		if i > 0 && n.Children[i-1].Type == child.Type && n.Children[i-1].Name >= child.Name || i > 0 && n.Children[i-1].Type == "file" && child.Type == "directory" {
			t.Errorf("%s comes behind %s", child.Path, n.Children[i-1].Path)
		}
		if child.Type != "directory" {
			all.Files++
			continue
		}
		below := count(t, child, levels-1)
		all.Files += below.Files
		all.Directories += below.Directories + 1
	}
	return all
}

func TestWorkspaceStructure_Refusals(t *testing.T) {
	p := newProject(t, setup{}, map[string]string{"f.txt": "", "sub/x": ""})
	tests := []struct {
		name string
		args fs.WorkspaceStructureArgs
		code string
		says []string
	}{
		{"too deep", fs.WorkspaceStructureArgs{MaxDepth: 11}, "INVALID_PARAMS", []string{"11", "10"}},
		{"negative", fs.WorkspaceStructureArgs{MaxDepth: -1}, "INVALID_PARAMS", nil},
		{"too small", fs.WorkspaceStructureArgs{MaxBytes: 499}, "INVALID_PARAMS", []string{"500"}},
		{"malformed pattern", fs.WorkspaceStructureArgs{ExcludePatterns: []string{"a[b"}}, "INVALID_PARAMS", []string{"a[b"}},
		{"missing", fs.WorkspaceStructureArgs{Path: "subb"}, "FILE_NOT_FOUND", []string{"Did you mean sub?"}},
		{"a file", fs.WorkspaceStructureArgs{Path: "f.txt"}, "NOT_A_DIRECTORY", nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := p.WorkspaceStructure(t.Context(), tt.args)
			toolsettest.WantError(t, err, tt.code, tt.says...)
		})
	}
}
