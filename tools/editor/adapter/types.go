package adapter

// Position is a position between two characters.
type Position struct {
	Line   int `json:"line" jsonschema:"minimum=1"`   // from 1
	Column int `json:"column" jsonschema:"minimum=1"` // from 1, in UTF-16 code units
}

// Before reports whether p is before q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Range is a range of text. End is the position after its last character.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Severity is the severity of a diagnostic.
type Severity string

// Severities, as the tools name them.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
	Hint    Severity = "hint"
)

// SeverityOf converts a severity number of the Language Server Protocol. Unknown numbers are Error.
func SeverityOf(number int) Severity {
	switch number {
	case 2:
		return Warning
	case 3:
		return Info
	case 4:
		return Hint
	}
	return Error
}

// Number returns the severity number of the Language Server Protocol, from 1 to 4.
func (s Severity) Number() int {
	switch s {
	case Warning:
		return 2
	case Info:
		return 3
	case Hint:
		return 4
	}
	return 1
}

// Diagnostic is an error, a warning or a hint at a range of a file.
type Diagnostic struct {
	Path     string
	Range    Range
	Severity Severity
	Message  string
	Code     string // of the message, such as "TS2304"; may be empty
	// Source is the program that reports it, for example "typescript"; may be empty.
	Source string
	// Ref is private data of the adapter. It is nil for a diagnostic that a client has sent back.
	Ref any
}

// TextEdit replaces a range of text.
type TextEdit struct {
	Range   Range
	NewText string
}

// Location is a range in a file.
type Location struct {
	Path  string
	Range Range
}

// FileEdit changes the text of a file, or creates, moves or removes the file.
type FileEdit struct {
	Op   FileOp
	Path string
	// NewPath is the destination of RenameFile.
	NewPath string
	// Edits are the edits of ChangeFile. They do not overlap and refer to the text before. CreateFile may have one edit of the
	// empty file.
	Edits []TextEdit
	// Version is the document version that the edits refer to; 0 is unknown.
	Version int
}

// FileOp is the operation of a FileEdit.
type FileOp uint8

// Operations of a FileEdit.
const (
	ChangeFile FileOp = iota
	CreateFile
	RenameFile
	DeleteFile
)

// Symbol is a declaration in a document.
type Symbol struct {
	Name string
	// Kind is a symbol kind of the Language Server Protocol in lower case, for example "function" or "class".
	Kind string
	// Container is the names of the surrounding declarations, joined by dots; empty at the top level.
	Container string
	// Location is the complete declaration.
	Location Location
	// Selection is the range of the name.
	Selection Range
}
