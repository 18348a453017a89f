// Package jetbrains lets the tools of package editor work with an IDE of JetBrains (IntelliJ IDEA, GoLand, PyCharm, Rider, …), as far as
// the interfaces go that these document. There are three, and each is optional:
//
//   - The command-line launcher, such as idea or goland, which Toolbox makes or the menu Tools does. It opens a file at a line and
//     column ([adapter.Windows]), in the IDE that is running or, where none is, by starting one. It can also lay a file out
//     ([adapter.Formatter]); that starts an IDE without windows and takes long, so it is done only where Options.Format asks for it.
//   - The built-in web server at port 63342, which opens a file at a line, too. The IDE may ask its user whether to allow that. It is
//     used where Options.WebServer names it.
//   - The MCP server that is part of the IDE from version 2025.2 and is turned on in Settings | Tools | MCP Server. It is used where
//     Options.Server names it: for what the IDE finds wrong in the files that it has open ([adapter.Diagnoser]), and to show a file
//     where neither of the others is there, without a line. Its tools differ between versions, so each is used only if it is listed
//     with the arguments that are known.
//
// What the interfaces do not allow:
//
//   - to see or change what is unsaved in the IDE. Edits are made on the disk; the IDE reads them when its window comes to the front.
//   - to tell where the cursor is. The MCP server tells which file is in front, but a position that nobody knows is none.
//   - rename_refactoring and reformat_file of the MCP server are not used: they write files by themselves, past the rules for what may
//     be changed, past the audit log and without a way back. A rename is made by a language server.
//   - diagnostics of files that the IDE does not have open: the IDE has not looked at them, and says that they have none.
//
// Nothing of this was tried with an IDE: the tests know what the documentation and the source of IntelliJ Community say.
package jetbrains
