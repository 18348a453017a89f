// Package editor is a tool set that edits code, formats it, reports and fixes diagnostics, and navigates by symbols. It works
// with the user's editors if some run, and on the disk otherwise.
//
// [Editor] is the set; its exported methods are the tools. Each capability of an editor or a language server comes from an
// adapter of package adapter. Adapters are tried in the order of Options.Adapters until one supports the capability.
//
// # Changes
//
// All tools change files in one way. A file that is open in an editor is changed in that editor. The editor saves it unless it
// had unsaved changes before. Other files are changed on the disk, under a lock, and keep their encoding and line ends. If an
// unmodified buffer differs from the disk, the file on the disk is changed, because editors reload the buffer.
//
// The same view holds for all tools that use the Root: New attaches the documents of the editors to it, and [Attach] does so in
// programs without these tools. Reads return unsaved text, writes to open documents go through their editor, and a file that may
// have unsaved text which cannot be read is not changed.
//
// The rules of security.Root hold for buffers, too, and the audit log records each change before it happens. A change of
// several files is computed and checked before anything is written. If one file cannot be written, all files and buffers get
// their former content back. The call returns the error, which also reports a failed undo.
//
// A change can name the sha256 of the content that its line numbers refer to. Another content is refused with STALE_FILE. With
// a Ledger, the digest of the last read is used. The digest of a file covers its bytes on the disk. The digest of unsaved text
// covers the text in UTF-8.
//
// # Diagnostics
//
// The answer to a change contains new errors if an adapter reports them within Options.Feedback. Each answer with diagnostics
// has a state for each file, with the checking program and the reason:
//
//   - checked: a program has checked the present text.
//   - stale: the file has changed, or may have changed, since it was checked.
//   - unchecked: the file can have errors although no diagnostics are returned.
//
// Options.Syntax finds errors of syntax in files that no adapter has checked. A file is checked then if its format has no other
// errors, for example JSON, and otherwise stays unchecked. An answer has a number of errors only if a file was checked or an
// error was found.
package editor
