package symbols

import (
	"context"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/indent"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// File is a text with its declarations. It is for one goroutine.
type File struct {
	// Path is the path of the file in IDs.
	Path string
	// Text is the text in UTF-8.
	Text string
	// Language is the language of the text.
	Language source.Language
	// Unchecked is the reason why Verify has not checked the syntax of this text beyond its declarations; "" if it has.
	Unchecked string
	// Added are the syntax errors that Verify has found and that Edit.AllowErrors allows.
	Added []source.Problem

	parsers *source.Parsers
	parsed  *source.File
	types   map[string]int // by qualified name; nil before the first use
}

// Parse reads the declarations of a text. The error wraps source.ErrLanguage if no parser knows the language of the file.
func Parse(ctx context.Context, parsers *source.Parsers, path, text string) (*File, error) {
	src := []byte(text)
	lang, ok := parsers.LanguageOf(path, src)
	if !ok {
		return nil, source.ErrLanguage
	}
	parsed, err := parsers.Parse(ctx, src, lang, source.Options{Calls: true})
	if err != nil {
		return nil, err
	}
	return &File{Path: path, Text: text, Language: lang, parsers: parsers, parsed: parsed}, nil
}

// Len returns the number of declarations.
func (f *File) Len() int { return len(f.parsed.Chunks) }

// Symbol returns a declaration, a chunk of package source.
func (f *File) Symbol(i int) *source.Chunk { return &f.parsed.Chunks[i] }

// Calls returns the calls in the text, in order.
func (f *File) Calls() []source.Call { return f.parsed.Calls }

// Problems returns the parts of the text that the parser could not read.
func (f *File) Problems() []source.Problem { return f.parsed.Problems }

// Parser returns the name of the parser.
func (f *File) Parser() string { return f.parsed.Parser }

// ID returns the identifier of a declaration: the path, "#" and the unique name. It is the id that the chunk tools return.
func (f *File) ID(i int) string { return f.Path + "#" + f.parsed.UniqueName(i) }

// NamePath returns the names of the declarations around a declaration and its own, joined by slashes.
func (f *File) NamePath(i int) string {
	return strings.ReplaceAll(dotted(f.Symbol(i)), ".", "/")
}

// dotted returns the name of a declaration with its containers, joined by dots, without argument labels (Swift).
func dotted(c *source.Chunk) string {
	if c.Container == "" {
		return c.Name
	}
	return c.Container + "." + c.Name
}

// IsPackageClause reports whether a declaration is the package clause of a file, which contains no declarations.
func (f *File) IsPackageClause(i int) bool {
	c := f.Symbol(i)
	return c.Kind == source.Module && c.Body == 0 && c.EndLine == c.Line && (f.Language == source.Go || f.Language == source.Java || f.Language == source.Kotlin || f.Language == source.Scala)
}

// Body returns the range of a declaration without its documentation comment: from its decorators or modifiers to its end.
func (f *File) Body(i int) (start, end int) {
	c := f.Symbol(i)
	return int(c.Decl), int(c.End)
}

// BodyLines returns the text of the body with the indentation of its first line.
func (f *File) BodyLines(i int) string {
	start, end := f.Body(i)
	if from := textfile.LineStart(f.Text, start); indent.IsBlank(f.Text[from:start]) {
		start = from
	}
	return f.Text[start:end]
}

// Doc returns the documentation comment of a declaration; "" if it has none.
func (f *File) Doc(i int) string {
	c := f.Symbol(i)
	if c.DocEnd <= c.Doc {
		return ""
	}
	return f.Text[c.Doc:c.DocEnd]
}

// Children returns the declarations directly within a declaration; -1 is the file. A method that is declared outside of its type
// is a child of the file.
func (f *File) Children(parent int) []int {
	var children []int
	for i := range f.parsed.Chunks {
		if int(f.parsed.Chunks[i].Parent) == parent {
			children = append(children, i)
		}
	}
	return children
}

// OuterType returns the type of a method that is declared outside of its type (Go), or -1. The type is in the same file.
func (f *File) OuterType(i int) int {
	c := f.Symbol(i)
	if c.Container == "" || c.Parent >= 0 && dotted(f.Symbol(int(c.Parent))) == c.Container {
		return -1
	}
	if f.types == nil {
		f.types = make(map[string]int)
		for n := range f.parsed.Chunks {
			if t := f.Symbol(n); t.Kind.IsType() && t.Kind != source.Extension {
				if _, known := f.types[dotted(t)]; !known {
					f.types[dotted(t)] = n
				}
			}
		}
	}
	if n, ok := f.types[c.Container]; ok && f.Symbol(n).Parent == c.Parent {
		return n
	}
	return -1
}

// Enclosing returns the innermost declaration around an offset; -1 if there is none. Documentation belongs to a declaration.
func (f *File) Enclosing(offset int) int {
	found := -1
	for i := range f.parsed.Chunks {
		c := &f.parsed.Chunks[i]
		if int(c.Start) <= offset && offset < int(c.End) && (found < 0 || f.Symbol(found).Start <= c.Start) {
			found = i
		}
	}
	return found
}
