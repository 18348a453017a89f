package adapter

import (
	"context"
	"errors"
)

// Adapter is one editor.
type Adapter interface {
	// Name is what users know it by, such as "vscode".
	Name() string
	// State tells whether it is there. It is asked often and must answer from memory.
	State() State
	// Watch calls changed whenever State may answer something else, until stop is called, which waits for a call that is
	// running. changed must not be called by Watch itself.
	Watch(changed func()) (stop func())
	// Close ends what the adapter has started and leaves what it has found running.
	Close(ctx context.Context) error
}

// State is what an adapter knows of its editor.
type State struct {
	// Running says that the editor can be asked.
	Running bool
	// Detail is one line for people: "VS Code 1.99, two windows", or why it is not running.
	Detail string
	// Start says what to do so that it runs, as the next step of an error. It is needed only where Running is false.
	Start string
	// Folders are the directories that the editor has open. Files outside of them are not its business. None is all.
	Folders []string
}

// Errors of adapters, to be wrapped with what was being done.
var (
	// ErrNotRunning is an editor that is not there (any more).
	ErrNotRunning = errors.New("the editor is not running")
	// ErrStale is a document that has changed since the version that was named.
	ErrStale = errors.New("the document has changed")
	// ErrUnsupported is what the editor has no means for, with this file.
	ErrUnsupported = errors.New("the editor cannot do that")
)

// Document is the text of a file, as an editor or the disk has it.
type Document struct {
	Path string
	// Text is all of it, in UTF-8 with its own line ends, without a byte-order mark.
	Text string
	// Version is that of the editor; 0 for a document that comes from the disk.
	Version int
	// Dirty says that the editor has changes that are not on the disk.
	Dirty bool
	// Language is the identifier of the Language Server Protocol, such as "typescriptreact", or empty if it is not known.
	Language string
}

// Buffers are the documents that the editor has open.
type Buffers interface {
	// Document answers the document of a file. open is false, without an error, for a file that the editor has not open.
	Document(ctx context.Context, path string) (doc Document, open bool, err error)
	// Edit changes an open document, if it is still of the version. The edits are apart from each other and all refer to that
	// version. save writes the document to its file afterwards.
	Edit(ctx context.Context, path string, version int, edits []TextEdit, save bool) (Document, error)
}

// Windows are what the user of the editor looks at.
type Windows interface {
	// Open shows a file. at is where the cursor goes; nil leaves it. preview asks for a tab that the next file replaces.
	Open(ctx context.Context, path string, at *Position, preview bool) error
	// Active answers what the user looks at; ok is false when that is no document.
	Active(ctx context.Context) (active Active, ok bool, err error)
}

// Active is the document that the user looks at.
type Active struct {
	Path      string // empty for a document that has no file
	Version   int
	Cursor    Position
	Selection *Range // nil when nothing is selected
	Dirty     bool
}

// Diagnoser finds what is wrong in files.
type Diagnoser interface {
	// Diagnose answers the diagnostics of files, or of the whole project where none is named. It waits until they are those of
	// the files as they are now, and answers what it has, not fresh, when ctx ends before that.
	Diagnose(ctx context.Context, paths []string) (Diagnostics, error)
}

// Diagnostics are an answer of a Diagnoser.
type Diagnostics struct {
	Items []Diagnostic
	// Fresh says that they are those of the files as they are now.
	Fresh bool
	// Covered names the files that the adapter has looked at. Others are asked of the next adapter. nil is all named files, or
	// all files of its folders for the whole project. An adapter that knows only a part of a project names that part.
	Covered []string
	// Covers tells, for the whole project, which files the adapter has looked at, where they are too many to be named. It
	// takes precedence over Covered. nil leaves it to Covered.
	Covers func(path string) bool
	// Checks are the files whose state is not the one that Fresh and Covered give: a covered file is Checked if Fresh is set and
	// Stale otherwise, and any other file is Unchecked without a reason.
	Checks []FileCheck
	// Notes say which other parts the answer lacks.
	Notes []string
}

// FileCheck tells whether a file was looked at.
type FileCheck struct {
	Path  string
	State CheckState
	// By is the program that has looked at the file, such as "gopls". Empty is the adapter itself.
	By string
	// Reason is the reason why the file is not Checked, and Next the step that would change it.
	Reason, Next string
}

// CheckState is how far the diagnostics of a file can be relied upon.
type CheckState string

// The states of files.
const (
	// Checked is a file that was looked at as it is now.
	Checked CheckState = "checked"
	// Unchecked is a file that was not looked at, or at its syntax alone: that it has no diagnostics says nothing.
	Unchecked CheckState = "unchecked"
	// Stale is a file that has changed since it was looked at, or that may have.
	Stale CheckState = "stale"
)

// Explainer tells why an adapter does not look at a file, also while the adapter is not running.
type Explainer interface {
	// WhyUnchecked returns the reason, and the step that would change it. Both are empty for a file that is not the adapter's business.
	WhyUnchecked(path string) (reason, next string)
}

// Indexer tells whether an adapter knows all files of the project that use the names of a file.
type Indexer interface {
	// Unindexed returns the reason why References and Rename may lack other files of the project, and the step that would change
	// it. Both are empty if the adapter knows these files.
	Unindexed(path string) (reason, next string)
}

// SyntaxChecker finds syntax errors, in files that no Diagnoser has looked at. Its methods may be called from several goroutines at
// once.
type SyntaxChecker interface {
	// KnowsSyntax tells, by the name of a file, whether there may be a parser for it.
	KnowsSyntax(path string) bool
	// CheckSyntax answers the syntax errors of a text. It is ErrUnsupported for a kind of file without a parser.
	CheckSyntax(ctx context.Context, path, text string) (Syntax, error)
}

// Syntax is an answer of a SyntaxChecker.
type Syntax struct {
	Items []Diagnostic
	// By is the parser, such as "go/parser".
	By string
	// Complete says that files of this kind have errors of syntax alone, as JSON has.
	Complete bool
}

// Fixer knows fixes of diagnostics.
type Fixer interface {
	// Fixes answers what would mend a diagnostic of a document.
	Fixes(ctx context.Context, doc Document, d Diagnostic) ([]Fix, error)
	// Resolve answers the edits of a fix that Fixes has answered without them.
	Resolve(ctx context.Context, f Fix) ([]FileEdit, error)
}

// Fix is a change that mends a diagnostic.
type Fix struct {
	Title     string
	Kind      string // as the Language Server Protocol names kinds of code actions: "quickfix", "source.organizeImports"
	Preferred bool   // the one to take when nobody chooses
	// Edits are what it changes; nil when only Resolve finds that out.
	Edits []FileEdit
	// Ref is the adapter's own.
	Ref any
}

// Refactorer knows how code can be written otherwise so that it does the same.
type Refactorer interface {
	// Refactorings answers what can be done with a part of a document, which may be empty: a place. kinds are those that are
	// wanted, each with all below it ("refactor.extract" has "refactor.extract.function").
	Refactorings(ctx context.Context, doc Document, part Range, kinds []string) ([]Refactoring, error)
	// Refactor answers the edits of one that Refactorings has answered. It is ErrStale if the document has changed since.
	Refactor(ctx context.Context, r Refactoring) ([]FileEdit, error)
}

// Refactoring is a change of code that keeps what it does.
type Refactoring struct {
	Title     string
	Kind      string // as the Language Server Protocol names kinds of code actions: "refactor.extract.function"
	Preferred bool   // the one to take when nobody chooses
	// Disabled is why it cannot be done with this part; empty for one that can.
	Disabled string
	// Ref is the adapter's own.
	Ref any
}

// Formatter lays out code.
type Formatter interface {
	// Format answers what to change in a document, or in a part of it, so that it is laid out by the rules of the project.
	Format(ctx context.Context, doc Document, part *Range) ([]TextEdit, error)
}

// Navigator knows what names mean.
type Navigator interface {
	// Definition answers where that is declared which stands at a position.
	Definition(ctx context.Context, doc Document, at Position) ([]Location, error)
	// References answers where it is used, the declaration included.
	References(ctx context.Context, doc Document, at Position) ([]Location, error)
	// Rename answers what to change so that it has another name everywhere.
	Rename(ctx context.Context, doc Document, at Position, name string) ([]FileEdit, error)
	// Symbols answers what a document declares, containers before what they contain.
	Symbols(ctx context.Context, doc Document) ([]Symbol, error)
	// FindSymbols answers declarations of the whole project whose names are like query.
	FindSymbols(ctx context.Context, query string) ([]Symbol, error)
}

// Listener is told of files that have changed on the disk by the tools.
type Listener interface {
	// FilesChanged tells of files that were written, made or removed. It must not wait for the editor.
	FilesChanged(paths []string)
}
