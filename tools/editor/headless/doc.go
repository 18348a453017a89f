// Package headless is the editor adapter for machines without an editor. It uses language servers for diagnostics, fixes and
// navigation, and command-line formatters for formatting.
//
// [Headless] implements the interfaces of package adapter. It keeps one instance of a [Server] for each folder. The folder is the
// topmost directory above a file that has a root marker, for example go.mod. An instance starts with the first request and ends
// with the Headless, or after [Options.Idle] without a request. If a server fails, the request returns an error. After three
// failures within five minutes it is not started for five minutes, or until [Headless.Forgive] is called.
//
// Before each request the server receives the current text of the documents concerned: the given text or the file on disk. Changes
// of other files are detected by modification time and size, at most once a second.
//
// # Trust and sandbox
//
// Some language servers and formatters run code of the project: build scripts, plug-ins, compilers named in a configuration. They
// are started only with [Options.TrustProject]. gopls, clangd and pyright run no code of the project, and
// typescript-language-server uses the TypeScript of the machine. Programs are found on PATH, never in directories of the project.
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
