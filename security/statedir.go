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

// prepareState finds a directory for locks and journals that no tool can reach, and the directories in which journals may be left.
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
		r.states = []string{dir}
	} else if !r.readOnly {
		dir, ok := r.makeStateDir(r.contains)
		if !ok {
			dir, ok = r.makeStateDir(r.containsApart)
			ok = ok && r.hide(dir)
		}
		if !ok {
			return []error{invalid("Set the state directory to a private one outside of the project.", "There is no private place for lock files outside of the project.")}
		}
		r.states = []string{dir}
	}
	if !r.readOnly {
		r.locks.Dir = r.states[0]
	}
	if o.StateDir == "" {
		r.states = append(r.states, r.formerStates()...)
	}
	return nil
}

// makeStateDir prefers the user's directory for state to the temporary one, which other users can write to. It must not lie within
// the directories of the tools.
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

// formerStates are the other directories in which a process may have left journals: it could not make the first one, or it was of a
// version that used the user's cache directory.
func (r *Root) formerStates() []string {
	var all []string
	add := func(dir string) {
		if !slices.Contains(r.states, dir) && !slices.Contains(all, dir) && !r.contains(dir) {
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

// DefaultStateDir is the default of RootOptions.StateDir: dougu/locks in $XDG_STATE_HOME, ~/.local/state,
// ~/Library/Application Support or %LocalAppData%. ok is false if none of them is known.
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

// ProjectStateDir is a directory for data of these Dirs that cannot be made again,
// which no tool can reach through the Root: name, a relative path, and the project,
// beside the directory of DefaultStateDir. It need not exist. The answer is false if
// the user has no directory for state, or has it in one of Dirs.
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

// temporaryState is a directory of this user in the one for temporary files.
func temporaryState() string {
	return filepath.Join(os.TempDir(), "dougu-"+strconv.Itoa(os.Getuid()))
}

// makePrivate makes a directory that belongs to this user alone, or finds that it is one.
func makePrivate(dir string) bool {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && info.IsDir() && private.Is(info)
}

// containsApart is contains without the directories that are a whole file system, outside of which there is nothing.
func (r *Root) containsApart(abs string) bool {
	part := &Root{trees: slices.DeleteFunc(slices.Clone(r.trees), (*tree).isFileSystem)}
	return part.contains(abs)
}

// isFileSystem reports whether a tree is all of a file system.
func (t *tree) isFileSystem() bool { return filepath.Dir(t.RealName()) == t.RealName() }

// hide keeps tools from a directory that lies in one of theirs.
func (r *Root) hide(dir string) bool {
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
