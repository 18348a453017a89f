// Package headless is the editor adapter for machines without an editor. It uses language servers for diagnostics, fixes and
// navigation, and command-line formatters for formatting.
//
// [Headless] implements the interfaces of package adapter. It keeps one instance of a [Server] for each folder. The folder is the
// topmost directory above a file that has a root marker, for example go.mod. An instance starts with the first request and ends
// with the Headless, or after [Options.Idle] without a request. If a server fails, the request returns an error. After three
// failures within five minutes it is not started for five minutes, or until [Headless.Forgive] is called.
//
// # Faults of servers
//
// A server is untrusted. A crash, an invalid or endless output, or silence for 45 seconds ends it, and the request returns an error.
// A server with its child processes is also ended above [Options.MaxMemory] of resident memory, which is measured on Linux only; the
// memory that a JVM or V8 reserves does not count. Pauses between starts begin with half a second and double.
//
// A text with which a server ends twice is not sent again until it changes. Other documents keep their server: after a failure
// with several documents, each of them is sent alone.
//
// While a call waits, progress reports of the server become progress notifications of the call. If the wait ends first, the reason
// of an unchecked file names the work, for example "Indexing 43 %".
//
// # Compilers
//
// Files without a server are checked by a compiler: Rust by "cargo check" in a trusted project, with its output in
// target/dougu-check, and Java by javac. A compiler reads files on the disk. It goes on after the end of a request, and runs again
// only after a change. Files that it has not compiled are unchecked, with the reason:
//
//   - cargo: files outside of all targets, and files without errors while rustc stops at errors of syntax or imports.
//   - javac: all files, if it lacks a library of the project. Annotation processors do not run.
//
// # Documents
//
// Before each request the server receives the current text of the documents concerned: the given text or the file on disk. Changes
// of other files are detected by modification time and size, at most once a second.
//
// # Trust and sandbox
//
// Some language servers and formatters run code of the project: build scripts, plug-ins, compilers named in a configuration. They
// are started only with [Options.TrustProject]. gopls, clangd and pyright run no code of the project, and
// typescript-language-server uses the TypeScript of the machine. Programs are found on PATH and in the places of package managers and
// editors (package installed). A program in the project is used only with [Options.TrustProject].
//
// In a sandbox ([Options.Sandbox]) servers and formatters can read the project and installed programs. They can write to the
// private home directory of the sandbox, where their caches are, and to the directories in [Server.Writes]. clangd stores its
// index in .cache/clangd beside the compilation database, as in every editor.
//
// # Freshness
//
// Diagnostics are fresh only if they certainly belong to the present text. There are three cases:
//
//   - The server returned them for a request (LSP 3.17, "Pull Diagnostics").
//   - The server published them with the version of the document.
//   - gopls reported the end of its check.
//
// Otherwise the last known diagnostics are returned, with a note that gives the reason.
package headless
