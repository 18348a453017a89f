package treesitter

import (
	"bytes"
	"regexp"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/internal/definitions"
)

func dartGrammar() grammar {
	return grammar{language: "dart", adjust: dartChunk, mask: dartMask(), added: new(definitions.Dart())}
}

// dartChunk gives a value of the file its type and its semicolon, which are beside it in the tree, and names constructors as their
// calls do.
func dartChunk(src []byte, c *source.Chunk) bool {
	switch c.Kind {
	case source.Class:
		for _, word := range [][]byte{[]byte("mixin"), []byte("base"), []byte("interface"), []byte("final"), []byte("sealed"), []byte("abstract")} {
			if before := bytes.TrimRight(src[:c.Sig], " \t"); bytes.HasSuffix(before, word) && c.Decl == c.Sig {
				c.Sig = int32(len(before) - len(word))
				c.Decl = c.Sig
			}
		}
	case source.Constant, source.Variable:
		start := bytes.LastIndexAny(src[:c.Decl], ";{}\n") + 1
		for int(c.Decl) > start && start < len(src) && (src[start] == ' ' || src[start] == '\t') {
			start++
		}
		if words := bytes.Fields(src[start:c.Decl]); len(words) > 0 && bytes.Equal(words[0], []byte("var")) {
			c.Kind = source.Variable
		}
		c.Decl, c.Sig = int32(start), int32(start)
		c.End = dartEnd(src, c.End)
	case source.Initializer:
		if rest := src[c.Ident+int32(len(c.Name)):]; len(rest) > 1 && rest[0] == '.' && isIdentifier(rest[1]) {
			end := 1
			for end < len(rest) && isIdentifier(rest[end]) {
				end++
			}
			c.Name += string(rest[:end])
		}
		c.End = dartEnd(src, c.End)
	case source.Property, source.Method, source.Accessor:
		c.End = dartEnd(src, c.End)
	}
	return true
}

// dartEnd returns the offset behind the semicolon that follows a declaration, or the end of the declaration itself.
func dartEnd(src []byte, end int32) int32 {
	if int(end) < len(src) && src[end] == ';' {
		return end + 1
	}
	return end
}

// dartMask returns a function that blanks what came to Dart after the grammar was written: the modifiers of classes (Dart 3.0), and
// the members of enumerations (Dart 2.17), which are not listed.
func dartMask() func(src []byte) []byte {
	modifiers := regexp.MustCompile(`(?m)^[ \t]*(?:abstract[ \t]+)?((?:sealed|base|interface|final|mixin)[ \t]+)+(?:class|mixin)\b`)
	enum := regexp.MustCompile(`(?m)^[ \t]*enum[ \t]+\w+[^{;]*\{`)
	return func(src []byte) []byte {
		var out []byte
		change := func(start, end int) {
			if out == nil {
				out = bytes.Clone(src)
			}
			blank(out[start:end])
		}
		for _, at := range modifiers.FindAllSubmatchIndex(src, -1) {
			change(at[2], at[3])
		}
		for _, at := range enum.FindAllIndex(src, -1) {
			if start, end := dartMembers(src, at[1]); start < end {
				change(start, end)
			}
		}
		if out == nil {
			return src
		}
		return out
	}
}

// maxMasked is the length of a text in which a mask looks for the end of a construct.
const maxMasked = 64 << 10

// dartMembers returns the part of an enumeration's body from its semicolon to its closing bracket. It is empty without a semicolon.
func dartMembers(src []byte, open int) (start, end int) {
	depth := 1
	for at := open; at < min(len(src), open+maxMasked); at++ {
		switch src[at] {
		case '"', '\'':
			at += quoted(string(src[at:min(at+500, len(src))]))
		case '{', '(', '[':
			depth++
		case '}', ')', ']':
			if depth--; depth == 0 {
				return start, at
			}
		case ';':
			if depth == 1 && start == 0 {
				start = at
			}
		}
	}
	return 0, 0
}
