// Package emacs is the editor adapter for a running Emacs 27 or later with JSON support. It works on Emacs's buffers and uses the
// language servers that eglot runs. Emacs needs only (server-start) in its init file; emacsclient is not used.
//
// [Emacs] looks for Emacs servers and connects to each over the server protocol. It loads an Emacs Lisp program of this package
// there, and calls its functions. It implements the interfaces of package adapter.
//
// # Connection
//
// Options.Server, $EMACS_SOCKET_NAME or $EMACS_SERVER_FILE select one server. Otherwise every server of the user is used. Servers
// are found by sockets in $XDG_RUNTIME_DIR/emacs or the directory for temporary files, and by files in server-auth-dir that contain
// the address and key of a server on this machine. Only directories that no other user can write are searched. For a file, an Emacs
// that has it open is preferred, one with unsaved changes first, then the Emacs that was used last.
//
// # Documents
//
// The Lisp program's names have a prefix that depends on its version. It adds no hooks and never prompts the user: an operation
// that would prompt fails.
//
// A buffer that visits a file is a document ([adapter.Buffers]). The document is the entire text, even if the buffer shows only a
// part (narrowing) or other buffers share its text (indirect buffers). A
// read-only buffer that is equal to its file counts as not open: the file is changed instead. An edit is one undo step and replaces
// only differing ranges. The version of a document is its buffer-chars-modified-tick. Encoding and line endings are kept; a
// character that the encoding lacks is an error. An unchanged buffer is read again when its file changes.
//
// [Emacs.Open] ignores file-local and directory-local variables. The user's focus moves, unless they type in the minibuffer or to a
// program.
//
// # Language servers
//
// Diagnostics ([adapter.Diagnoser]) come from flymake or flycheck. Formatting, navigation and refactorings are requests to the
// language server of eglot; the user does not wait for them. Code actions that run a command in the
// language server, instead of returning edits, are omitted: their effect is not known in advance. For a buffer
// without eglot, package editor asks the next adapter.
//
// # Limits
//
// Each request uses its own connection, so that a busy Emacs delays no other request. A request that has not started before its
// timeout is not executed later. Values from Emacs are not trusted: sizes are limited and positions are checked. The caller must
// check paths.
//
// Windows, where Emacs listens on TCP only, is compiled and vetted, but untested. flycheck is untested, too.
package emacs
