package parsecheck_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/chunking"
	"github.com/dougu-go/dougu/tools/internal/parsecheck"
	"github.com/dougu-go/dougu/tools/source"
)

// brokenLine is a line that no compiler accepts as the first statement of a function.
type brokenLine struct {
	text   string
	except []source.Language // languages that accept the line
}

// brokenLines are errors of models and people in bodies.
var brokenLines = []brokenLine{
	{text: "let = = 5 ++ * ;;"},
	{text: "x = 1 + * / 2", except: []source.Language{source.Scala}}, // its operators are names, and can follow their operand
	{text: "g(1, , 2)"},
	{text: "x = = 1"},
	{text: "x = (1 + )", except: []source.Language{source.Scala}},
	{text: "return return 1", except: []source.Language{source.Kotlin, source.Ruby, source.Rust, source.Scala}},
	{text: "else { g() }"},
	{text: "x) + (y"},
	{text: "x = \"not closed"},
	{text: "x = [1, 2"},
	{text: "x = {1, 2"},
	{text: "g(x"},
	{text: "5x = 3 3"},
	{text: "@@ -1,3 +1,3 @@"},
	{text: "... existing code ..."},
	{text: "<<<<<<< HEAD"},
	{text: "if if (x) { }"},
	{text: "if (x > ) { g() }", except: []source.Language{source.Scala}},
	{text: "for for for"},
	{text: "class class A { }"},
	{text: "x => => y"},
	{text: "The code is the same as before.", except: []source.Language{source.Kotlin, source.Ruby, source.Scala}},
	{text: "import ; from", except: []source.Language{source.Kotlin, source.Ruby, source.Rust, source.C, source.CPP, source.CSharp}},
}

// brokenTally counts the broken bodies of a language.
type brokenTally struct {
	files            int
	correct          int // replacements by a comment that are accepted
	refused          int // and refused
	uncheckedCorrect int // accepted ones that no parser has checked
	tried            int // broken replacements
	accepted         int
	unchecked        int // accepted ones that no parser has checked
}

func (b *brokenTally) add(o brokenTally) {
	b.files += o.files
	b.correct += o.correct
	b.refused += o.refused
	b.uncheckedCorrect += o.uncheckedCorrect
	b.tried += o.tried
	b.accepted += o.accepted
	b.unchecked += o.unchecked
}

// TestBrokenBodies writes a broken line into the body of a function of real files: the replacement is refused.
func TestBrokenBodies(t *testing.T) {
	t.Parallel()
	const each = 6 // files of a half of a language
	all := chunkingCorpora(t)
	dir := t.TempDir()
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { root.Close() })
	set, err := chunking.New(t.Context(), tools.Env{Root: root}, chunking.Options{InMemory: true, Parsers: builtinParsers(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { set.Close(context.Background()) })
	var total [2]brokenTally
	for _, lang := range source.Languages() {
		var tally [2]brokenTally
		for i, f := range shuffled(all[lang]) {
			half := 0
			if parsecheck.HeldOut(f.name) {
				half = 1
			}
			d := &tally[half]
			if tally[0].files >= each && tally[1].files >= each {
				break
			}
			content := f.read(t)
			if d.files >= each || len(content) > 60<<10 {
				continue
			}
			name := fmt.Sprintf("%s-%d%s", lang, i, filepath.Ext(f.path))
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
				t.Fatal(err)
			}
			list, err := set.ListFunctions(t.Context(), chunking.ListFunctionsArgs{FilePath: name, Language: string(lang)})
			if err != nil || len(list.Functions) == 0 {
				continue
			}
			entry := list.Functions[number(f.name)%uint64(len(list.Functions))]
			r, err := set.FunctionChunk(t.Context(), chunking.FunctionChunkArgs{FilePath: name, FunctionSignature: entry.ID, Language: string(lang)})
			if err != nil {
				t.Fatal(err)
			}
			body := bodyStart(lang, r.Code)
			if body < 0 {
				continue
			}
			replace := func(line string) (chunking.ReplaceResult, error) {
				indent := r.Code[body:]
				indent = indent[:len(indent)-len(strings.TrimLeft(indent, " \t"))]
				return set.Replace(t.Context(), chunking.ReplaceArgs{
					FilePath: name, FunctionSignature: entry.ID, Language: string(lang), DryRun: true, NewCode: r.Code[:body] + indent + line + "\n" + r.Code[body:],
				})
			}
			d.files++
			comment := "// Not changed."
			if lang == source.Python || lang == source.Ruby {
				comment = "# Not changed."
			}
			if done, err := replace(comment); err != nil {
				d.refused++
				t.Logf("%s, %s %s: a comment is refused: %v", lang, f.name, entry.ID, err)
			} else {
				d.correct++
				if done.Unchecked != "" {
					d.uncheckedCorrect++
					t.Logf("%s, %s %s: %s", lang, f.name, entry.ID, done.Unchecked)
				}
			}
			for _, broken := range brokenLines {
				if slices.Contains(broken.except, lang) {
					continue
				}
				d.tried++
				done, err := replace(broken.text)
				if err == nil {
					d.accepted++
					if done.Unchecked != "" {
						d.unchecked++
					}
					if half == 0 {
						t.Logf("%s, %s %s: %q is accepted (%s)", lang, f.name, entry.ID, broken.text, done.Unchecked)
					}
				}
			}
		}
		for half := range total {
			total[half].add(tally[half])
		}
		t.Logf("%s: tuning %+v, held out %+v", lang, tally[0], tally[1])
	}
	t.Logf("tuning %+v, held out %+v", total[0], total[1])
	if held := total[1]; held.accepted*200 > held.tried || held.refused > 0 || held.uncheckedCorrect*20 > held.correct {
		t.Errorf("of the bodies with an error, more than one of 200 is accepted; or correct bodies are refused or not checked: %+v", held)
	}
}

// bodyStart returns the offset of the first line of a body; -1 if the body has no line of its own.
func bodyStart(lang source.Language, code string) int {
	open := "{"
	switch lang {
	case source.Python:
		open = ":"
	case source.Ruby:
		open = ""
	}
	at := 0
	for line := range strings.Lines(code) {
		text := strings.TrimSpace(line)
		at += len(line)
		switch {
		case text == "", strings.HasPrefix(text, "*"), strings.HasPrefix(text, "/"), strings.HasPrefix(text, "#"), strings.HasPrefix(text, "["), strings.HasPrefix(text, "@"):
		case lang == source.Ruby && !strings.HasPrefix(text, "def "):
			return -1
		case strings.HasSuffix(text, open) && at < len(code):
			return at
		}
	}
	return -1
}
