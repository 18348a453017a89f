package plugin

import (
	"context"
	"iter"
	"time"
)

// Source is a collection of documents outside of the project: a wiki, a manual, the articles in a database. Package external
// indexes a Source and makes it a plugin. Implementations must be safe for concurrent use, and their methods return soon after
// ctx has ended.
type Source interface {
	// Name returns the name of the plugin, for example "wiki": 2 to 32 lower-case letters, digits and hyphens, of which the first
	// is a letter. It begins the paths of the documents in results (wiki:/Deploy/Rollback).
	Name() string
	// List iterates over all documents, in any order, each once. Documents without a Text are read with Get if they are new or
	// have changed. Documents that List no longer returns are removed from the index. An error ends the iteration; the index then
	// keeps the documents that were not listed.
	List(ctx context.Context) iter.Seq2[Document, error]
	// Get returns the current version of a document with its Text. The error wraps fs.ErrNotExist if the document does not exist.
	// The result must not depend on the caller: the text is kept for later readers.
	Get(ctx context.Context, id string) (Document, error)
}

// ChangeSource is a Source that reports changes. An update then needs no complete List.
type ChangeSource interface {
	Source
	// Changes returns the changes after a cursor, which is that of an earlier result. For the empty cursor it returns the current
	// cursor and no changes. After an error, for example for a cursor that has expired, List is called.
	Changes(ctx context.Context, cursor string) (Changes, error)
}

// Changes are changes of a Source. If several results of one update have changes of the same document, the last one counts.
type Changes struct {
	// Changed are the new and changed documents, which List returns, too. As in List, Text may be empty.
	Changed []Document
	// Removed are the IDs of removed documents. A document that is also in Changed has been created again after its removal.
	Removed []string
	// Cursor is the position after these changes.
	Cursor string
	// More is true if the next call returns further changes at once.
	More bool
}

// Document is a document of a Source. Its texts are untrusted: invalid UTF-8 and control characters are replaced.
type Document struct {
	// ID identifies the document in its source: 1 to 512 bytes of UTF-8 without control characters, for example "4711" or
	// "Deploy/Rollback". Parts between slashes count as directories in filters.
	ID string
	// Title is the name for people, in one line. It is searched and shown with results. Optional.
	Title string
	// URL is the address of the web page (http or https), shown with results. Optional.
	URL string
	// Version changes whenever the document changes: a revision number, a hash, an ETag. Empty means that Modified decides; if
	// that is zero, too, the document is read at every update.
	Version string
	// Modified is the time of the last change; zero if it is unknown.
	Modified time.Time
	// Format is the format of Text: "markdown" (also if empty), "html", "text", or another value of index.File.Language.
	Format string
	// Text is the content.
	Text string
}

// External is a Documents plugin whose documents are not files of the project. The paths of its index begin with Name and ":/".
// Documents that its index lacks cannot be searched; results say so.
type External interface {
	Documents
	// Describe returns the title and the address of a document. ok is false if they are unknown.
	Describe(path string) (d Description, ok bool)
}

// Description is the part of a document that results show besides its path and its lines. Both fields are optional.
type Description struct {
	// Title is the name of the document, in one line.
	Title string
	// URL is the address of its web page.
	URL string
}
