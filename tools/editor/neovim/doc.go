// Package neovim is the editor adapter for a running Neovim 0.7 or later. It works on Neovim's buffers and uses the language
// servers attached to them. Neovim needs no plugin.
//
// [Neovim] looks for Neovim processes and connects to each by MessagePack-RPC. Over the connection it sends the Lua scripts that
// this package embeds, and Neovim runs them. It implements the interfaces of package adapter.
//
// # Connection
//
// With Options.Address or $NVIM, it connects to that Neovim, for all files. Otherwise, on Unix, it looks for sockets in
// $XDG_RUNTIME_DIR and the directory for temporary files, in directories that only the user can write, and on Linux for all sockets
// on which processes called nvim listen. It uses every Neovim with a working directory in or around the project, the last used first.
//
// Other addresses are found with the plugin in the directory plugin: it announces the address in a file in a directory that only the
// user can access. The directory is dougu/neovim in $XDG_RUNTIME_DIR or in ~/.cache, on Windows %LOCALAPPDATA%\dougu\neovim, and
// $DOUGU_NEOVIM_DIR overrides it for both sides. The plugin is needed on Windows, for TCP addresses, and, except on Linux, after
// nvim --listen and if Neovim has another $TMPDIR.
//
// # Documents
//
// A loaded buffer is a document ([adapter.Buffers]) if it is in the buffer list, shown in a window, or modified. An exception is a
// buffer with the option nomodifiable or readonly that is equal to its file: edits change the file on the disk then. An edit is
// one undo step. The version of a document is its changedtick.
//
// Documents are those of all Neovims of the user, whatever their working directories. Each query looks for new sockets first. A
// Neovim that listens and does not answer within 1.5 seconds, for example because it was stopped with Ctrl-Z, makes queries fail
// until it continues or ends. On Linux that is so only if its working directory is in or around the project, or one of its arguments
// is a file of the project. On other systems the working directory of such a process is not known, and each one counts.
//
// When a file changes on disk, an unchanged buffer is read again, as with :checktime. If Neovim would ask its user, the decision is
// left to the user. Language servers are notified of files that tools changed.
//
// The active document is in the current window, or in the previous one if the current window shows no document: this program may
// run in a terminal of Neovim.
//
// # Language servers
//
// Diagnostics ([adapter.Diagnoser]) come from vim.diagnostic. They are fresh if they were reported for the current text, or if
// the text has not changed for 10 seconds. Files without a buffer with a language server are left to the next adapter. Fixes,
// formatting and navigation are requests to the language servers of a buffer; the user does not wait for them. Fixes that are
// commands are omitted, because their effect is not known in advance.
//
// # Limits
//
// While Neovim waits for a key, for example in a prompt, requests fail with an error that says so. A request that has not started
// before its timeout is not executed later. Values from Neovim are not trusted: sizes are limited and positions are checked. The
// caller must check paths.
//
// Windows is compiled and vetted, but untested.
package neovim
