package installed

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Machine describes the machine and its user, as far as the places of programs depend on them.
type Machine struct {
	// GOOS is the operating system, one of the values of runtime.GOOS.
	GOOS string
	// Home is the user's home directory. Empty if it is unknown.
	Home string
	// Getenv returns an environment variable. nil is an empty environment.
	Getenv func(name string) string
}

// Local returns the machine of this process.
func Local() Machine {
	home, _ := os.UserHomeDir() // empty without one
	return Machine{GOOS: runtime.GOOS, Home: home, Getenv: os.Getenv}
}

func (m Machine) env(name string) string {
	if m.Getenv == nil {
		return ""
	}
	return m.Getenv(name)
}

// programSuffixes are the extensions of programs on Windows, in the order of the search.
var programSuffixes = []string{".exe", ".cmd", ".bat"}

// programName returns the name of a program's file without ".exe".
func programName(path string) string { return strings.TrimSuffix(filepath.Base(path), ".exe") }

// programFile returns the file of a program in a directory, with the extension that Windows needs.
func (m Machine) programFile(dir, name string) (string, bool) {
	if m.GOOS != "windows" {
		path := filepath.Join(dir, name)
		info, err := os.Stat(path)
		// Tests describe other systems on a host with Windows, whose files have no execute bit.
		return path, err == nil && info.Mode().IsRegular() && (info.Mode()&0o111 != 0 || runtime.GOOS == "windows")
	}
	suffixes := programSuffixes
	if slices.Contains(suffixes, strings.ToLower(filepath.Ext(name))) {
		suffixes = []string{""}
	}
	for _, suffix := range suffixes {
		path := filepath.Join(dir, name+suffix)
		// The Store's placeholders for programs that are not installed are empty files.
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Size() > 0 {
			return path, true
		}
	}
	return "", false
}

// expand returns the absolute path of a pattern of the tables of places: ~ is the home directory, and $NAME at its beginning an
// environment variable. It is empty if the directory or the variable is unknown.
func (m Machine) expand(pattern string) string {
	first, rest, _ := strings.Cut(pattern, "/")
	switch {
	case first == "~":
		first = m.Home
	case strings.HasPrefix(first, "$"):
		first = m.env(first[1:])
	default:
		return filepath.FromSlash(pattern)
	}
	if first != "" && first == filepath.VolumeName(first) { // C:, as SystemDrive has it
		first += string(filepath.Separator)
	}
	if first == "" || !filepath.IsAbs(first) {
		return ""
	}
	return filepath.Join(first, filepath.FromSlash(rest))
}

// Exists reports whether a file or directory exists for one of the patterns. A pattern has the form of the rows in places.go.
func (m Machine) Exists(patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool { return len(matchNewest(m.expand(pattern))) > 0 })
}

// setting returns the value of a key in a file of lines "key = value". It is empty without the file or the key.
func setting(file, key string) string {
	data, _ := readSmallFile(file) // empty on an error
	for line := range strings.Lines(string(data)) {
		name, value, ok := strings.Cut(line, "=")
		if ok && strings.TrimSpace(name) == key {
			return strings.Trim(strings.TrimSpace(value), `"'`)
		}
	}
	return ""
}

// readSmallFile returns the content of a regular file of at most 1 MiB.
func readSmallFile(path string) ([]byte, error) {
	const most = 1 << 20 // bytes
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > most {
		return nil, fmt.Errorf("%s is not a regular file of at most %d bytes", path, most)
	}
	return os.ReadFile(path)
}
