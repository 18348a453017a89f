package treesitter

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func kotlinGrammar() grammar {
	return grammar{language: source.Kotlin, labels: kotlinLabels, adjust: kotlinChunk, outermost: true}
}

// kotlinChunk recognizes extensions, operators and constants by the text before their names.
func kotlinChunk(src []byte, c *source.Chunk) bool {
	if c.Container != "" {
		c.Container = receiver(c.Container)
	}
	switch c.Kind {
	case source.Object:
		if c.Name == "object" {
			c.Name = "Companion"
		}
	case source.Accessor:
		c.Labels = "()"
	case source.Function:
		if c.Container != "" {
			c.Kind = source.Method
		}
		if slices.Contains(strings.Fields(string(src[c.Sig:c.Ident])), "operator") {
			c.Kind = source.Operator
		}
	case source.Variable:
		if slices.Contains(strings.Fields(string(src[c.Sig:c.Ident])), "const") {
			c.Kind = source.Constant
		}
	}
	return true
}

// receiver is the name of the type that an extension is for.
func receiver(text string) string {
	text, _, _ = strings.Cut(strings.TrimLeft(text, "("), "<")
	text = strings.TrimRight(text, "?) ")
	return strings.TrimSpace(text[strings.LastIndexByte(text, ' ')+1:])
}

// kotlinLabels are the types of the parameters: (Int,(Int)->Unit).
func kotlinLabels(parameters [][]byte) string {
	var types []string
	for _, one := range splitTop(inBrackets(withoutComments(parameters[0]))) {
		if at := topLevel(one, '='); at >= 0 {
			one = one[:at]
		}
		for one = strings.TrimSpace(one); strings.HasPrefix(one, "@"); {
			one = strings.TrimSpace(one[annotationEnd(one):])
		}
		if _, t, found := strings.Cut(one, ":"); found {
			types = append(types, tight(t))
		}
	}
	return "(" + strings.Join(types, ",") + ")"
}
