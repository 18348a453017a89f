// Package adapter is what the tools of package editor ask of an editor, or of what stands in for one.
//
// An editor is an [Adapter]. What it can do beyond being there are further interfaces, of which it implements those that it
// can: [Buffers] for the documents that it holds, [Windows] for what its user looks at, [Diagnoser], [Fixer], [Refactorer],
// [Formatter] and [Navigator] for what it knows of the code. The tools ask the adapters in the order in which they were given, for each
// capability and file anew: diagnostics may come from VS Code and a rename from a language server in the same session.
//
// # Conventions
//
//   - Paths are absolute and in the form of the operating system. An adapter is given paths that the tools may use, with every link
//     resolved. What it answers is checked before anything is done with it, so it may answer any path.
//   - Lines and columns count from 1, and columns count UTF-16 code units, as the Language Server Protocol and VS Code do. The end
//     of a Range is the position after its last character.
//   - An adapter never writes to files by itself, except by saving a buffer that it was told to save. What it finds out,
//     such as the edits of a rename, it answers, and the tools carry it out.
//   - Everything may be called from several goroutines at once, and ends soon when its context ends. An editor that does not
//     answer costs the caller an error and nobody else anything.
//   - An editor that has been closed meanwhile answers [ErrNotRunning], a document that has changed meanwhile [ErrStale], and
//     what the editor has no means for [ErrUnsupported], so that the next adapter is asked.
//
// # Writing an adapter
//
// The example shows an adapter for an editor that only shows files. An adapter for another editor needs no more than its
// own package: it implements Adapter, and of the other interfaces as many as the editor has means for, and is given to
// editor.New in Options.Adapters.
package adapter
