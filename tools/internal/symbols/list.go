package symbols

import (
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// isListed reports whether a declaration is an element of a list with commas: a member of an object, a case of an enumeration, or
// a field of a struct of Rust.
func (f *File) isListed(i int) bool {
	c := f.Symbol(i)
	if c.Parent < 0 {
		return false
	}
	parent := f.Symbol(int(c.Parent))
	listed := false
	switch f.Language {
	case source.JavaScript, source.TypeScript, source.TSX:
		listed = parent.Kind.IsValue() || c.Kind == source.EnumCase
	case source.Rust:
		listed = c.Kind == source.EnumCase || c.Kind == source.Property && parent.Kind == source.Struct
	case source.C, source.CPP, source.CSharp, source.Java, source.Kotlin:
		listed = c.Kind == source.EnumCase
	}
	return listed && (f.commaFollows(i) || f.follows(i, "}"))
}

// commaFollows reports whether a comma follows a declaration.
func (f *File) commaFollows(i int) bool { return f.follows(i, ",") }

// follows reports whether a separator follows a declaration, after blanks.
func (f *File) follows(i int, separator string) bool {
	return strings.HasPrefix(strings.TrimLeft(f.Text[f.Symbol(i).End:], " \t\r\n"), separator)
}

// withComma returns code that ends with a comma. Code that ends with a separator or a comment stays.
func (f *File) withComma(code string) string {
	last := strings.TrimSpace(code[strings.LastIndexByte(code, '\n')+1:])
	if last == "" || strings.ContainsAny(last[len(last)-1:], ",;") || strings.Contains(last, "//") || strings.HasSuffix(last, "*/") {
		return code
	}
	return code + ","
}

// isComment reports whether code consists of comments.
func (f *File) isComment(code string) bool {
	within := false // a block comment
	for line := range strings.Lines(code) {
		line = strings.TrimSpace(line)
		switch {
		case line == "":
			continue
		case !within && strings.HasPrefix(line, "/*") && f.parsers.IsComment(f.Language, []byte(line)):
			within = true
		case !within && !f.parsers.IsComment(f.Language, []byte(line)):
			return false
		}
		if _, rest, ends := strings.Cut(line, "*/"); within && ends {
			if within = false; strings.TrimSpace(rest) != "" {
				return false
			}
		}
	}
	return true
}
