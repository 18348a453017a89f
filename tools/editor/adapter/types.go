package adapter

// Position is a place between two characters.
type Position struct {
	Line   int `json:"line" jsonschema:"minimum=1"`   // from 1
	Column int `json:"column" jsonschema:"minimum=1"` // from 1, in UTF-16 code units
}

// Before tells whether p is nearer to the beginning than q.
func (p Position) Before(q Position) bool {
	return p.Line < q.Line || p.Line == q.Line && p.Column < q.Column
}

// Range is a stretch of text; End is the position after its last character.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// Severity says how bad something is.
type Severity string

// The severities, as the tools name them.
const (
	Error   Severity = "error"
	Warning Severity = "warning"
	Info    Severity = "info"
	Hint    Severity = "hint"
)

// SeverityOf is the severity of a number of the Language Server Protocol; what is none is an Error.
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

// Number is that of the Language Server Protocol.
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

// Diagnostic is something that is wrong, or may be, in a file.
type Diagnostic struct {
	Path     string
	Range    Range
	Severity Severity
	Message  string
	Code     string // of the message, such as "TS2304"; may be empty
	Source   string // who says it, such as "typescript"; may be empty
	// Ref is the adapter's own. A diagnostic that a client has sent back has none.
	Ref any
}

// TextEdit replaces a stretch of text.
type TextEdit struct {
	Range   Range
	NewText string
}

// Location is a stretch of a file.
type Location struct {
	Path  string
	Range Range
}

// FileEdit is a change of one file: of its text, or of its being there.
type FileEdit struct {
	Op   FileOp
	Path string
	// NewPath is where RenameFile moves it.
	NewPath string
	// Edits are those of ChangeFile, apart from each other, all of them in the text before. CreateFile may have one, of the
	// empty file.
	Edits []TextEdit
	// Version is that of the document which the edits were made for; 0 if it is not known.
	Version int
}

// FileOp is what a FileEdit does.
type FileOp uint8

// The operations.
const (
	ChangeFile FileOp = iota
	CreateFile
	RenameFile
	DeleteFile
)

// Symbol is something that a document declares.
type Symbol struct {
	Name      string
	Kind      string   // as the Language Server Protocol names kinds of symbols, in lower case: "function", "class"
	Container string   // the names that it is declared in, joined by dots; empty at the top
	Location  Location // of the whole declaration
	Selection Range    // of the name
}
