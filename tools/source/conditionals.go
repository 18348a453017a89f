package source

import "bytes"

// OpenConditionals returns the preprocessor directives in a part of a text whose conditional is not
// complete in the part, in order: "endif" and "else" of conditionals that begin before it, "if" of
// conditionals that end after it. It returns nil for languages without a preprocessor.
func OpenConditionals(part []byte, lang Language) (open []string) {
	words, ok := lexiconOf(lang)
	if !ok || !words.directives {
		return nil
	}
	for line := range bytes.Lines(part) {
		word, isDirective := bytes.CutPrefix(bytes.TrimLeft(line, " \t"), []byte("#"))
		if !isDirective {
			continue
		}
		inner := len(open) > 0 && open[len(open)-1] == "if"
		switch word = bytes.TrimLeft(word, " \t"); {
		case bytes.HasPrefix(word, []byte("if")):
			open = append(open, "if")
		case bytes.HasPrefix(word, []byte("endif")) && inner:
			open = open[:len(open)-1]
		case bytes.HasPrefix(word, []byte("endif")):
			open = append(open, "endif")
		case bytes.HasPrefix(word, []byte("el")) && !inner:
			open = append(open, "else")
		}
	}
	return open
}
