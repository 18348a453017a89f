package index

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/dougu-go/dougu/internal/projectfile"
)

// errLink is the error for a link or file at the path of a store directory.
var errLink = errors.New("it is a link or a file, and must be a directory")

// openStoreDir opens a directory below top by a relative path with slashes. Links on
// the path are refused, because files of a project must not redirect writes. With
// create, missing directories are created with mode 0700, and the last one gets a
// .gitignore. Without create, a missing directory is fs.ErrNotExist.
func openStoreDir(top, path string, create bool) (*os.Root, error) {
	if path == "." && create {
		if err := os.MkdirAll(top, 0o700); err != nil {
			return nil, err
		}
	}
	at, err := os.OpenRoot(top)
	if err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(path, "/") {
		if name == "." {
			continue
		}
		next, err := openStoreChild(at, name, create)
		err = errors.Join(err, at.Close())
		if err != nil {
			return nil, fmt.Errorf("opening the directory %q of %s: %w", name, path, err)
		}
		at = next
	}
	if create {
		if err := writeGitignore(at); err != nil {
			return nil, errors.Join(err, at.Close())
		}
	}
	return at, nil
}

func openStoreChild(parent *os.Root, name string, create bool) (*os.Root, error) {
	if create {
		if err := parent.Mkdir(name, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return nil, err
		}
	}
	info, err := parent.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, errLink
	}
	dir, err := parent.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	opened, err := dir.Stat(".")
	if err == nil && !os.SameFile(info, opened) {
		err = errors.New("it was replaced while it was opened")
	}
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return dir, nil
}

// writeGitignore excludes the files of a store from git, unless the directory has a .gitignore. Other files in the directory
// may be the user's.
func writeGitignore(dir *os.Root) error {
	f, err := dir.OpenFile(".gitignore", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = f.WriteString(projectfile.GitignoreContent(logName, lockName, tempPrefix+"*"))
	return errors.Join(err, f.Close())
}

// locateStore splits the location of a store into an existing directory and a path
// below it. within is its name in the Root, or "" outside the Root.
func locateStore(dirs []string, dir string) (top, path, within string) {
	if !filepath.IsAbs(dir) {
		path = filepath.ToSlash(filepath.Clean(dir))
		return dirs[0], path, path
	}
	dir = filepath.Clean(dir)
	for i, top := range dirs {
		rel, err := filepath.Rel(top, dir)
		if err != nil || !filepath.IsLocal(rel) {
			continue
		}
		rel = filepath.ToSlash(rel)
		if i == 0 {
			return top, rel, rel
		}
		return top, rel, filepath.ToSlash(dir)
	}
	return dir, ".", ""
}
