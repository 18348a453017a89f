// Package headless is an editor without a window: it finds out about code by language servers and lays it out by programs on
// the command line. It is what the tools of package editor use where no editor runs, and it needs none.
//
// Servers are started when they are first asked, end with the [Headless], and after a quarter of an hour in which nobody asked
// them. There is one for each folder that needs its own: the topmost directory on the way to a file that has a root marker, such as
// go.mod. A server that fails costs the one who asked an error; after three failures within five minutes it is left alone until
// they are over, or [Headless.Forgive] is called.
//
// A server is told of every document that a request concerns before the request: the text that was given, or that of the
// disk. Changes of other files are found by comparing times and sizes, at most once a second.
//
// # Whose code runs
//
// A language server is a program that reads the project, and some run what is in it: build scripts, plug-ins, a compiler that a
// configuration names. Servers and formatters that are known to do so are not started unless Options.TrustProject says that the
// project is as good as the programs on this machine. gopls, clangd and pyright do no such thing, and
// typescript-language-server is given the TypeScript of the machine, not that of the project. Programs are taken from PATH alone,
// and not from directories of the project.
//
// In a sandbox ([Options.Sandbox]) servers and formatters read the project and installed programs, and change nothing but caches
// in a home directory of their own, and what [Server.Writes] names.
//
// clangd keeps its index where it keeps it for every editor: in .cache/clangd beside the compilation database.
//
// # Freshness
//
// Diagnostics are called fresh only when the server has said so: it was asked for them (LSP 3.17, "Pull Diagnostics"), it
// published them with the version of the document, or it told that it has ended the work that every change begins (gopls). Where it
// says none of it, the answer is what is known, and a note says why it may be old.
package headless
