// Package neovim lets the tools of package editor work in a running Neovim, 0.7 or later: in its buffers, and with what the language
// servers know that are attached to them. Nothing has to be installed in Neovim.
//
// Which Neovim that is:
//
//   - the one at Options.Address, or the one in whose terminal this program runs ($NVIM), and then for all files;
//   - else, on Unix, those that have left a socket in $XDG_RUNTIME_DIR or the directory for temporary files, where only their user can,
//     and whose working directory has to do with the project. If several have, they are asked in the order in which they were used.
//
// What it does there:
//
//   - A buffer is a document ([adapter.Buffers]) when it is loaded and is listed, shown or changed. One that cannot be changed, as
//     with 'readonly', counts as not open as long as it is as on the disk, so that the file is changed there.
//   - Edits are a step of their own that the user can undo. The version of a document is its changedtick.
//   - A buffer without changes is read again when its file has changed, as with :checktime; one that Neovim would ask
//     its user about is left to the user. Language servers are told of files that the tools have changed.
//   - The user looks at the document in the current window or, if that shows none, in that where the user was before: this program may
//     run in a terminal of Neovim.
//   - Diagnostics ([adapter.Diagnoser]) are those of vim.diagnostic. They are fresh when they came for the text as it is now, or when
//     nothing has changed for a while. Files that have no buffer with a language server are left to the next adapter.
//   - Fixes, formats and names are asked of the language servers of a buffer, without making the user wait. Fixes that are a
//     command are left out, since nobody could say beforehand what it does.
//
// While Neovim waits for a key, as in a prompt, it does nothing; that is an error that says so. What was asked and has not been done in
// time is not done later. What Neovim says is not believed: it is bounded, positions are checked, and paths are for the caller to check.
//
// Windows is compiled and vetted, but untested.
package neovim
