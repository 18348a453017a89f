package chunking_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/source"
)

// extensions has one file extension for each language.
var extensions = map[source.Language]string{
	source.Swift: ".swift", source.Kotlin: ".kt", source.Go: ".go", source.TypeScript: ".ts", source.TSX: ".tsx", source.JavaScript: ".js", source.Python: ".py",
	source.Java: ".java", source.Rust: ".rs", source.C: ".c", source.CPP: ".cpp", source.CSharp: ".cs", source.Ruby: ".rb", source.PHP: ".php", source.Scala: ".scala",
}

// TestListFunctions_HostileFiles lists unusual files in every language. The call ends soon,
// with a result or an error with a next step.
func TestListFunctions_HostileFiles(t *testing.T) {
	p := newProject(t, chunking.Options{InMemory: true}, nil)
	part := 1
	if testing.Short() {
		part = 50
	}
	hostile := map[string]string{
		"binary":       "\x7fELF\x00\x00\x01",
		"notutf8":      "\xff\xfe\xfd func f() {}\n",
		"empty":        "",
		"brackets":     strings.Repeat("(", 100_000/part),
		"braces":       "class A " + strings.Repeat("{", 100_000/part),
		"nested":       strings.Repeat("{[(", 33_000/part) + strings.Repeat(")]}", 33_000/part),
		"functions":    strings.Repeat("func f() { ", 20_000/part),
		"quotes":       strings.Repeat("\"", 100_000/part+1),
		"openstring":   "f(\"" + strings.Repeat("a\\", 200_000/part),
		"opencomment":  "/*" + strings.Repeat("/*", 100_000/part),
		"generics":     strings.Repeat("a<", 100_000/part),
		"interpolated": strings.Repeat("\"${\\(#{", 20_000/part),
		"operators":    strings.Repeat("a?b:", 50_000/part),
	}
	if !testing.Short() {
		hostile["oneline"] = strings.Repeat("x=1;", 13<<18) // 13 MB
		hostile["toolong"] = strings.Repeat("x", 50<<20)
	}
	for lang, extension := range extensions {
		t.Run(string(lang), func(t *testing.T) {
			for name, content := range hostile {
				// A grammar needs its full time limit for each file. One file is enough for
				// most languages.
				if lang != source.Swift && lang != source.Go && name != "functions" {
					continue
				}
				file := name + extension
				p.put(t, file, content)
				begun := time.Now()
				r, err := p.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: file})
				if took := time.Since(begun); took > 2*time.Minute {
					t.Errorf("%s took %v", file, took)
				}
				if err != nil || name == "binary" || name == "toolong" {
					toolsettest.WantError(t, err, "NOT_SOURCE")
				}
				if len(r.TextContent()) > 64<<10 {
					t.Errorf("%s: an answer of %d bytes", file, len(r.TextContent()))
				}
				if err := os.Remove(filepath.Join(p.dir, file)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestGetChunk_ChangingFile reads chunks of a file that changes continuously. Each result
// is the text of one version, or an error that recommends another attempt.
func TestGetChunk_ChangingFile(t *testing.T) {
	version := func(n int) string {
		return fmt.Sprintf("package p\n%s\nfunc f() {\n\tprint(%d)\n}\n", strings.Repeat("// more\n", n%7), n%7)
	}
	p := newProject(t, chunking.Options{InMemory: true}, map[string]string{"a.go": version(0)})
	p.analyze(t)
	done := make(chan struct{})
	var writing sync.WaitGroup
	writing.Go(func() {
		for n := 0; ; n++ {
			select {
			case <-done:
				return
			default:
			}
			next := filepath.Join(p.dir, "next")
			if err := os.WriteFile(next, []byte(version(n)), 0o644); err != nil {
				t.Error(err)
				return
			}
			if err := os.Rename(next, filepath.Join(p.dir, "a.go")); err != nil {
				t.Error(err)
				return
			}
		}
	})
	defer writing.Wait()
	defer close(done)
	for read := 0; read < 300; {
		r, err := p.Chunk(t.Context(), chunking.GetChunkArgs{ChunkID: "a.go#f"})
		if errors.Is(err, index.ErrChanging) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		read++
		var n int
		if _, err := fmt.Sscanf(r.Code[strings.Index(r.Code, "func"):], "func f() {\n\tprint(%d)\n}", &n); err != nil || int(r.EndLine) != 5+n%7 {
			t.Fatalf("line %d to %d: %q: %v", r.Line, r.EndLine, r.Code, err)
		}
	}
}
