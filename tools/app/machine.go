package app

import "path/filepath"

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
