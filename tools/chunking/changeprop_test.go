package chunking_test

import (
	"context"
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/chunking"
)

// realFiles returns source files of this machine, at most perLanguage of each extension: of the Go distribution, of Python, and of the
// npm packages beside the end-to-end tests.
func realFiles(perLanguage int, extensions ...string) []string {
	dirs := []string{filepath.Join(build.Default.GOROOT, "src"), "/usr/lib/python3", filepath.Join("..", "..", "internal", "test", "e2e")}
	if found, _ := filepath.Glob("/usr/lib/python3.*"); len(found) > 0 {
		dirs = append(dirs, found...)
	}
	skip := map[string]bool{"testdata": true, ".git": true}
	count := make(map[string]int)
	var files []string
	for _, dir := range dirs {
		_ = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() && skip[d.Name()] {
				return filepath.SkipDir
			}
			ext := filepath.Ext(path)
			if !slices.Contains(extensions, ext) {
				return nil
			}
			info, err := d.Info()
			if err != nil || !d.Type().IsRegular() || info.Size() < 500 || info.Size() > 40_000 || count[ext] >= 40*perLanguage {
				return nil
			}
			if count[ext]++; count[ext]%40 == 1 { // files of different packages
				files = append(files, path)
			}
			return nil
		})
	}
	return files
}

// Edits of real files: a piece that is replaced by itself changes nothing, an edit changes no byte outside of its chunk, and a deleted
// chunk that is inserted again restores the file, apart from blank lines. A refused edit changes nothing.
func TestChange_RealFiles(t *testing.T) {
	perLanguage, perFile, extensions := 5, 4, []string{".go", ".py", ".ts", ".js", ".java", ".c"}
	if testing.Short() {
		perLanguage, perFile, extensions = 4, 2, extensions[:2] // the grammars of other languages start slowly
	}
	random := rand.New(rand.NewPCG(1, 2))
	edited, inserted, refused := 0, 0, 0
	p := newProject(t, chunking.Options{InMemory: true}, nil)
	for n, path := range realFiles(perLanguage, extensions...) {
		raw, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(raw) || strings.Contains(string(raw), "\x00") {
			continue
		}
		name := fmt.Sprintf("f%d%s", n, filepath.Ext(path))
		p.put(t, name, string(raw))
		list, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: name})
		if err != nil || len(list.Functions) < 2 {
			continue
		}
		for range perFile {
			c := changed{project: p, name: name, path: path, content: string(raw), random: random, id: list.Functions[random.IntN(len(list.Functions))].ID}
			edited += c.edit(t)
			switch ok, err := c.deleteAndInsert(t); {
			case ok:
				inserted++
			case err != nil:
				refused++
			}
		}
	}
	t.Logf("%d edits, %d insertions of deleted chunks, %d refused", edited, inserted, refused)
	if edited < 2*perLanguage || inserted < perLanguage {
		t.Errorf("%d edits and %d insertions are too few; %d were refused", edited, inserted, refused)
	}
}

// changed is a chunk of a real file that is changed.
type changed struct {
	*project
	name, path, content string
	id                  string
	random              *rand.Rand
}

// restore writes the original content of the file.
func (c *changed) restore(t *testing.T) { c.put(t, c.name, c.content) }

// edit makes edits and returns the number of edits that were made.
func (c *changed) edit(t *testing.T) (made int) {
	chunk, err := c.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: c.id})
	if err != nil || chunk.Truncated {
		return 0
	}
	code := chunk.Code
	start := strings.Index(c.content, code)
	lines := strings.Split(code, "\n")
	piece := strings.TrimSpace(lines[c.random.IntN(len(lines))])
	if len(piece) < 5 || strings.Count(code, piece) != 1 || strings.Count(c.content, code) != 1 || strings.Contains(piece, "\r") {
		return 0
	}
	const marker = "/*dougu-marker*/"
	_, err = c.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: c.id, Edits: []chunking.TextEdit{{OldText: piece, NewText: marker}, {OldText: marker, NewText: piece}}})
	if err == nil {
		made++
	} else if security.CodeOf(err) == "EDIT_NO_MATCH" {
		t.Errorf("%s: %s: %v", c.path, c.id, err)
	}
	if got := c.read(t, c.name); got != c.content {
		t.Errorf("%s: %s: a piece that is replaced by itself changed the file", c.path, c.id)
	}
	r, err := c.EditChunk(t.Context(), chunking.EditChunkArgs{ChunkID: c.id, OldText: piece, NewText: piece + " "})
	got := c.read(t, c.name)
	switch {
	case err != nil && got != c.content:
		t.Errorf("%s: %s: a refused edit changed the file: %v", c.path, c.id, err)
	case err != nil:
		return made
	case !strings.HasPrefix(got, c.content[:start]) || !strings.HasSuffix(got, c.content[start+len(code):]) || len(r.Chunks) != 1:
		t.Errorf("%s: %s: bytes outside of the chunk changed: %+v", c.path, c.id, r.Diff)
	}
	c.restore(t)
	return made + 1
}

// deleteAndInsert deletes the chunk and inserts it again beside its neighbour. ok is false if that is not possible; err is the refusal.
func (c *changed) deleteAndInsert(t *testing.T) (ok bool, err error) {
	ctx := context.WithoutCancel(t.Context())
	chunk, err := c.Chunk(ctx, chunking.GetChunkArgs{ChunkID: c.id})
	if err != nil || chunk.Truncated {
		return false, nil
	}
	list, err := c.ListFunctions(ctx, chunking.ListFunctionsArgs{FilePath: c.name})
	if err != nil {
		return false, nil
	}
	beside, position := "", ""
	for i, e := range list.Functions {
		switch {
		case e.ID != c.id:
		case i > 0 && list.Functions[i-1].Container == e.Container && list.Functions[i-1].EndLine < e.Line:
			beside, position = list.Functions[i-1].ID, "after"
		case i+1 < len(list.Functions) && list.Functions[i+1].Container == e.Container && list.Functions[i+1].Line > e.EndLine:
			beside, position = list.Functions[i+1].ID, "before"
		}
	}
	if beside == "" {
		return false, nil
	}
	defer c.restore(t)
	if _, err = c.DeleteChunk(ctx, chunking.DeleteChunkArgs{ChunkID: c.id}); err != nil {
		if c.read(t, c.name) != c.content {
			t.Errorf("%s: %s: a refused deletion changed the file: %v", c.path, c.id, err)
		}
		return false, err
	}
	deleted := c.read(t, c.name)
	if _, err = c.InsertChunk(ctx, chunking.InsertChunkArgs{ChunkID: beside, Position: position, Code: chunk.Code}); err != nil {
		if c.read(t, c.name) != deleted {
			t.Errorf("%s: %s: a refused insertion changed the file: %v", c.path, c.id, err)
		}
		return false, err
	}
	got, want := sortedLines(c.read(t, c.name)), sortedLines(c.content)
	if got != want {
		t.Errorf("%s: %s: deleted and inserted %s %s, the file has other lines", c.path, c.id, position, beside)
	}
	return true, nil
}

// sortedLines returns the lines of a text that are not blank, sorted: code between two functions can be at another side of an inserted
// one.
func sortedLines(text string) string {
	var lines []string
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, "\r\n"))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}
