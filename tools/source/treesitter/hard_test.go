package treesitter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/parsertest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// hardLanguages maps the extension of a file of hard cases, testdata/hard.<extension>.txt, to its
// language. A file with the suffix .want holds the expected result in the format of foundIn.
// DOUGU_UPDATE=1 rewrites these files; review them.
var hardLanguages = map[string]source.Language{
	"go": source.Go, "py": source.Python, "java": source.Java, "swift": source.Swift, "kt": source.Kotlin, "ts": source.TypeScript, "tsx": source.TSX,
	"js": source.JavaScript,
}

func hard(t testing.TB, extension string) (name string, src []byte) {
	t.Helper()
	name = filepath.Join("testdata", "hard."+extension+".txt")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return name, []byte(strings.ReplaceAll(string(src), "\r\n", "\n"))
}

func TestHardCases(t *testing.T) {
	p := grammarsOf(t)
	for extension, lang := range hardLanguages {
		t.Run(extension, func(t *testing.T) {
			name, src := hard(t, extension)
			f, err := p.Parse(t.Context(), src, lang, source.Options{Calls: true})
			if err != nil {
				t.Fatal(err)
			}
			if err := parsertest.Invariants(src, f); err != nil {
				t.Error(err)
			}
			got := foundIn(f)
			if os.Getenv("DOUGU_UPDATE") == "1" {
				if err := os.WriteFile(name+".want", []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(name + ".want")
			if err != nil || got != strings.ReplaceAll(string(want), "\r\n", "\n") {
				t.Errorf("found (%v)\n%s\nwant\n%s", err, got, want)
			}
		})
	}
}

func TestHardCasesCutShort(t *testing.T) {
	for extension, lang := range hardLanguages {
		t.Run(extension, func(t *testing.T) {
			name, src := hard(t, extension)
			checkCut(t, lang, []snippet{{name: name, src: string(src)}})
		})
	}
}

func FuzzSwift(f *testing.F)      { fuzzHard(f, "swift") }
func FuzzKotlin(f *testing.F)     { fuzzHard(f, "kt") }
func FuzzGo(f *testing.F)         { fuzzHard(f, "go") }
func FuzzJava(f *testing.F)       { fuzzHard(f, "java") }
func FuzzPython(f *testing.F)     { fuzzHard(f, "py") }
func FuzzTypeScript(f *testing.F) { fuzzHard(f, "tsx") }
func FuzzJavaScript(f *testing.F) { fuzzHard(f, "js") }

func fuzzHard(f *testing.F, extension string) {
	name, src := hard(f, extension)
	fuzzSnippets(f, hardLanguages[extension], []snippet{{name: name, src: string(src)}})
}
