// Package jetbrains is the adapter for IDEs of JetBrains (IntelliJ IDEA, GoLand, PyCharm, Rider, …). It uses three documented
// interfaces, each of which is optional:
//
//   - The command-line launcher, for example idea or goland, which Toolbox or the menu Tools creates. It opens a file at a line and column
//     ([adapter.Windows]) and starts the IDE if necessary. It can also format a file ([adapter.Formatter]). That starts an IDE without windows
//     and is slow, so Options.Format must enable it.
//   - The built-in web server at port 63342, which also opens a file at a line. The IDE may ask its user for permission. Options.WebServer
//     enables it.
//   - The MCP server of the IDE, from version 2025.2, which is enabled in Settings | Tools | MCP Server. Options.Server enables it. It returns
//     diagnostics of open files ([adapter.Diagnoser]), and opens a file without a line if the other interfaces are missing. Its tools differ
//     between versions, so a tool is used only if it is listed with the expected arguments.
//
// Limits of the interfaces:
//
//   - Unsaved text in the IDE cannot be read or changed. Edits are made on the disk; the IDE reloads files when its window gets the focus.
//   - The cursor position is unknown. The MCP server reports the active file only, so [adapter.Windows] has no active document.
//   - rename_refactoring and reformat_file of the MCP server are not used: they write files without the rules of the Root, the audit log and
//     undo. A language server handles renames.
//   - Files that are not open in the IDE have no diagnostics, because the IDE has not analyzed them.
//
// The package is not tested with an IDE: the tests follow the documentation and the source of IntelliJ Community.
package jetbrains
