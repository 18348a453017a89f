package cursorcli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/rootfs"
	"github.com/dougu-go/dougu/security"
)

// directory is an absolute directory: its name as given, which clients may use in paths, and
// its real name without links.
type directory struct{ name, real string }

func newDirectory(abs string) directory { return directory{abs, resolved(abs)} }

// directories returns all directories that tools may use: the directories of the command
// line, the allowed directories of the settings, and the file system roots if
// security.enforceProjectRoot is off.
func directories(c Config, at surroundings) []directory {
	dirs := slices.Clone(at.dirs)
	for _, name := range c.Tools.FileOperations.AllowedDirectories {
		further := newDirectory(absolute(at.project(), name))
		if !slices.ContainsFunc(dirs, func(d directory) bool { return within(d.real, further.real) }) {
			dirs = append(dirs, further)
		}
	}
	if !c.Security.EnforceProjectRoot {
		for _, top := range fileSystems(dirs...) {
			if !slices.Contains(dirs, directory{top, top}) {
				dirs = append(dirs, directory{top, top})
			}
		}
	}
	return dirs
}

// fileSystems returns the file system roots of the directories.
func fileSystems(dirs ...directory) []string {
	var tops []string
	for _, dir := range dirs {
		top := filepath.VolumeName(dir.real) + string(filepath.Separator)
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops
}

// validateDirectory refuses an allowed directory that does not exist, and one that would make
// the confinement to the project or the hiding of secrets ineffective.
func validateDirectory(name string, c Config, at surroundings) error {
	dir := resolved(absolute(at.project(), name))
	opened, err := rootfs.Open(dir)
	if err != nil {
		return errors.New("a directory that exists and can be opened")
	}
	if err := opened.Close(); err != nil {
		return fmt.Errorf("a directory that works: %w", err)
	}
	if !c.Security.EnforceProjectRoot || within(at.project(), dir) {
		return nil
	}
	if home, err := os.UserHomeDir(); err == nil && within(dir, resolved(home)) {
		return errors.New("a directory that does not hold all of your home directory, while security.enforceProjectRoot is on")
	}
	if within(dir, at.project()) {
		return errors.New("a directory that does not hold the project, while security.enforceProjectRoot is on")
	}
	return checkUnblocked(dir)
}

// checkUnblocked refuses a directory inside a blocked or protected path. The rules could not
// recognize its files by paths that begin in the directory.
func checkUnblocked(dir string) error {
	rel, err := filepath.Rel(filepath.VolumeName(dir)+string(filepath.Separator), dir)
	if err != nil {
		return fmt.Errorf("a directory that can be found from the root: %w", err)
	}
	names := strings.Split(filepath.ToSlash(rel), "/")
	for _, patterns := range [][]string{security.DefaultBlocked(), security.DefaultProtected()} {
		if err := checkVisible(dir, patterns); err != nil {
			return err
		}
		for _, pattern := range patterns {
			if base := matchPatternStart(pattern, names); base != "" {
				return fmt.Errorf("a directory without files like %s, which are kept from tools", base)
			}
		}
	}
	return nil
}

// checkVisible checks a directory with the rules themselves, in a read-only Root of the whole file
// system.
func checkVisible(dir string, patterns []string) error {
	root, err := security.OpenRoot(security.RootOptions{Dirs: fileSystems(newDirectory(dir)), ReadOnly: true, Blocked: patterns})
	if err != nil {
		return err
	}
	_, err = root.Stat(context.Background(), dir)
	if err := errors.Join(err, root.Close()); err != nil {
		return errors.New("a directory that is not kept from tools, as those with keys and settings are")
	}
	return nil
}

// matchPatternStart returns the pattern if the last names of a directory match the beginning of the
// pattern, else "". For example, ~/.config matches the beginning of .config/gcloud/**.
func matchPatternStart(pattern string, names []string) string {
	parts := strings.Split(strings.TrimPrefix(pattern, "/"), "/")
	if strings.HasPrefix(pattern, "!") {
		return ""
	}
	for n := 1; n < len(parts) && n <= len(names); n++ {
		tail := names[len(names)-n:]
		same := true
		for i := range n {
			ok, err := path.Match(strings.ToLower(parts[i]), strings.ToLower(tail[i]))
			same = same && err == nil && ok && parts[i] != "**"
		}
		if same {
			return pattern
		}
	}
	return ""
}

// isPattern reports whether a Root accepts the pattern.
func isPattern(dir, pattern string) bool {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true, Blocked: []string{pattern}})
	if err != nil {
		return false
	}
	return root.Close() == nil
}
