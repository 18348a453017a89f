// Package external makes the documents of a plugin.Source searchable: a wiki, a manual, a database of articles.
//
//	wiki, err := external.New(source, external.Options{})
//	set, err := search.New(env, search.Options{Plugins: []plugin.Plugin{files, wiki}})
//
// [New] returns [Documents], which implements plugin.External. It keeps the pieces of the documents in an index and updates the
// index at an interval and on request (refresh_index). An update lists the source and reads new and changed documents only. A
// plugin.ChangeSource is asked for its changes, and listed completely once an hour.
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
// Status.Skipped counts them by reason. Results show the text of the last update.
//
// # Failures
//
// If the source fails, the update ends with INDEX_UNAVAILABLE, Status reports the error, and documents that were indexed before
// are still found. Only documents that a complete list lacks, and documents that the source reports as removed, are removed.
package external
