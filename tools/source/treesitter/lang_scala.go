package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func scalaGrammar() grammar {
	return grammar{language: source.Scala, labels: scalaLabels, adjust: scalaChunk, imported: scalaImport}
}

// scalaChunk recognizes secondary constructors by their name, and gives types a body
// that the grammar did not find.
func scalaChunk(src []byte, c *source.Chunk) bool {
	scalaBody(src, c)
	if c.Kind == source.Function && c.Name == "this" {
		c.Kind = source.Initializer
	}
	return true
}

// scalaLabels are the types of the parameters, list by list: (Int)(String).
func scalaLabels(parameters [][]byte) string {
	var labels strings.Builder
	for _, list := range parameters {
		text := strings.TrimSpace(inBrackets(list))
		for _, word := range []string{"implicit", "using"} {
			if rest, found := strings.CutPrefix(text, word+" "); found {
				text = rest
			}
		}
		labels.WriteByte('(')
		for i, one := range splitTop(text) {
			if i > 0 {
				labels.WriteByte(',')
			}
			if at := topLevel(one, '='); at >= 0 {
				one = one[:at]
			}
			if at := topLevel(one, ':'); at >= 0 {
				one = one[at+1:]
			}
			labels.WriteString(strings.Join(strings.Fields(one), ""))
		}
		labels.WriteByte(')')
	}
	return labels.String()
}

// scalaImport returns the path of an import declaration: a.b.{C, D}.
func scalaImport(declaration string) string {
	return strings.Join(strings.Fields(strings.TrimPrefix(declaration, "import")), " ")
}
