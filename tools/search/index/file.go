package index

import "time"

// File is one file with the pieces that it is made of.
type File struct {
	// Path names the file in the calls of the Root: its final path, without links.
	Path string
	// Hash is the SHA-256 of the content, Size its length in bytes as it is on disk.
	Hash [32]byte
	Size int64
	// ModTime is the time of modification as the system told it before the content
	// was read.
	ModTime time.Time
	// Language is that of package parse for code ("go"), else what the file is:
	// "markdown", "html", "text", "yaml" …
	Language string
	// Version is that of whatever cut the file into pieces: when it is another than
	// before, the file is read again.
	Version string
	// Text is what can be found, as UTF-8: the content itself, or what was extracted
	// from it (HTML, notebooks). An Index reads it during Put and does not keep it.
	Text []byte
	// Verbatim says that Text is the content, byte for byte, so that places in it are
	// places in the file, and a text can be looked for in it.
	Verbatim bool
	// Pieces cover the parts of Text that are worth finding. None of their Own spans
	// overlap.
	Pieces []Piece
}

// Span is a part of a text, in bytes.
type Span struct{ Start, End int32 }

// Piece is a part of a file that is found by itself: a function, a type with what
// is in it but its methods, a section of a document, what is left of a file.
type Piece struct {
	// Kind is that of a declaration as package parse spells it ("method"), or
	// "section", "file" for what belongs to no declaration.
	Kind string
	// Name is the declared name ("push") or the heading; Container what it belongs
	// to: "Stack", or the headings above joined by " > ". Both may be empty.
	Name, Container string
	// Signature is the piece in one line, at most 200 bytes.
	Signature string
	// Range is all of the piece, with those within it; Own are the parts that belong
	// to no other piece, in order: what is found by its words.
	Range Span
	Own   []Span
	// Doc is the documentation comment, within Own or empty.
	Doc Span
	// StartLine and EndLine are those of Range, from 1.
	StartLine, EndLine int32
	// Prints are the fingerprints by which similar code is found, ascending and
	// without duplicates; nil for what is no code or too short.
	Prints []uint32
}

// Known is what an Index tells of a file without its pieces.
type Known struct {
	Path     string
	Hash     [32]byte
	Size     int64
	ModTime  time.Time
	Language string
	Version  string
	Pieces   int
}
