package clientconfig

import (
	"errors"
	"os"
	"runtime"
	"slices"
	"strings"
)

// Environment holds the properties of a system that determine the paths of configuration files.
// Current describes this process; tests make their own.
type Environment struct {
	GOOS      string // as runtime.GOOS
	Home      string // the user's home directory
	ConfigDir string // the directory of the user's settings; empty: the default of os.UserConfigDir for GOOS
	// Getenv returns an environment variable, as os.Getenv. It may be nil.
	Getenv func(name string) string
	// List returns the names in a directory, or nothing if it cannot be read. It may be nil.
	List func(dir string) []string
}

// Current returns the environment of this process.
func Current() Environment {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // reported when a path below it is needed
	}
	return Environment{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv, List: names}
}

// names returns the names in a directory, or nil if it cannot be read.
func names(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	all := make([]string, len(entries))
	for i, entry := range entries {
		all[i] = entry.Name()
	}
	return all
}

// errNoHome reports that a path below the unknown home directory is needed.
var errNoHome = errors.New("the home directory is not known; set HOME (on Windows: USERPROFILE)")

// StateDir returns the directory of the records of changes.
func (e Environment) StateDir() (string, error) {
	dir, err := e.SettingsDir()
	if err != nil {
		return "", err
	}
	return e.join(dir, "dougu", "install"), nil
}

// SettingsDir returns the user's directory for settings: the equivalent of os.UserConfigDir for
// GOOS.
func (e Environment) SettingsDir() (string, error) {
	if e.ConfigDir != "" {
		return e.ConfigDir, nil
	}
	switch e.GOOS {
	case "windows":
		if dir := e.getenv("APPDATA"); dir != "" {
			return dir, nil
		}
		return e.below("AppData", "Roaming")
	case "darwin":
		return e.below("Library", "Application Support")
	}
	return e.xdgDir()
}

// xdgDir returns the directory for settings of the XDG Base Directory Specification.
func (e Environment) xdgDir() (string, error) {
	if dir := e.getenv("XDG_CONFIG_HOME"); strings.HasPrefix(dir, "/") {
		return dir, nil
	}
	return e.below(".config")
}

// xdg returns a path in xdgDir, for programs that use that directory on every system.
func (e Environment) xdg(names ...string) (string, error) {
	if e.ConfigDir != "" && e.GOOS != "darwin" && e.GOOS != "windows" {
		return e.join(e.ConfigDir, names...), nil
	}
	dir, err := e.xdgDir()
	if err != nil {
		return "", err
	}
	return e.join(dir, names...), nil
}

// below returns a path in the home directory, or errNoHome.
func (e Environment) below(names ...string) (string, error) {
	if e.Home == "" {
		return "", errNoHome
	}
	return e.join(e.Home, names...), nil
}

// getenv calls Getenv if it is set.
func (e Environment) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

// list calls List if it is set.
func (e Environment) list(dir string) []string {
	if e.List == nil {
		return nil
	}
	return e.List(dir)
}

// separator returns the separator of paths of the environment's system.
func (e Environment) separator() string {
	if e.GOOS == "windows" {
		return `\`
	}
	return "/"
}

// split returns the directory and the last element of a path.
func (e Environment) split(path string) (dir, name string) {
	i := strings.LastIndex(path, e.separator())
	if i < 0 {
		return "", path
	}
	return path[:max(i, 1)], path[i+1:]
}

// exists reports whether a file or directory exists, by the list of its directory.
func (e Environment) exists(path string) bool {
	dir, name := e.split(path)
	return slices.Contains(e.list(dir), name)
}

// hasProgram reports whether a directory of PATH has a program.
func (e Environment) hasProgram(name string) bool {
	separator, names := ":", []string{name}
	if e.GOOS == "windows" {
		separator, names = ";", []string{name + ".exe", name + ".cmd", name + ".bat"}
	}
	for dir := range strings.SplitSeq(e.getenv("PATH"), separator) {
		if dir == "" {
			continue
		}
		if found := e.list(dir); slices.ContainsFunc(names, func(n string) bool { return slices.Contains(found, n) }) {
			return true
		}
	}
	return false
}

// join joins path elements with the separator of the environment's system.
func (e Environment) join(dir string, names ...string) string {
	separator := e.separator()
	for _, name := range names {
		dir = strings.TrimSuffix(dir, separator) + separator + name
	}
	return dir
}
