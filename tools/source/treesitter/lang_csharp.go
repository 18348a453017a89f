package treesitter

import (
	"bytes"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

func csharpGrammar() grammar {
	return grammar{language: source.CSharp, labels: csharpLabels, adjust: csharpChunk}
}

// csharpChunk gives operators and finalizers their names, which are more than
// the token that the query has, and record structs their kind. Statements that #if
// tears apart may look like local functions.
func csharpChunk(src []byte, c *source.Chunk) bool {
	csharpDirectives(src, c)
	switch c.Kind {
	case source.Function:
		switch c.Name {
		case "if", "while", "for", "foreach", "switch", "using", "lock", "fixed", "catch", "return", "when", "new":
			return false
		}
	case source.Operator:
		at := bytes.LastIndex(src[c.Sig:c.Ident], []byte("operator"))
		if at < 0 {
			return false
		}
		c.Ident = c.Sig + int32(at)
		separator := ""
		if isWord(c.Name[0]) {
			separator = " "
		}
		c.Name = "operator" + separator + c.Name
	case source.Deinitializer:
		c.Name = "~" + c.Name
		if at := bytes.LastIndexByte(src[c.Sig:c.Ident], '~'); at >= 0 {
			c.Ident = c.Sig + int32(at)
		}
	case source.Property:
		if accessorsOnly(src[c.Body:c.End]) {
			c.Body = 0
		}
	case source.Class:
		words := bytes.Fields(src[c.Sig:c.Ident])
		if n := len(words); n >= 2 && string(words[n-1]) == "struct" && string(words[n-2]) == "record" {
			c.Kind = source.Struct
		}
	}
	return true
}

// csharpDirectives moves the beginning behind the lines of the preprocessor that
// the grammar has in declarations whose attributes are under #if.
func csharpDirectives(src []byte, c *source.Chunk) {
	for c.Decl < c.Ident && src[c.Decl] == '#' {
		end := bytes.IndexByte(src[c.Decl:c.Ident], '\n')
		if end < 0 {
			return
		}
		line := src[c.Decl+int32(end) : c.Ident]
		c.Decl += int32(end + len(line) - len(bytes.TrimLeft(line, " \t\r\n")))
	}
	c.Sig = max(c.Sig, c.Decl)
}

// csharpLabels are the types of the parameters: (int,List<string>).
func csharpLabels(parameters [][]byte) string {
	var types []string
	for _, list := range parameters {
		for _, one := range splitTop(inBrackets(list)) {
			if t := csharpType(one); t != "" {
				types = append(types, t)
			}
		}
	}
	return "(" + strings.Join(types, ",") + ")"
}

// csharpType returns the type of a parameter: the text between its attributes and modifiers and its
// name.
func csharpType(parameter string) string {
	parameter = strings.TrimSpace(parameter)
	for strings.HasPrefix(parameter, "[") {
		end := matching(parameter)
		if end < 0 {
			return ""
		}
		parameter = strings.TrimSpace(parameter[end+1:])
	}
	if at := topLevel(parameter, '='); at >= 0 {
		parameter = strings.TrimSpace(parameter[:at])
	}
	at := strings.LastIndexFunc(parameter, func(r rune) bool { return strings.ContainsRune(" \t\r\n]>?*)", r) })
	if at < 0 {
		return parameter
	}
	t := parameter[:at+1]
	for {
		word, rest, found := strings.Cut(strings.TrimSpace(t), " ")
		if !found || !csharpModifier(word) {
			return strings.Join(strings.Fields(t), "")
		}
		t = rest
	}
}

func csharpModifier(word string) bool {
	switch word {
	case "ref", "out", "in", "params", "this", "scoped", "readonly":
		return true
	}
	return false
}
