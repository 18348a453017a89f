// Package viewtest contains the test that all tools agree on the text of every file at any moment, during any actions of a user in an editor.
//
// A model holds, for each file, the content of the disk and the text of the editor. Random sequences of tools and of actions of the
// user (type, save, undo, reload, a change by another program) are made in the model and in a project with all tool sets. After every
// step each reading tool must return the content of the model. The editor is one in memory, Neovim or Emacs.
package viewtest
