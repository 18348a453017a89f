package source

import "strconv"

// Chunk is one declaration. Its text is src[Start:End]. Offsets are in bytes; an optional offset is
// 0 if the part is missing.
type Chunk struct {
	// Kind is the kind of declaration.
	Kind Kind

	// Name is the declared name as written: "push", "init", "subscript", "operator+". It is never
	// empty.
	Name string
	// Labels distinguish overloads, in parentheses: Swift's argument labels, "(_:at:)", or the
	// parameter types, "(int,String)", in languages that overload by type. Labels are empty where
	// names are unique.
	Labels string
	// Container is the dotted path of the enclosing declarations: "Stack.Node". For a method that
	// is declared outside its type (Go, an extension, an impl block) it is the type. It is empty at
	// the top level.
	Container string
	// Signature is the declaration without documentation, attributes and body, in one line with
	// white space collapsed: "func push(_ x: Int) -> Bool". It has at most MaxSignature bytes, and
	// "…" if it was cut.
	Signature string

	// Start is the offset of the documentation comment or of the first attribute, whichever is
	// first; otherwise it equals Decl.
	Start int32
	// Doc and DocEnd delimit the documentation comment. Both are 0 without one.
	Doc, DocEnd int32
	// Decl is the offset of the declaration as grammars define it: attributes, decorators,
	// annotations and modifiers belong to it, comments before it do not.
	Decl int32
	// Sig is the offset of the signature: after attributes, before modifiers.
	Sig int32
	// Ident is the offset of the declared name, or of the keyword that replaces it (init,
	// subscript, get).
	Ident int32
	// Body is the offset of the body: its opening bracket, the "=" or "=>" of an expression, or the
	// first statement after a colon. It is 0 without a body.
	Body int32
	// End is the offset after the last byte of the declaration.
	End int32

	// StartLine, Line, IdentLine and EndLine are the lines, from 1, of Start, Decl, Ident and the
	// last byte.
	StartLine, Line, IdentLine, EndLine int32

	// Parent is the index in File.Chunks of the enclosing chunk, or -1.
	Parent int32
}

// Path returns the name of the chunk within its file: container, name and labels, as in
// "Stack.push(_:)".
func (c *Chunk) Path() string {
	if c.Container == "" {
		return c.Name + c.Labels
	}
	return c.Container + "." + c.Name + c.Labels
}

// HasCode reports whether the chunk can contain calls: it is callable, or it is a value with a
// body, such as a computed property.
func (c *Chunk) HasCode() bool { return c.Kind.IsCallable() || c.Kind.IsValue() && c.Body > 0 }

// File is the result of parsing one text.
type File struct {
	// Language is the language in which the text was parsed.
	Language Language
	// Parser names the parser that read the text: "go/parser", "outline",
	// "tree-sitter", "sourcekitten", "symbols".
	Parser string
	// Chunks are the declarations, sorted by Decl. An enclosing chunk precedes the chunks in it.
	Chunks []Chunk
	// Imports are the modules, headers and files that the text imports.
	Imports []Import
	// Calls are the calls in the text, sorted by offset. They are present only with Options.Calls.
	Calls []Call
	// Problems are the parts of the text that could not be parsed, at most MaxProblems. The parsers
	// of package outline add none; they return an *UnsureError instead.
	Problems []Problem
}

// Import is a module, package, header or file that the text imports.
type Import struct {
	Path string // as written, without quotes
	Line int32
}

// Call is a call of a function by its name.
type Call struct {
	Name  string // the last component: "push" in stack.push(1)
	Line  int32  // from 1
	Chunk int32  // the index of the innermost enclosing chunk with HasCode, or -1
}

// Problem is a part of a text that could not be parsed.
type Problem struct {
	Line    int32  // from 1; 0 if unknown
	Message string // a description in lower case, for people and models
}

// MaxProblems is the maximum length of File.Problems.
const MaxProblems = 20

// UniqueName returns the name of a chunk that identifies it within the file: its Path, with the suffix "~2", "~3" and so on for
// later chunks with the same Path. Module chunks are numbered after all other chunks with the same Path.
func (f *File) UniqueName(chunk int) string {
	c := &f.Chunks[chunk]
	same := 1
	for i := range f.Chunks {
		other := &f.Chunks[i]
		switch {
		case i == chunk || other.Name != c.Name || other.Container != c.Container || other.Labels != c.Labels:
		case other.Kind == Module && (c.Kind != Module || i > chunk):
		case other.Kind != Module && c.Kind != Module && i > chunk:
		default:
			same++
		}
	}
	if same == 1 {
		return c.Path()
	}
	return c.Path() + "~" + strconv.Itoa(same)
}
