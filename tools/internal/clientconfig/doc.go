// Package clientconfig finds the configuration files of MCP clients and adds a server to them.
//
// [All] lists the clients, and Client.Locate finds a file in an [Environment]. Installer.Plan
// computes a [Change] of the file, and Installer.PlanUndo the reverse of an earlier one.
// Change.Preview returns the texts for display, and Change.Apply writes the file.
//
// The files belong to users: they contain comments, secrets, other servers and a formatting of
// their own. Some are symbolic links, and Claude Code also stores its state in its file. So an edit
// inserts a few bytes at offsets that a parser has found, with the indentation of the neighbouring
// text. All other bytes stay unchanged. A file with invalid syntax is refused and not changed.
//
// Every change is recorded with the previous content of the file. An undo restores that content if
// the file has not changed since; otherwise it removes only the added entry. The last 50 changes
// can be undone.
package clientconfig
