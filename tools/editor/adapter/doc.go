// Package adapter defines the interfaces between the tools of package editor and an editor or a language server.
//
// An editor is an [Adapter]. It implements the further interfaces that match its capabilities: [Buffers] for open documents,
// [Windows] for the window of the user, and [Diagnoser], [Fixer], [Refactorer], [Formatter] and [Navigator] for language
// features. [Explainer] and [Indexer] explain incomplete results, [SyntaxChecker] parses files without a Diagnoser, and
// [Listener] receives changes of files. The tools try adapters in the configured order, for each capability and file. So diagnostics can come from VS Code
// and a rename from a language server in the same session.
//
// # Conventions
//
//   - Paths are absolute and in the form of the operating system. Paths that an adapter receives are permitted by the security.Root of the tools and have all links
//     resolved. The tools check all paths that an adapter returns.
//   - Lines and columns count from 1. Columns count UTF-16 code units, as in the Language Server Protocol. The end of a Range is the position
//     after its last character.
//   - An adapter does not write files, except when it saves a buffer on request. It returns edits, and the tools apply them.
//   - All methods are safe for concurrent use and return soon after their context ends. An editor that does not respond causes an error for
//     that call only.
//   - [ErrNotRunning] reports a closed editor, [ErrStale] a changed document, and [ErrUnsupported] a missing capability. After ErrNotRunning
//     and ErrUnsupported the tools try the next adapter.
//
// # Writing an adapter
//
// The example is an adapter for an editor that can only open files. An adapter needs one package. It implements Adapter and the
// interfaces for the editor's capabilities, and is passed to editor.New in Options.Adapters.
package adapter
