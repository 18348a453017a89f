// Package external makes the documents of a plugin.Source searchable: a wiki, a manual, a database of articles.
//
//	wiki, err := external.New(source, external.Options{})
//	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files, wiki}})
//
// [New] returns [Documents], which implements plugin.External. It keeps the pieces of the documents in an index and updates the
// index at an interval and on request (refresh_index). An update lists the source and reads new and changed documents, and
// documents that have neither a version nor a time. A plugin.ChangeSource is asked for its changes, and listed completely once an
// hour.
//
// # Paths
//
// The path of a document is the name of the source, ":/" and the ID: wiki:/Deploy/Rollback. It is never a path of the project.
// Characters that have a meaning in paths or patterns are escaped as in a URL; [Documents.Path] returns the path of an ID.
//
// # Texts
//
// Texts are untrusted. Invalid UTF-8 and control characters become U+FFFD. The title begins the text of Markdown, HTML and plain
// text, so that its words are found. Documents that are too long, binary, or beyond the maximum number are not indexed;
// Status.Skipped counts them by reason. Results show the text of the last update if it is in memory (Options.MaxMemory), and
// otherwise the current text of the source.
//
// # Failures
//
// If the source fails, the update ends with INDEX_UNAVAILABLE, Status reports the error, and documents that were indexed before
// are still found. An update that fails, takes longer than an hour or is ended by Close keeps what it has read until then.
//
// An update removes a document that a complete list lacks, that the source reports as removed, that Get does not find, or whose
// new version is not indexed because it is too long, binary or cannot be split. Removals that were found before a failure count.
package external
