package adapter

import (
	"context"
	"errors"
)

// Adapter is the connection to one editor or language server.
type Adapter interface {
	// Name returns the name for users, for example "vscode".
	Name() string
	// State returns the present state. It is called often and must not block.
	State() State
	// Watch calls changed whenever the result of State may have changed, until stop is called. stop waits for a running call.
	// Watch itself must not call changed.
	Watch(changed func()) (stop func())
	// Close ends processes and connections that the adapter has started. Programs that were running before keep running.
	Close(ctx context.Context) error
}

// Coverage is an Adapter that works only for some languages.
type Coverage interface {
	// CoversProject reports whether the adapter works for a language of the project. It may block for some seconds at the start. Watch
	// reports later changes of the result.
	CoversProject() bool
}

// State is the state of an adapter's editor.
type State struct {
	// Running means that the editor accepts calls.
	Running bool
	// Detail is one line for users, for example "VS Code 1.99, two windows", or the reason why the editor is not running.
	Detail string
	// Start is the step that starts the editor, for error messages. It is needed only if Running is false.
	Start string
	// Folders are the directories that the editor has open, and the files outside of them with unsaved text. Other files are
	// not covered. Without folders all files are covered.
	Folders []string
}

// Errors of adapters. Adapters wrap them with the operation.
var (
	// ErrNotRunning means that the editor is not running or has ended.
	ErrNotRunning = errors.New("the editor is not running")
	// ErrStale means that the document has changed since the given version.
	ErrStale = errors.New("the document has changed")
	// ErrUnsupported means that the editor does not support the operation for this file.
	ErrUnsupported = errors.New("the editor cannot do that")
)

// Document is the text of a file, in an editor or on the disk.
type Document struct {
	Path string
	// Text is the complete text in UTF-8 with its own line ends, without a byte-order mark.
	Text string
	// Version is the editor's version number of the text; 0 for a document on the disk.
	Version int
	// Dirty means that the editor has changes that are not on the disk.
	Dirty bool
	// Language is the language identifier of the Language Server Protocol, for example "typescriptreact". Empty is unknown.
	Language string
	// SaveError is the reason why the editor could not save the document, in a result of Buffers.Edit; empty if it gave none.
	SaveError string
}

// Buffers gives access to the open documents of an editor. Through them all tools read and write the text of the editor; see
// security.Documents.
type Buffers interface {
	// Unsaved returns the absolute paths of the open documents with changes that are not on the disk, including documents whose
	// file does not exist and documents outside of State.Folders. It returns the known paths together with an error if a part of the editor does not answer.
	Unsaved(ctx context.Context) ([]string, error)
	// Document returns an open document. open is false, without an error, if the editor does not have the file open. An error can come
	// with a document, if a part of the editor does not answer and may have other unsaved text.
	Document(ctx context.Context, path string) (doc Document, open bool, err error)
	// Edit changes an open document of the given version; another version is ErrStale. The edits do not overlap and refer to
	// that version. save writes the document to its file afterwards. Edit returns the document after the change.
	Edit(ctx context.Context, path string, version int, edits []TextEdit, save bool) (Document, error)
}

// Windows gives access to the user's editor window.
type Windows interface {
	// Open shows a file. at is the cursor position; nil keeps the present one. preview opens a tab that the next file replaces.
	Open(ctx context.Context, path string, at *Position, preview bool) error
	// Active returns the active document. ok is false if no document is active.
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

// Diagnoser returns diagnostics of files.
type Diagnoser interface {
	// Diagnose returns the diagnostics of files, or of the project if paths is empty. It waits until they match the present
	// content. If ctx ends first, it returns the diagnostics so far with Fresh unset.
	Diagnose(ctx context.Context, paths []string) (Diagnostics, error)
}

// Diagnostics is the result of a Diagnoser.
type Diagnostics struct {
	Items []Diagnostic
	// Fresh means that the diagnostics match the present content of the covered files.
	Fresh bool
	// Covered are the files that the adapter has checked. The tools query the next adapter for other files. nil means all
	// requested files, or all files of the adapter's folders.
	Covered []string
	// Covers reports whether a file of the project was checked. It replaces Covered if there are too many files for a list. nil
	// uses Covered.
	Covers func(path string) bool
	// Checks are the files whose state differs from the default. By default a covered file is Checked if Fresh is set and Stale
	// otherwise, and other files are Unchecked without a reason.
	Checks []FileCheck
	// Notes describe further gaps of the result.
	Notes []string
}

// FileCheck is the check state of a file.
type FileCheck struct {
	Path  string
	State CheckState
	// By is the program that checked the file, for example "gopls". Empty means the adapter itself.
	By string
	// Reason says why the file is not Checked. Next is the step that would help.
	Reason, Next string
}

// Starter is a Diagnoser whose first answer takes longer than later ones, because a program starts and reads the project.
type Starter interface {
	// Starting reports whether the next Diagnose of the files, or of the project if paths is empty, waits for such a program.
	Starting(ctx context.Context, paths []string) bool
}

// CheckState says how reliable the diagnostics of a file are.
type CheckState string

// States of files.
const (
	// Checked means that the present content was checked.
	Checked CheckState = "checked"
	// Unchecked means that the file was not checked, or only its syntax. No diagnostics of an Unchecked file do not mean
	// that it has no errors.
	Unchecked CheckState = "unchecked"
	// Stale means that the file has changed, or may have changed, since it was checked.
	Stale CheckState = "stale"
)

// UnsavedReader is a Diagnoser whose results are about the unsaved texts of all editors, as security.Root returns them. The tools
// report the results of other adapters as Stale for a file with unsaved text in another editor.
type UnsavedReader interface {
	// ReadsUnsaved reports whether the adapter reads unsaved texts.
	ReadsUnsaved() bool
}

// Explainer gives the reason why an adapter does not check a file. It works also while the adapter is not running.
type Explainer interface {
	// WhyUnchecked returns the reason and the step that would help. Both are empty for a file that the adapter does not
	// support.
	WhyUnchecked(path string) (reason, next string)
}

// Indexer reports whether an adapter has indexed all files of the project that can use the names of a file.
type Indexer interface {
	// Unindexed returns the reason why References and Rename may miss other files, and the step that would help. Both are empty
	// if all files are indexed.
	Unindexed(path string) (reason, next string)
}

// SyntaxChecker finds syntax errors in files that no Diagnoser has checked. Its methods are safe for concurrent use.
type SyntaxChecker interface {
	// KnowsSyntax reports, by the name of a file, whether there may be a parser for it.
	KnowsSyntax(path string) bool
	// CheckSyntax returns the syntax errors of a text. The error is ErrUnsupported for a file type without a parser.
	CheckSyntax(ctx context.Context, path, text string) (Syntax, error)
}

// Syntax is the result of a SyntaxChecker.
type Syntax struct {
	Items []Diagnostic
	// By is the name of the parser, for example "go/parser".
	By string
	// Complete means that files of this type can have no other errors, for example JSON.
	Complete bool
}

// Fixer returns fixes of diagnostics.
type Fixer interface {
	// Fixes returns the fixes of a diagnostic of a document.
	Fixes(ctx context.Context, doc Document, d Diagnostic) ([]Fix, error)
	// Resolve computes the edits of a fix that Fixes returned without edits.
	Resolve(ctx context.Context, f Fix) ([]FileEdit, error)
}

// Fix is a change that fixes a diagnostic.
type Fix struct {
	Title string
	// Kind is a code action kind of the Language Server Protocol, for example "quickfix" or "source.organizeImports".
	Kind string
	// Preferred means that the language server recommends the fix.
	Preferred bool
	// Edits are the changes; nil if Resolve must compute them.
	Edits []FileEdit
	// Ref is data by which the adapter finds the item again; the tools pass it back unchanged.
	Ref any
}

// Refactorer returns refactorings of code.
type Refactorer interface {
	// Refactorings returns the refactorings of a range, which may be empty. kinds selects kinds with their subkinds:
	// "refactor.extract" includes "refactor.extract.function". ErrUnsupported beside a result means that another adapter may
	// have more.
	Refactorings(ctx context.Context, doc Document, part Range, kinds []string) ([]Refactoring, error)
	// Refactor computes the edits of a refactoring from Refactorings. The error is ErrStale if the document has changed since.
	Refactor(ctx context.Context, r Refactoring) ([]FileEdit, error)
}

// Refactoring is a change of code that preserves its behaviour.
type Refactoring struct {
	Title string
	// Kind is a code action kind of the Language Server Protocol, for example "refactor.extract.function".
	Kind string
	// Preferred means that the language server recommends the refactoring.
	Preferred bool
	// Disabled is the reason why the refactoring is not possible for the range; otherwise empty.
	Disabled string
	// NeedsTarget means that Refactor needs a Target.
	NeedsTarget bool
	// Target is the absolute path of the file that receives moved code. The tools set it before Refactor.
	Target string
	// Ref is data by which the adapter finds the item again; the tools pass it back unchanged.
	Ref any
}

// Formatter formats code.
type Formatter interface {
	// Format returns the edits that format a document, or a range of it, by the settings of the project.
	Format(ctx context.Context, doc Document, part *Range) ([]TextEdit, error)
}

// Navigator resolves names.
type Navigator interface {
	// Definition returns the declarations of the name at a position.
	Definition(ctx context.Context, doc Document, at Position) ([]Location, error)
	// References returns the uses and the declaration of the name at a position.
	References(ctx context.Context, doc Document, at Position) ([]Location, error)
	// Rename returns the edits that rename the symbol at a position everywhere.
	Rename(ctx context.Context, doc Document, at Position, name string) ([]FileEdit, error)
	// Symbols returns the declarations of a document. Containers come before their members.
	Symbols(ctx context.Context, doc Document) ([]Symbol, error)
	// FindSymbols returns declarations of the project with names similar to query.
	FindSymbols(ctx context.Context, query string) ([]Symbol, error)
}

// Listener receives the paths of files that the tools have changed on the disk.
type Listener interface {
	// FilesChanged receives the paths of written, created and removed files. It must not block.
	FilesChanged(paths []string)
}

// Hoverer returns the documentation of names.
type Hoverer interface {
	// Hover returns the declaration and the documentation of the name at a position, as Markdown or plain text. It is empty if
	// there is no name.
	Hover(ctx context.Context, doc Document, at Position) (string, error)
}

// HierarchyProvider follows the hierarchies of types and calls.
type HierarchyProvider interface {
	// Hierarchy returns the declarations that have a relation to the name at a position. It returns direct relatives only.
	// found is false, without an error, if the name at the position has no such hierarchy.
	Hierarchy(ctx context.Context, doc Document, at Position, r Relation) (related []Related, found bool, err error)
}

// Relation is a direction in a hierarchy.
type Relation string

// Relations of a type to other types, and of a function to other functions.
const (
	Supertypes Relation = "supertypes"
	Subtypes   Relation = "subtypes"
	Callers    Relation = "callers"
	Callees    Relation = "callees"
)

// Related is a declaration in a hierarchy.
type Related struct {
	Symbol Symbol
	// Calls are the ranges of the calls: in Symbol for Callers, in the function that was asked about for Callees.
	Calls []Range
}
