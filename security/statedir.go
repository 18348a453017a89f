package security

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"github.com/dougu-go/dougu/security/internal/pattern"
	"github.com/dougu-go/dougu/security/internal/private"
)

// prepareState finds a directory for locks and journals that no tool can reach, and the directories that may hold
// journals.
func (r *Root) prepareState(o RootOptions) []error {
	r.locks.Wait = o.LockWait
	if r.locks.Wait <= 0 {
		r.locks.Wait = defaultLockWait
	}
	if o.StateDir != "" {
		dir, err := filepath.Abs(o.StateDir)
		if err == nil && r.readOnly && r.contains(dir) {
			return nil
		}
		if err != nil || r.contains(dir) {
			return []error{invalid("Choose a directory outside of the project.", "The state directory %s lies inside of the project.", quote(o.StateDir))}
		}
		r.stateDirs = []string{dir}
	} else if !r.readOnly {
		dir, ok := r.makeStateDir(r.contains)
		if !ok {
			dir, ok = r.makeStateDir(r.containsExceptVolumes)
			ok = ok && r.blockDir(dir)
		}
		if !ok {
			return []error{invalid("Set the state directory to a private one outside of the project.", "There is no private directory for lock files outside of the project.")}
		}
		r.stateDirs = []string{dir}
	}
	if !r.readOnly {
		r.locks.Dir = r.stateDirs[0]
	}
	if dir, ok := DefaultStateDir(); o.StateDir == "" && ok {
		r.removed = filepath.Join(filepath.Dir(dir), "removed")
	} else if o.StateDir != "" {
		r.removed = filepath.Join(r.stateDirs[0], "removed")
	}
	if o.StateDir == "" {
		r.stateDirs = append(r.stateDirs, r.formerStates()...)
	}
	return nil
}

// makeStateDir creates the state directory: DefaultStateDir, otherwise a private directory in the temporary
// directory, which other users can write to. within reports whether tools can reach a path.
func (r *Root) makeStateDir(within func(abs string) bool) (string, bool) {
	if dir, ok := DefaultStateDir(); ok && !within(dir) && os.MkdirAll(dir, 0o700) == nil {
		return dir, true
	}
	dir := temporaryState()
	if within(dir) || !makePrivate(dir) {
		return "", false
	}
	return dir, true
}

// formerStates returns further directories that may hold journals: the fallbacks of makeStateDir, and the cache
// directory, which earlier versions used.
func (r *Root) formerStates() []string {
	var all []string
	add := func(dir string) {
		if !slices.Contains(r.stateDirs, dir) && !slices.Contains(all, dir) && !r.contains(dir) {
			all = append(all, dir)
		}
	}
	if dir, ok := DefaultStateDir(); ok {
		add(dir)
	}
	if dir, ok := cacheDir("locks", r.contains); ok {
		add(dir)
	}
	if info, err := os.Lstat(temporaryState()); err == nil && info.IsDir() && private.Is(info) {
		add(temporaryState())
	}
	return all
}

// DefaultStateDir returns the default of RootOptions.StateDir: dougu/locks in $XDG_STATE_HOME, otherwise in
// ~/.local/state, ~/Library/Application Support (macOS) or %LocalAppData% (Windows). ok is false if the directory is
// not known.
func DefaultStateDir() (dir string, ok bool) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) {
		switch runtime.GOOS {
		case "windows":
			base = os.Getenv("LocalAppData")
		case "darwin":
			base = inHome("Library", "Application Support")
		default:
			base = inHome(".local", "state")
		}
	}
	return filepath.Join(base, "dougu", "locks"), filepath.IsAbs(base)
}

// ProjectStateDir returns a directory for data of these Dirs that cannot be computed again: <name>/<project> next to
// DefaultStateDir. name is a relative path. Tools cannot reach the directory through the Root; it may not exist yet.
// The result is false if the user has no state directory or if it lies in one of Dirs.
func (r *Root) ProjectStateDir(name string) (string, bool) {
	locks, ok := DefaultStateDir()
	if !ok || !filepath.IsLocal(name) {
		return "", false
	}
	dir := filepath.Join(filepath.Dir(locks), name, r.projectName())
	return dir, !r.contains(dir)
}

func inHome(names ...string) string {
	home, err := os.UserHomeDir()
	if err != nil {
		return ""
	}
	return filepath.Join(append([]string{home}, names...)...)
}

// temporaryState returns the name of this user's directory in the temporary directory.
func temporaryState() string {
	return filepath.Join(os.TempDir(), "dougu-"+strconv.Itoa(os.Getuid()))
}

// makePrivate creates a directory with the mode 0o700, and reports whether it belongs to this user alone.
func makePrivate(dir string) bool {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && private.Is(info)
}

// containsExceptVolumes is contains without directories that are roots of a file system, since they contain every
// path.
func (r *Root) containsExceptVolumes(abs string) bool {
	part := &Root{trees: slices.DeleteFunc(slices.Clone(r.trees), (*tree).isFileSystem)}
	return part.contains(abs)
}

// isFileSystem reports whether a tree is the root of a file system.
func (t *tree) isFileSystem() bool { return filepath.Dir(t.RealName()) == t.RealName() }

// blockDir adds a directory to the blocked patterns.
func (r *Root) blockDir(dir string) bool {
	for _, t := range r.trees {
		for _, name := range []string{dir, resolveExisting(dir)} {
			rel, ok := t.Rel(name)
			if !ok {
				continue
			}
			list, malformed := pattern.Compile([]string{"/" + pattern.Escape(rel)})
			if malformed != nil {
				return false
			}
			r.blocked = append(r.blocked, list...)
		}
	}
	return true
}
