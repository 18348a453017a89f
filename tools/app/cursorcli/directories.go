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

// place is a directory: as it was named, which is how clients may name what is in
// it, and without links.
type place struct{ name, real string }

func newPlace(abs string) place { return place{abs, resolved(abs)} }

// directories are all that tools may use: those of the command line, those that
// the settings add, and the whole file system where that was asked for twice.
func directories(c Config, at surroundings) []place {
	dirs := slices.Clone(at.dirs)
	for _, name := range c.Tools.FileOperations.AllowedDirectories {
		further := newPlace(absolute(at.project(), name))
		if !slices.ContainsFunc(dirs, func(d place) bool { return within(d.real, further.real) }) {
			dirs = append(dirs, further)
		}
	}
	if !c.Security.EnforceProjectRoot {
		for _, top := range fileSystems(dirs...) {
			if !slices.Contains(dirs, place{top, top}) {
				dirs = append(dirs, place{top, top})
			}
		}
	}
	return dirs
}

// fileSystems are the roots of the file systems that directories are on.
func fileSystems(dirs ...place) []string {
	var tops []string
	for _, dir := range dirs {
		top := filepath.VolumeName(dir.real) + string(filepath.Separator)
		if !slices.Contains(tops, top) {
			tops = append(tops, top)
		}
	}
	return tops
}

// judgeDirectory refuses what is no directory, and one that would undo the
// confinement to the project, or the hiding of secrets.
func judgeDirectory(name string, c Config, at surroundings) error {
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
	return sheltered(dir)
}

// sheltered refuses a directory that is hidden or write-protected when it is seen
// from above, for what is in it could not be recognised as such from inside.
func sheltered(dir string) error {
	rel, err := filepath.Rel(filepath.VolumeName(dir)+string(filepath.Separator), dir)
	if err != nil {
		return fmt.Errorf("a directory that can be found from the root: %w", err)
	}
	names := strings.Split(filepath.ToSlash(rel), "/")
	for _, patterns := range [][]string{security.DefaultBlocked(), security.DefaultProtected()} {
		if err := hides(dir, patterns); err != nil {
			return err
		}
		for _, pattern := range patterns {
			if base := beginsIn(pattern, names); base != "" {
				return fmt.Errorf("a directory without files like %s, which are kept from tools", base)
			}
		}
	}
	return nil
}

// hides asks the rules themselves, from the root of the file system, where
// nothing is written.
func hides(dir string, patterns []string) error {
	root, err := security.OpenRoot(security.RootOptions{Dirs: fileSystems(newPlace(dir)), ReadOnly: true, Blocked: patterns})
	if err != nil {
		return err
	}
	_, err = root.Stat(context.Background(), dir)
	if err := errors.Join(err, root.Close()); err != nil {
		return errors.New("a directory that is not kept from tools, as those with keys and settings are")
	}
	return nil
}

// beginsIn is the pattern, if a directory of these names is one that it begins
// with: ~/.config is one of .config/gcloud/**.
func beginsIn(pattern string, names []string) string {
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

// isPattern reports whether the rules for the files of a directory understand a
// pattern.
func isPattern(dir, pattern string) bool {
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{dir}, ReadOnly: true, Blocked: []string{pattern}})
	if err != nil {
		return false
	}
	return root.Close() == nil
}
