package installed

import (
	"path/filepath"
	"slices"
	"strings"
)

// Bundle is a program that an extension of Visual Studio Code, or of an editor derived from it, brings along.
type Bundle struct {
	// Extension is the name of the extension with its publisher in lower case, for example "golang.go".
	Extension string
	// Program is the file of the program relative to the directory of the extension, with slashes and without ".exe". An element
	// may contain *; the newest version wins.
	Program string
	// Interpreter is a program that runs Program, for example "node". Empty if Program is executable.
	Interpreter string
	// Stored is true if the extension downloads Program into its storage in the editor's settings. Program is then relative to the
	// storage.
	Stored bool
	// Launch returns the command, for programs that need more than Interpreter and Program. dir is the directory of the extension.
	// It returns nil if parts are missing. It replaces Program and Interpreter.
	Launch func(dir string, m Machine) []string
}

// editorApp is an editor with extensions of Visual Studio Code.
type editorApp struct {
	name       string
	extensions []string // patterns of directories with extensions
	settings   []string // names of its directories for settings
	remote     []string // patterns of the directories in which its remote servers store programs
}

// editorApps are the editors whose extensions are searched.
var editorApps = []editorApp{
	{"VS Code", []string{"$VSCODE_EXTENSIONS", "~/.vscode/extensions", "~/.vscode-server/extensions", "~/.vscode-insiders/extensions", "~/.vscode-server-insiders/extensions"},
		[]string{"Code", "Code - Insiders"}, []string{"~/.vscode-server/data/User/globalStorage", "~/.vscode-server-insiders/data/User/globalStorage"}},
	{"VSCodium", []string{"~/.vscode-oss/extensions", "~/.vscodium-server/extensions"}, []string{"VSCodium"}, []string{"~/.vscodium-server/data/User/globalStorage"}},
	{"Cursor", []string{"~/.cursor/extensions", "~/.cursor-server/extensions"}, []string{"Cursor"}, []string{"~/.cursor-server/data/User/globalStorage"}},
	{"Windsurf", []string{"~/.windsurf/extensions", "~/.windsurf-server/extensions"}, []string{"Windsurf"}, []string{"~/.windsurf-server/data/User/globalStorage"}},
	{"code-server", []string{"~/.local/share/code-server/extensions"}, nil, []string{"~/.local/share/code-server/User/globalStorage"}},
}

// storages returns the directories in which the extensions of an editor store programs.
func (a editorApp) storages(m Machine) []string {
	config := "~/.config/"
	switch m.GOOS {
	case "darwin":
		config = "~/Library/Application Support/"
	case "windows":
		config = "$APPDATA/"
	}
	var dirs []string
	for _, name := range a.settings {
		dirs = append(dirs, m.expand(config+name+"/User/globalStorage"))
	}
	for _, pattern := range a.remote {
		dirs = append(dirs, m.expand(pattern))
	}
	return slices.DeleteFunc(dirs, func(dir string) bool { return dir == "" })
}

// findBundle returns the program of a bundle: the newest version in the first directory that has one, in the order of editorApps.
func (f *Finder) findBundle(b Bundle) (Program, bool) {
	for _, app := range editorApps {
		var dirs []string
		if b.Stored {
			for _, storage := range app.storages(f.Machine) {
				dirs = append(dirs, filepath.Join(storage, strings.ToLower(b.Extension)))
			}
		} else {
			for _, pattern := range app.extensions {
				if at := f.Machine.expand(pattern); at != "" {
					dirs = append(dirs, listMatches(at, b.Extension+"-[0-9]*")...)
				}
			}
		}
		for _, dir := range dirs {
			command, file := f.bundleCommand(b, dir)
			if command != nil && f.accepts(dir) && f.accepts(file) {
				return Program{Command: command, File: file, Origin: app.name, Path: f.interpreterPath(command[0])}, true
			}
		}
	}
	return Program{}, false
}

// bundleCommand returns the command of a bundle in the directory of an extension, and its Program.File. The command is nil without
// the files of the bundle.
func (f *Finder) bundleCommand(b Bundle, dir string) (command []string, file string) {
	if b.Launch != nil {
		if command = b.Launch(dir, f.Machine); command == nil {
			return nil, ""
		}
		return command, command[0]
	}
	pattern := filepath.Join(dir, filepath.FromSlash(b.Program))
	if b.Interpreter != "" {
		for _, script := range matchNewest(pattern) {
			if interpreter, ok := f.interpreter(b.Interpreter); ok {
				return []string{interpreter, script}, script
			}
		}
		return nil, ""
	}
	for _, parent := range matchNewest(filepath.Dir(pattern)) {
		if program, ok := f.Machine.programFile(parent, filepath.Base(pattern)); ok {
			return []string{program}, program
		}
	}
	return nil, ""
}
