package projectfile

import (
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
)

// Machine holds the facts about a machine that decide whether a directory is too wide for a project.
type Machine struct {
	// GOOS is the operating system, with the names of package runtime. It determines the form of paths.
	GOOS string
	// Home is the user's home directory, System the directory of the operating system on Windows. An empty or relative
	// path means that the directory is unknown.
	Home, System string
	// Real returns a path without links, as far as it exists. Nil means that there are no links.
	Real func(path string) string
}

// Local returns the machine of the process, for a user with this home directory and these environment variables.
func Local(home string, getenv func(name string) string) Machine {
	m := Machine{GOOS: runtime.GOOS, Home: home, Real: realPath}
	if m.GOOS == "windows" {
		m.System = getenv("SystemRoot")
	}
	return m
}

// Accepts reports whether programs may make files in a directory of this machine without a request for that. They may
// not in a directory that is too wide for a project; see Machine.TooWide.
func Accepts(dir string) bool {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return !Local(home, os.Getenv).TooWide(dir)
}

// TooWide reports whether an absolute path names no project unless the user says so: the home directory and each
// directory above it, the top of a file system (/, a drive, a volume, a network share), and the directory of Windows with
// everything in it. Links are followed. On Windows and macOS letter case makes no difference.
func (m Machine) TooWide(dir string) bool {
	for _, dir := range m.keys(dir) {
		if m.isTop(dir) {
			return true
		}
		for _, home := range m.keys(m.Home) {
			if m.holds(dir, home) {
				return true
			}
		}
		for _, system := range m.keys(m.System) {
			if m.holds(system, dir) {
				return true
			}
		}
	}
	return false
}

// keys returns the forms of a path in comparisons: as it is, and without links. There are none for a relative path.
func (m Machine) keys(dir string) []string {
	if !m.IsAbs(dir) {
		return nil
	}
	keys := []string{m.key(dir)}
	if m.Real != nil {
		keys = append(keys, m.key(m.Real(dir)))
	}
	return keys
}

// IsAbs reports whether a path is absolute.
func (m Machine) IsAbs(dir string) bool {
	if m.GOOS == "windows" {
		return HasDrive(dir) && len(dir) > 2 || strings.HasPrefix(dir, `\\`)
	}
	return strings.HasPrefix(dir, "/")
}

// HasDrive reports whether a path of Windows begins with a drive, alone or before a separator.
func HasDrive(path string) bool {
	return len(path) >= 2 && path[1] == ':' && (path[0]|0x20) >= 'a' && (path[0]|0x20) <= 'z' && (len(path) == 2 || path[2] == '/' || path[2] == '\\')
}

// Clean returns a path with the separators of the system, and without "." and "..".
func (m Machine) Clean(dir string) string {
	if m.GOOS != "windows" {
		return path.Clean(dir)
	}
	slashes := strings.ReplaceAll(dir, `\`, "/")
	cleaned := strings.ReplaceAll(path.Clean(slashes), "/", `\`)
	switch {
	case strings.HasPrefix(slashes, "//"):
		return `\` + cleaned
	case len(cleaned) == 2 && cleaned[1] == ':':
		return cleaned + `\`
	}
	return cleaned
}

// Parent returns the directory above a clean path, or the path itself at the top.
func (m Machine) Parent(dir string) string {
	if m.GOOS != "windows" {
		return path.Dir(dir)
	}
	if i := strings.LastIndexByte(dir, '\\'); i >= 0 {
		return m.Clean(dir[:i] + `\`)
	}
	return dir
}

// Join returns the path of an entry of a directory.
func (m Machine) Join(dir, name string) string {
	if m.GOOS == "windows" {
		return m.Clean(dir + `\` + name)
	}
	return path.Join(dir, name)
}

// key returns a path in the form for comparisons.
func (m Machine) key(dir string) string {
	switch m.GOOS {
	case "darwin", "ios":
		return strings.ToLower(m.Clean(dir))
	case "windows":
		dir = strings.ToLower(strings.ReplaceAll(dir, "/", `\`))
		for _, device := range [...]string{`\\?\`, `\\.\`} {
			rest, ok := strings.CutPrefix(dir, device)
			if share, isShare := strings.CutPrefix(rest, `unc\`); ok && isShare {
				rest = `\\` + share
			}
			if ok {
				dir = rest
			}
		}
	}
	return m.Clean(dir)
}

// isTop reports whether a key is the top of a file system.
func (m Machine) isTop(key string) bool {
	if m.GOOS != "windows" {
		return key == "/"
	}
	if share, ok := strings.CutPrefix(key, `\\`); ok {
		return strings.Count(strings.TrimSuffix(share, `\`), `\`) < 2
	}
	return !strings.Contains(strings.TrimSuffix(key, `\`), `\`) // a drive, or a volume without a letter
}

// holds reports whether inner is outer or below it. Both are keys.
func (m Machine) holds(outer, inner string) bool {
	separator := "/"
	if m.GOOS == "windows" {
		separator = `\`
	}
	return inner == outer || strings.HasPrefix(inner, strings.TrimSuffix(outer, separator)+separator)
}

// realPath returns a path without links. Missing parts at its end are kept.
func realPath(path string) string {
	path = filepath.Clean(path)
	missing := ""
	for at := path; ; {
		if resolved, err := filepath.EvalSymlinks(at); err == nil {
			return filepath.Join(resolved, missing)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return path
		}
		at, missing = parent, filepath.Join(filepath.Base(at), missing)
	}
}
