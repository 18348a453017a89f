package treesitter

import (
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

func kotlinGrammar() grammar {
	return grammar{language: parse.Kotlin, labels: kotlinLabels, adjust: kotlinChunk, outermost: true}
}

// kotlinChunk knows extensions, operators and constants by what stands before
// their names.
func kotlinChunk(src []byte, c *parse.Chunk) bool {
	if c.Container != "" {
		c.Container = receiver(c.Container)
	}
	switch c.Kind {
	case parse.Object:
		if c.Name == "object" {
			c.Name = "Companion"
		}
	case parse.Accessor:
		c.Labels = "()"
	case parse.Function:
		if c.Container != "" {
			c.Kind = parse.Method
		}
		if slices.Contains(strings.Fields(string(src[c.Sig:c.Ident])), "operator") {
			c.Kind = parse.Operator
		}
	case parse.Variable:
		if slices.Contains(strings.Fields(string(src[c.Sig:c.Ident])), "const") {
			c.Kind = parse.Constant
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
