package app

import (
	"errors"
	"path/filepath"
)

// Machine returns the field Environment, or the machine of the process if the field is nil.
func (a *App) Machine() Environment { return Environment(a.environment()) }

// ProjectDirs returns the absolute paths of the directories that the running command has
// selected as the project. It is empty without a project, and in a program without the flag
// -root. Commands use it to tell programs of the user from programs of the project.
func (a *App) ProjectDirs() []string {
	var dirs []string
	for _, dir := range a.options.project.dirs {
		if abs, err := filepath.Abs(dir); err == nil {
			dirs = append(dirs, abs)
		}
	}
	return dirs
}

// Confirm asks the user a question on the terminal. It returns nil for "y" and "yes". It is
// an error if standard input is no terminal; the message names the flag -yes, which the
// command should have.
func (a *App) Confirm(question string) error {
	if !a.hasTerminal() {
		return errors.New("there is no terminal to ask on; add -yes to agree")
	}
	return a.confirm(question)
}
