package treesitter

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func javaGrammar() grammar {
	return grammar{language: source.Java, labels: javaLabels, adjust: javaChunk}
}

// javaChunk gives the elements of annotations their empty parameters.
func javaChunk(_ []byte, c *source.Chunk) bool {
	if c.Kind == source.Method && c.Labels == "" {
		c.Labels = "()"
	}
	return true
}

// javaLabels are the types of the parameters: (int,List<String>).
func javaLabels(parameters [][]byte) string {
	var types []string
	for _, one := range splitTop(inBrackets(withoutComments(parameters[0]))) {
		one = strings.TrimSpace(one)
		for {
			if rest, found := strings.CutPrefix(one, "final "); found {
				one = strings.TrimSpace(rest)
			} else if strings.HasPrefix(one, "@") {
				one = strings.TrimSpace(one[annotationEnd(one):])
			} else {
				break
			}
		}
		if t := javaType(one); t != "" {
			types = append(types, t)
		}
	}
	return "(" + strings.Join(types, ",") + ")"
}

// javaType is the type of a parameter that has no modifiers; there is none for
// the receiver, this.
func javaType(parameter string) string {
	brackets := ""
	for {
		rest, found := strings.CutSuffix(parameter, "]")
		if !found {
			break
		}
		rest, found = strings.CutSuffix(strings.TrimSpace(rest), "[")
		if !found {
			break
		}
		parameter, brackets = strings.TrimSpace(rest), brackets+"[]"
	}
	at := len(parameter)
	for at > 0 && (isWord(parameter[at-1]) || parameter[at-1] == '$' || parameter[at-1] >= 0x80) {
		at--
	}
	if parameter[at:] == "this" {
		return ""
	}
	return tight(parameter[:at]) + brackets
}
