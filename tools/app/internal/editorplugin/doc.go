// Package editorplugin installs the extension of VS Code and the plugin of Neovim in the editors of a machine, and compares their
// versions with that of the program.
//
// [Find] looks for editors: VS Code and its relatives by their command-line programs, Neovim by nvim. An [Editor] returns the installed
// version, installs and uninstalls. [Commands] are the commands install-extension and uninstall-extension of a program, and [Checks] are
// its checks for the command doctor.
//
// Programs inside the project are never run. Programs run outside of the project, without its directories in PATH, for a limited time.
package editorplugin
