// Package emacs lets the tools of package editor work in a running Emacs, 27 or later with JSON, over the protocol of its server: in
// its buffers, and with what eglot knows of them. Nothing has to be installed in Emacs but (server-start) in its init file, and
// emacsclient is not needed.
//
// Which Emacs that is:
//
//   - the one whose server is named by Options.Server, $EMACS_SOCKET_NAME or $EMACS_SERVER_FILE;
//   - else all that have left a socket in $XDG_RUNTIME_DIR/emacs or the directory for temporary files, or a file with the address and
//     the key of a server on this machine in the directory for such (server-auth-dir), where only their user can. Every file is the
//     business of each. One that has a file, with changes if there is such, comes before one that was used last.
//
// What it does there:
//
//   - A program in Emacs Lisp, of this package, is loaded where it is not yet. It defines nothing but names with a prefix of its own
//     version, adds no hook, and never asks the user: what would, fails.
//   - A buffer that visits a file is a document ([adapter.Buffers]), all of it, whatever it is narrowed to, and also for its indirect
//     buffers. A read-only one counts as not open as long as it is as on the disk, so that the file is changed there.
//   - Edits are a step of their own that the user can undo, and touch only what differs, so that markers elsewhere stay. The version of
//     a document is its buffer-chars-modified-tick. Encoding and line ends stay; a character that the encoding lacks is refused.
//   - A buffer without changes is read again when its file has changed.
//   - A file that is opened ([adapter.Windows]) is opened without its local variables and those of its directory. The user is taken there
//     unless they type into the minibuffer or to a program.
//   - Diagnostics ([adapter.Diagnoser]) are those of flymake or flycheck, where one of them is on.
//   - Layout, names and refactorings are asked of the language server by which eglot manages a buffer, without making the user wait.
//     Actions that are commands are left out, since their edits would not be seen before they are made. What eglot does not manage is left to
//     the next adapter.
//
// Each question has a connection of its own: an Emacs that is busy costs the caller an error, and nobody else anything. What was asked and
// has not been begun in time is not begun later. What Emacs says is not believed: it is bounded, positions are checked, and paths are for
// the caller to check.
//
// Windows, where Emacs listens at a TCP port alone, is compiled and vetted, but untested; flycheck is untested, too.
package emacs
