package clientconfig

import (
	"errors"
	"os"
	"runtime"
	"strings"
)

// Environment is what the places of configuration files depend on. Current
// returns that of this process; a test makes its own.
type Environment struct {
	GOOS      string // as runtime.GOOS
	Home      string // the user's home directory
	ConfigDir string // where programs keep the user's settings; empty: as os.UserConfigDir says for GOOS
	Getenv    func(name string) string
	// List returns the names in a directory, or nothing if it cannot be read.
	List func(dir string) []string
}

// Current is the environment of this process.
func Current() Environment {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // said when a file below it is asked for
	}
	return Environment{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv, List: names}
}

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

var errNoHome = errors.New("the home directory is not known; set HOME (on Windows: USERPROFILE)")

// StateDir is where the changes are recorded that can be undone.
func (e Environment) StateDir() (string, error) {
	dir, err := e.SettingsDir()
	if err != nil {
		return "", err
	}
	return e.join(dir, "dougu", "install"), nil
}

// SettingsDir is the user's directory for settings: os.UserConfigDir for any system.
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
	if dir := e.getenv("XDG_CONFIG_HOME"); strings.HasPrefix(dir, "/") {
		return dir, nil
	}
	return e.below(".config")
}

// below is a path in the home directory.
func (e Environment) below(names ...string) (string, error) {
	if e.Home == "" {
		return "", errNoHome
	}
	return e.join(e.Home, names...), nil
}

func (e Environment) getenv(name string) string {
	if e.Getenv == nil {
		return ""
	}
	return e.Getenv(name)
}

func (e Environment) list(dir string) []string {
	if e.List == nil {
		return nil
	}
	return e.List(dir)
}

// join joins as filepath.Join does on the environment's system.
func (e Environment) join(dir string, names ...string) string {
	separator := "/"
	if e.GOOS == "windows" {
		separator = `\`
	}
	for _, name := range names {
		dir = strings.TrimSuffix(dir, separator) + separator + name
	}
	return dir
}
