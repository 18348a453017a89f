package parsecheck_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// lastParsed is a parser that remembers its last result: a file is parsed often in a row.
type lastParsed struct {
	all  *source.Parsers
	lang source.Language
	src  []byte
	file *source.File
}

func (p *lastParsed) Name() string                 { return "last" }
func (p *lastParsed) Languages() []source.Language { return p.all.Languages() }

func (p *lastParsed) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if p.file != nil && lang == p.lang && bytes.Equal(src, p.src) {
		return p.file, nil
	}
	file, err := p.all.Parse(ctx, src, lang, o)
	if err == nil {
		p.lang, p.src, p.file = lang, bytes.Clone(src), file
	}
	return file, err
}

// fileVariants are the ways in which files are written differently on disk.
var fileVariants = []struct {
	name   string
	change func(src string) string
}{
	{"as it is", func(src string) string { return src }},
	{"CRLF", func(src string) string {
		return strings.ReplaceAll(strings.ReplaceAll(src, "\r\n", "\n"), "\n", "\r\n")
	}},
	{"byte-order mark", func(src string) string { return "\ufeff" + strings.TrimPrefix(src, "\ufeff") }},
	{"no final newline", func(src string) string { return strings.TrimRight(src, "\r\n") }},
}

// answerVariants are the forms in which a client has the text of a function from the tools.
var answerVariants = []struct {
	name string
	text func(r chunking.ChunkResult) string
}{
	{"code", func(r chunking.ChunkResult) string { return r.Code }},
	{"text of the result", chunking.ChunkResult.TextContent},
	{"line feeds", func(r chunking.ChunkResult) string { return strings.ReplaceAll(r.Code, "\r\n", "\n") + "\n" }},
}

// TestSelfReplacement writes functions back as the tools show them: no byte of the file changes.
func TestSelfReplacement(t *testing.T) {
	t.Parallel()
	const each = 1800 // functions of a language
	all := chunkingCorpora(t)
	dir := t.TempDir()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	parsers := source.NewParsers(&lastParsed{all: builtinParsers(t)})
	set, err := chunking.New(t.Context(), tools.Env{Root: root}, chunking.Options{InMemory: true, Parsers: parsers})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close(context.Background()) })
	var functions, refused, changed int
	for _, lang := range source.Languages() {
		n, no, bad := 0, 0, 0
		for i, f := range shuffled(all[lang]) {
			if n >= each {
				break
			}
			content := f.read(t)
			if len(content) > 200<<10 {
				continue
			}
			variant := fileVariants[i%len(fileVariants)]
			src := variant.change(string(content))
			name := fmt.Sprintf("%s-%d%s", lang, i, filepath.Ext(f.path))
			if err := os.WriteFile(filepath.Join(dir, name), []byte(src), 0o644); err != nil {
				t.Fatal(err)
			}
			sum := sha256.Sum256([]byte(src))
			list, err := set.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: name, Language: string(lang)})
			if err != nil {
				continue // a file that no tool reads
			}
			for j, entry := range list.Functions {
				r, err := set.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: name, FunctionSignature: entry.ID, Language: string(lang), IncludeContext: j%2 == 0})
				if err != nil {
					t.Fatalf("%s: %v", entry.ID, err)
				}
				answer := answerVariants[j%len(answerVariants)]
				n++
				done, err := set.Replace(t.Context(), chunking.ReplaceArgs{FilePath: name, FunctionSignature: entry.ID, Language: string(lang), NewCode: answer.text(r), DryRun: true})
				switch {
				case err != nil:
					no++
					if !parsecheck.HeldOut(f.name) {
						t.Logf("refused %s %s: %v", f.name, entry.ID, err)
					}
					if _, ok := err.(*mcp.ToolError); !ok {
						t.Errorf("%s: %v", entry.ID, err)
					}
				case done.SHA256 != hex.EncodeToString(sum[:]):
					bad++
					t.Errorf("%s, %s, %s: %s changes:\n%s", f.name, variant.name, answer.name, entry.ID, done.Diff)
				}
			}
			if err := os.Remove(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d functions, %d refused, %d changed", lang, n, no, bad)
		functions, refused, changed = functions+n, refused+no, changed+bad
	}
	t.Logf("%d functions, %d refused, %d changed", functions, refused, changed)
	if functions < 20_000 || refused*200 > functions {
		t.Errorf("%d of %d functions are not replaced", refused, functions)
	}
}
