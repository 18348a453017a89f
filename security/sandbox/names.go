package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/security"
)

// RefusedSuffix is appended to the protected names of files that a command has made.
const RefusedSuffix = ".refused"

// Names are the protected names of a project that did not exist when a command began.
type Names struct {
	absent map[string][]string // by directory of the project
}

// Absent lists the protected names that do not exist, for [Names.Refuse] after a command. A name that does not exist cannot be
// protected by the kinds of sandboxes without leaving files in the project.
func (s *Sandbox) Absent() Names {
	n := Names{absent: make(map[string][]string)}
	if !s.Active() || s.options.ReadOnly {
		return n
	}
	for _, dir := range s.options.Dirs {
		for _, name := range s.options.Protected {
			// The directories for backups and the trash are made by this program, while commands run.
			if strings.HasPrefix(name, "!") || strings.ContainsAny(name, `*?[\`) || name == security.BackupDir || name == security.TrashDir {
				continue
			}
			_, err := os.Lstat(filepath.Join(dir, name))
			_, above := os.Lstat(filepath.Join(dir, filepath.Dir(name)))
			// A directory .git that a command makes is a repository of its own, with the files that git puts into it.
			if errors.Is(err, fs.ErrNotExist) && (above == nil || !strings.HasPrefix(name, ".git/")) {
				n.absent[dir] = append(n.absent[dir], name)
			}
		}
	}
	return n
}

// Refuse renames files that have got one of the names since then, so that no program finds them, and returns the new paths. It
// renames them whichever program has made them.
func (n Names) Refuse() (renamed []string, err error) {
	var failed []error
	for dir, names := range n.absent {
		root, err := os.OpenRoot(dir)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for _, name := range names {
			if _, err := root.Lstat(name); err != nil {
				continue
			}
			refused := name + RefusedSuffix
			_ = root.RemoveAll(refused) // of an earlier command
			if err := root.Rename(name, refused); err != nil {
				failed = append(failed, err)
				continue
			}
			renamed = append(renamed, path.Join(filepath.ToSlash(dir), refused))
		}
		failed = append(failed, root.Close())
	}
	return renamed, errors.Join(failed...)
}
