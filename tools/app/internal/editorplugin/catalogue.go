package editorplugin

import (
	"path/filepath"
	"strings"
)

// neovimName is the name of Neovim in command lines.
const neovimName = "neovim"

// product describes an editor and the places of its command-line program.
type product struct {
	name    string // name in command lines, as in the command install
	title   string
	command string // name of the program in PATH, without a suffix
	app     string // bundle in the directory Applications of macOS, without .app; empty: none
	windows string // directory below the directories of programs of Windows; empty: none
	linux   []string
}

// catalogue has the known editors in the order of messages.
var catalogue = []product{
	{"vscode", "Visual Studio Code", "code", "Visual Studio Code", `Microsoft VS Code\bin`, []string{"/usr/share/code/bin", "/snap/bin"}},
	{"vscode-insiders", "Visual Studio Code Insiders", "code-insiders", "Visual Studio Code - Insiders", `Microsoft VS Code Insiders\bin`,
		[]string{"/usr/share/code-insiders/bin", "/snap/bin"}},
	{"cursor", "Cursor", "cursor", "Cursor", `cursor\resources\app\bin`, []string{"/usr/share/cursor/bin", "/opt/Cursor/resources/app/bin"}},
	{"windsurf", "Windsurf", "windsurf", "Windsurf", `Windsurf\bin`, []string{"/usr/share/windsurf/bin"}},
	{"vscodium", "VSCodium", "codium", "VSCodium", `VSCodium\bin`, []string{"/usr/share/codium/bin", "/snap/bin"}},
	{"code-server", "code-server", "code-server", "", "", []string{"/usr/lib/code-server/bin", "/opt/homebrew/bin", "/usr/local/bin"}},
	{neovimName, "Neovim", "nvim", "", `Neovim\bin`, []string{"/usr/local/bin", "/opt/nvim/bin", "/opt/homebrew/bin", "/snap/bin"}},
}

// Names returns the names of the known editors.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, p := range catalogue {
		names[i] = p.name
	}
	return names
}

// productOf returns the product with a name.
func productOf(name string) (product, bool) {
	for _, p := range catalogue {
		if p.name == name {
			return p, true
		}
	}
	return product{}, false
}

// places returns the directories in which an editor puts its program, beside those of PATH.
func (p product) places(goos, home string, getenv func(string) string) []string {
	var all []string
	switch goos {
	case "windows":
		for _, variable := range []string{"LOCALAPPDATA", "ProgramFiles"} {
			dir := getenv(variable)
			if dir == "" || p.windows == "" {
				continue
			}
			if variable == "LOCALAPPDATA" {
				dir = filepath.Join(dir, "Programs")
			}
			all = append(all, dir+`\`+p.windows)
		}
	case "darwin":
		if p.app != "" {
			for _, dir := range []string{"/Applications", filepath.Join(home, "Applications")} {
				all = append(all, filepath.Join(dir, p.app+".app", "Contents", "Resources", "app", "bin"))
			}
		}
		all = append(all, "/opt/homebrew/bin", "/usr/local/bin")
	default:
		all = append(all, p.linux...)
		if home != "" {
			all = append(all, filepath.Join(home, ".local", "bin"))
		}
	}
	return all
}

// files returns the names that the program can have in a directory.
func (p product) files(goos string) []string {
	switch {
	case goos == "windows" && p.name == neovimName:
		return []string{p.command + ".exe"}
	case goos == "windows": // beside it is a script for other shells, without a suffix
		return []string{p.command + ".cmd"}
	case goos == "darwin" && p.app != "" && p.command != "code":
		return []string{p.command, "code"} // some relatives keep the name in their bundle
	}
	return []string{p.command}
}

// isBatch reports whether a program is a script for cmd.exe.
func isBatch(program string) bool {
	ext := strings.ToLower(filepath.Ext(program))
	return ext == ".cmd" || ext == ".bat"
}
