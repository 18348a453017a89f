package chunks

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
	"github.com/dougu-go/dougu/tools/source/component"
	"github.com/dougu-go/dougu/tools/source/golang"
	"github.com/dougu-go/dougu/tools/source/outline"
	"github.com/dougu-go/dougu/tools/source/plain"
)

var update = flag.Bool("update", false, "rewrite the generated documentation")

// The reference is made from the parsers and from the declarations of the flags.
func TestReference_Current(t *testing.T) {
	var doc strings.Builder
	doc.WriteString("# Reference of chunks\n\nGenerated from the program; `go test ./tools/app/chunks -run Reference -update` updates this page.\n\n## Languages\n\n" +
		"Each parser is used where the previous one is unsure.\n\n| language | names of files | read by |\n|---|---|---|\n")
	for _, lang := range source.Languages() {
		var parsers []string
		if slices.Contains(outline.Parser{}.Languages(), lang) {
			parsers = append(parsers, outline.Parser{}.Name())
		}
		if slices.Contains(golang.Parser{}.Languages(), lang) {
			parsers = append(parsers, golang.Parser{}.Name())
		}
		parsers = append(parsers, "tree-sitter")
		fmt.Fprintf(&doc, "| `%s` | %s | %s |\n", lang, strings.Join(endings(lang), " "), strings.Join(parsers, ", then "))
	}
	added := builtin.Parsers(builtin.Options{})
	defer added.Close()
	for _, lang := range added.Languages() {
		d, ok := added.Definition(lang)
		if !ok {
			continue
		}
		names := make([]string, 0, len(d.Extensions)+len(d.FileNames))
		for _, name := range append(slices.Clone(d.Extensions), d.FileNames...) {
			names = append(names, "`"+name+"`")
		}
		parser := "tree-sitter"
		switch {
		case slices.Contains(plain.Parser{}.Languages(), lang):
			parser = "plain"
		case slices.Contains((*component.Parser)(nil).Languages(), lang):
			parser = "component: its scripts as TypeScript or JavaScript"
		case d.Data:
			parser += "; an outline of a named file, not analysed with the project"
		}
		fmt.Fprintf(&doc, "| `%s` | %s | %s |\n", lang, strings.Join(names, " "), parser)
	}
	doc.WriteString("\n")
	apptest.Must(t, newApp().Reference(&doc))
	const file = "../../../docs/chunks-reference.md"
	if *update {
		apptest.Must(t, os.WriteFile(file, []byte(doc.String()), 0o644))
	}
	got, err := os.ReadFile(file)
	if err != nil || strings.ReplaceAll(string(got), "\r\n", "\n") != doc.String() {
		t.Errorf("%s is not what the program says (%v); run this test with -update", file, err)
	}
}

// endings returns the file name extensions of a language.
func endings(lang source.Language) []string {
	var all []string
	for _, ending := range strings.Fields(".swift .kt .kts .go .ts .mts .cts .tsx .js .mjs .cjs .jsx .py .pyi .pyw .java .rs .c .h .cc .cpp .cxx .c++ .hpp .hh .hxx .h++ .inl .ipp .tpp .txx .cs .csx .rb .rake .gemspec .ru .php .phtml .scala .sc .sbt") {
		if of, _ := source.LanguageOf("file"+ending, nil); of == lang {
			all = append(all, "`"+ending+"`")
		}
	}
	return all
}
