package treesitter

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func swiftGrammar() grammar { return grammar{language: source.Swift, adjust: swiftChunk} }

// swiftChunk adds argument labels, and finds constants by their keyword.
func swiftChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Function, source.Method, source.Initializer, source.Subscript, source.Operator, source.Macro:
		end := c.End
		if c.Body > 0 {
			end = c.Body
		}
		c.Labels = swiftLabels(string(withoutComments(src[c.Ident:end])), len(c.Name), c.Kind == source.Subscript || c.Kind == source.Operator)
	case source.Variable:
		if words := strings.Fields(string(src[c.Sig:c.Ident])); slices.Contains(words, "let") {
			c.Kind = source.Constant
		}
	}
	return true
}

// swiftLabels are the labels of the first list of parameters after a name:
// (_:at:). The parameters of a subscript or an operator have none unless one is
// written.
func swiftLabels(text string, name int, bare bool) string {
	if strings.HasPrefix(text, "`") {
		name += 2
	}
	text = strings.TrimLeft(text[min(name, len(text)):], "`?! \t\r\n")
	if strings.HasPrefix(text, "<") {
		end := angleEnd(text)
		text = strings.TrimLeft(text[end:], " \t\r\n")
	}
	if !strings.HasPrefix(text, "(") {
		return ""
	}
	end := matching(text)
	if end < 0 {
		return ""
	}
	var labels strings.Builder
	labels.WriteByte('(')
	for _, one := range splitTop(text[1:end]) {
		for one = strings.TrimSpace(one); strings.HasPrefix(one, "@"); {
			one = strings.TrimSpace(one[annotationEnd(one):])
		}
		names, _, found := strings.Cut(one, ":")
		words := strings.Fields(names)
		switch {
		case !found || len(words) == 0 || len(words) == 1 && bare:
			labels.WriteByte('_')
		default:
			labels.WriteString(words[0])
		}
		labels.WriteByte(':')
	}
	labels.WriteByte(')')
	return labels.String()
}

// angleEnd is where the angle brackets end that a text begins with.
func angleEnd(text string) int {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '<':
			depth++
		case '>':
			if at > 0 && text[at-1] == '-' {
				continue
			}
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}
