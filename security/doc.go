// Package security confines tools to a part of the file system.
//
// [OpenRoot] returns a [Root]: one or more directories with rules. Blocked files, usually secrets, are invisible.
// Protected files can be read and not written. Other programs run code from them, for example from .git/hooks or the
// settings of an editor. A Root opens every file relative to an open directory, follows links itself, and applies the
// rules to the final path.
//
// Reading: [Root.Open], [Root.ReadFile], [Root.Stat], [Root.OpenDir] and [Root.Walk]. Writing: [Root.Write],
// [Root.Update], [Root.MakeDir], [Root.Move], [Root.Trash] and [Root.Batch]. Every write is atomic, holds a lock that
// other processes respect, and is recorded in the audit log if there is one. Batch keeps a journal, from which the
// next process undoes an interrupted change.
//
// [Root.Attach] gives a Root the [Documents] that editors hold in memory. All reads return their unsaved text then, and
// writes to an open document go through its editor.
//
// Every refusal is an [Error] with a stable code, the rule, a message and the next step. [Codes] lists the codes.
// Package audit records changes before they happen, and package redact removes secrets from texts. Package aferofs
// is an adapter for code that uses afero.
//
// A Root limits the paths that a tool can use. It does not limit code that runs with the same rights, for example a
// command that a terminal tool starts.
package security
