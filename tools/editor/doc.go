// Package editor is the set of tools that edit code by lines and patterns, lay it out, tell what is wrong with it and mend
// that, and find their way in it: with the editor that the user has open where there is one, and without it where not.
//
// What an editor can do is asked of adapters, in the order of Options.Adapters: see package adapter. The tools are the methods
// of [Editor].
//
// # Changes
//
// There is one way for all changes. A file that an editor has open is changed in the editor, and saved unless it had changes
// before that were not saved; any other is changed on the disk, under its lock, and keeps its encoding and its line ends. A
// buffer without changes of its own that differs from the disk, because the editor has not noticed yet or reads another
// encoding, is passed over: the disk is right then, and editors read such buffers again by themselves.
//
// The rules of security.Root hold in the editor, too, and everything is recorded in the audit log before it happens. A change
// of several files is worked out and checked as a whole before anything is written, and taken back if one of the files cannot
// be written. The answer says so where that fails, too.
//
// Changes name lines, and lines move. So they can name the sha256 of the content that they are meant for, and are refused with
// STALE_FILE when it is another one; with a Ledger they need not even name it. That of a file is the digest of its bytes on
// the disk. A document with unsaved changes has no such bytes: its digest is that of its text in UTF-8.
//
// # After a change
//
// An answer tells the errors that the change has brought, if an adapter knows them within Options.Feedback, and whether the files
// were checked.
//
// # Whether a file was checked
//
// Every answer about errors says of each file whether it is checked, unchecked or stale, by which program, and why it is not checked. A
// file that no adapter has looked at goes to Options.Syntax, which finds errors of syntax alone, so that the file stays unchecked, unless
// files of its kind have no other errors. Errors are counted only where a file was checked or an error was found.
package editor
