package index

import "time"

// File is a file with its pieces.
type File struct {
	// Path is the final path of the file in its Root, without links.
	Path string
	// Hash is the SHA-256 of the content on disk.
	Hash [32]byte
	// Size is the length of the content on disk, in bytes.
	Size int64
	// ModTime is the modification time, as read before the content.
	ModTime time.Time
	// Language is the language of code as named by package source ("go"), or the format: "markdown", "html", "text", "yaml" and
	// others.
	Language string
	// Version identifies the program that split the file. A file with another version is split again.
	Version string
	// Text is the searchable text in UTF-8: the content, or text extracted from it (HTML, notebooks). Writer.Put reads it; the
	// Index does not keep it.
	Text []byte
	// Verbatim is true if Text is the content, byte for byte. Only then are offsets in Text offsets in the file, and literals
	// can be searched.
	Verbatim bool
	// Pieces cover the searchable parts of Text. Their Own spans do not overlap.
	Pieces []Piece
}

// Span is a range of a text, in bytes. End is exclusive.
type Span struct{ Start, End int32 }

// Piece is a part of a file that is found as a unit: a function, a type without its methods, a section of a document, or the
// rest of a file.
type Piece struct {
	// Kind is the kind of a declaration as named by package source ("method"), "section", or "file" for text outside of
	// declarations.
	Kind string
	// Name is the declared name ("push") or the heading. Container is the enclosing declaration ("Stack"), or the enclosing
	// headings joined with " > ". Both can be empty.
	Name, Container string
	// Signature is the declaration in one line, at most 200 bytes.
	Signature string
	// Range is the complete piece, including nested pieces.
	Range Span
	// Own are the spans that belong to no nested piece, in order. The words of the piece are those of its own spans.
	Own []Span
	// Doc is the documentation comment within Own; empty without one.
	Doc Span
	// StartLine and EndLine are the first and last line of Range, from 1.
	StartLine, EndLine int32
	// Prints are fingerprints for finding similar code, ascending and without duplicates. nil for short code and other text.
	Prints []uint32
}

// Known is the stored data of a file without its pieces.
type Known struct {
	Path     string
	Hash     [32]byte
	Size     int64
	ModTime  time.Time
	Language string
	Version  string
	Pieces   int // number of pieces
}
