package source

// Chunk is one declaration. The text of a chunk is src[Start:End]. The zero
// position stands for "none" where a member says that it may be missing.
type Chunk struct {
	Kind Kind

	// Name is the declared name as it is written: "push", "init", "subscript",
	// "operator+". It is never empty.
	Name string
	// Labels tell overloads apart, in parentheses: Swift's argument labels,
	// "(_:at:)", or the types of the parameters, "(int,String)", in languages that
	// overload by type. Empty where names are unique.
	Labels string
	// Container is the dotted path of what the declaration belongs to:
	// "Stack.Node". For a method that is declared outside of its type (Go, an
	// extension, an impl block) it is the type.
	Container string
	// Signature is the declaration without documentation, attributes and body, in
	// one line with white space collapsed: "func push(_ x: Int) -> Bool".
	Signature string

	// Start is where the documentation comment or the first attribute begins, or
	// Decl.
	Start int32
	// Doc and DocEnd delimit the documentation comment; both 0 if there is none.
	Doc, DocEnd int32
	// Decl is the first byte of the declaration as grammars count it: attributes,
	// decorators, annotations and modifiers are within, comments before it are not.
	Decl int32
	// Sig is where the signature begins: after attributes, before modifiers.
	Sig int32
	// Ident is the first byte of the declared name, or of the keyword that stands
	// for it (init, subscript, get).
	Ident int32
	// Body is the first byte of the body: its bracket, the "=" or "=>" of an
	// expression, the first statement after a colon. 0 if there is no body.
	Body int32
	// End is the byte after the last one of the declaration.
	End int32

	// The lines of Start, Decl, Ident and of the last byte, from 1.
	StartLine, Line, IdentLine, EndLine int32

	// Parent is the index in File.Chunks of the chunk that this one lies in, or -1.
	Parent int32
}

// Path is the chunk's name within its file: container, name and labels.
func (c *Chunk) Path() string {
	if c.Container == "" {
		return c.Name + c.Labels
	}
	return c.Container + "." + c.Name + c.Labels
}

// HasCode says that a chunk can call something: it is called itself, or it is a
// property that is computed.
func (c *Chunk) HasCode() bool { return c.Kind.Callable() || c.Kind.Value() && c.Body > 0 }

// File is what a parser found in one text.
type File struct {
	Language Language
	// Parser names the parser that read the text: "go/parser", "outline",
	// "tree-sitter", "sourcekitten", "symbols".
	Parser string
	// Chunks are ordered by Decl; one that contains others comes before them.
	Chunks  []Chunk
	Imports []Import
	// Calls are there if they were asked for, in order of their place.
	Calls []Call
	// Problems say what could not be read; there are at most MaxProblems.
	Problems []Problem
}

// Import is a module, package, header or file that the text names as needed.
type Import struct {
	Path string // as written, without quotes
	Line int32
}

// Call is a call of something by its name.
type Call struct {
	Name  string // the last part: "push" in stack.push(1)
	Line  int32
	Chunk int32 // the index of the innermost chunk around it that HasCode, or -1
}

// Problem is a place that could not be read.
type Problem struct {
	Line    int32
	Message string
}

// MaxProblems bounds File.Problems.
const MaxProblems = 20
