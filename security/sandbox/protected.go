package sandbox

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/security"
)

const (
	// maxEntries bounds the entries of a project that are looked at for protected names.
	maxEntries = 200_000
	// maxFormerFile and maxFormer bound the content of protected files that is kept in memory, of one file and of all, in bytes.
	maxFormerFile, maxFormer = 1 << 20, 16 << 20
	// maxHandles bounds the protected files of one command that are kept open.
	maxHandles = 32
	// maxGitDepth bounds the directories of submodules in submodules.
	maxGitDepth = 16
)

// errTooMany is the error of a scan that has not looked at the whole project.
var errTooMany = fmt.Errorf("the project has more than %d files, of which the rest was not checked for protected names", maxEntries)

// scan finds the protected files and directories below a directory of the project.
type scan struct {
	dir       string
	protected *security.Matcher
	git       bool // files by which git runs programs are protected
	left      int  // entries that may still be looked at
	found     []string
	err       error // of the first directory that could not be listed
}

// protectedIn lists the protected files and directories below dir, relative to it and with slashes. A protected directory stands for
// everything in it. Links are listed under their own names. node_modules is not entered: programs do not take it for a project.
func (s *Sandbox) protectedIn(dir string) ([]string, error) {
	c := scan{dir: dir, left: maxEntries}
	var patterns []string
	for _, name := range s.options.Protected {
		switch {
		case strings.HasPrefix(name, "!"): // an exception from the protection by mounts
		case name == ".git/config":
			c.git = true
		case !strings.HasPrefix(name, ".git/"):
			patterns = append(patterns, name)
		}
	}
	var err error
	if c.protected, err = security.NewMatcher(patterns); err != nil {
		return nil, err
	}
	if slices.Contains(s.mainCheckouts, dir) {
		c.repository(".git", 0)
	} else {
		c.walk("")
	}
	if c.left < 0 {
		return c.found, errTooMany
	}
	return c.found, c.err
}

// list returns the entries of a directory. A directory that this program may not read has none: commands have the same rights.
func (c *scan) list(rel string) []os.DirEntry {
	entries, err := os.ReadDir(filepath.Join(c.dir, rel))
	if err != nil && c.err == nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.ENOTDIR) {
		c.err = fmt.Errorf("look for protected names: %w", err)
	}
	c.left -= len(entries)
	return entries
}

func (c *scan) walk(rel string) {
	for _, entry := range c.list(rel) {
		name := path.Join(rel, entry.Name())
		switch {
		case c.left < 0:
			return
		case c.git && strings.EqualFold(entry.Name(), ".git"):
			if entry.IsDir() {
				c.repository(name, 0)
			} else {
				c.found = append(c.found, name)
			}
		case c.protected.Match(name):
			c.found = append(c.found, name)
		case entry.Type()&os.ModeSymlink != 0 && c.leadsToProtected(name):
			c.found = append(c.found, name)
		case entry.IsDir() && entry.Name() != "node_modules":
			c.walk(name)
		}
	}
}

// leadsToProtected reports whether a protected name exists by way of a link: .cargo/config where .cargo is the link.
func (c *scan) leadsToProtected(link string) bool {
	if !isDir(filepath.Join(c.dir, link)) {
		return false
	}
	return slices.ContainsFunc(c.list(link), func(entry os.DirEntry) bool { return c.protected.Match(path.Join(link, entry.Name())) })
}

// repository finds the files in a directory of git by which git runs programs, or finds another directory with such files.
func (c *scan) repository(rel string, depth int) {
	if c.tooDeep(depth) {
		return
	}
	for _, name := range []string{"config", "config.worktree", "hooks", "commondir", "gitdir", "rebase-merge/git-rebase-todo"} {
		if _, err := os.Lstat(filepath.Join(c.dir, rel, name)); err == nil {
			c.found = append(c.found, path.Join(rel, name))
		}
	}
	for _, dir := range []string{"worktrees", "modules"} {
		c.repositories(path.Join(rel, dir), depth+1)
	}
}

// tooDeep reports whether git's own files are not followed further. More of them than the bounds count as too many.
func (c *scan) tooDeep(depth int) bool {
	if depth > maxGitDepth {
		c.left = -1
	}
	return c.left < 0
}

// repositories looks into directories of work trees and of submodules. The names of submodules have slashes.
func (c *scan) repositories(rel string, depth int) {
	if c.tooDeep(depth) {
		return
	}
	for _, entry := range c.list(rel) {
		name := path.Join(rel, entry.Name())
		switch {
		case entry.Type()&os.ModeSymlink != 0:
			c.found = append(c.found, name)
		case entry.IsDir() && (exists(filepath.Join(c.dir, name, "HEAD")) || exists(filepath.Join(c.dir, name, "config"))):
			c.repository(name, depth)
		case entry.IsDir():
			c.repositories(name, depth+1)
		}
	}
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// file is a protected file or link as it was.
type file struct {
	mode fs.FileMode
	sum  [sha256.Size]byte // of a regular file that could be read
	data []byte            // the content, or the text of a link; nil if it was not kept
}

// unit is a protected file, or a protected directory with everything in it.
type unit struct {
	info    fs.FileInfo
	handle  *os.File        // keeps the number of the file from being used again; nil if it is not open
	mounted bool            // commands have it as a mount that can only be read
	files   map[string]file // by path relative to the unit, empty for itself
}

// readUnit reads a protected file or directory below root. budget is the number of bytes that may still be kept. Commands may exchange
// files meanwhile: nothing outside of root is read, and a pipe does not block.
func readUnit(root *os.Root, at string, budget *int) (*unit, error) {
	info, err := root.Lstat(at)
	if err != nil {
		return nil, err
	}
	u := &unit{info: info, files: make(map[string]file)}
	err = fs.WalkDir(root.FS(), at, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // a file that cannot be read
		}
		info, err := root.Lstat(name)
		if err != nil {
			return nil
		}
		f := file{mode: info.Mode()}
		switch {
		case f.mode&os.ModeSymlink != 0:
			text, _ := root.Readlink(name)
			f.data = []byte(text)
		case f.mode.IsRegular():
			f.read(root, name, budget)
		}
		u.files[strings.TrimPrefix(strings.TrimPrefix(name, at), "/")] = f
		return nil
	})
	return u, err
}

// read reads the content. A file that cannot be read has none.
func (f *file) read(root *os.Root, name string, budget *int) {
	opened, err := root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	defer opened.Close()
	info, err := opened.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return
	}
	sum, kept := sha256.New(), &bytes.Buffer{}
	limit := int64(min(*budget, maxFormerFile))
	if _, err := io.Copy(io.MultiWriter(sum, kept), io.LimitReader(opened, limit)); err != nil {
		return
	}
	n, err := io.Copy(sum, opened)
	if err != nil {
		return
	}
	if n == 0 {
		f.data = append([]byte{}, kept.Bytes()...)
		*budget -= len(f.data)
	}
	sum.Sum(f.sum[:0])
}

// hold opens a unit that commands have as a mount, unless it was exchanged meanwhile. A file that is not open is compared by its
// content: its number could be used for another file.
func (u *unit) hold(root *os.Root, at string) {
	opened, err := root.OpenFile(at, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return
	}
	if info, err := opened.Stat(); err == nil && os.SameFile(info, u.info) {
		u.handle, u.mounted = opened, true
		return
	}
	_ = opened.Close()
}

func (u *unit) close() {
	if u.handle != nil {
		_ = u.handle.Close()
	}
}

// equal reports whether two units have the same content, as far as it could be read, and the same rights to execute files.
func (u *unit) equal(other *unit) bool {
	if len(u.files) != len(other.files) {
		return false
	}
	for name, f := range u.files {
		g, ok := other.files[name]
		if !ok || f.mode.Type() != g.mode.Type() || f.mode.IsRegular() && (f.mode^g.mode)&0o111 != 0 || f.sum != g.sum || f.mode&os.ModeSymlink != 0 && !bytes.Equal(f.data, g.data) {
			return false
		}
	}
	return true
}

// restore writes the unit to a path below root, where nothing is. The error names all files that are not restored.
func (u *unit) restore(root *os.Root, at string) error {
	var failed []error
	byLink := u.files[""].mode&os.ModeSymlink != 0           // then the files stand where the link leads
	for _, name := range slices.Sorted(maps.Keys(u.files)) { // a directory before the files in it
		f, to := u.files[name], path.Join(at, name)
		var err error
		switch {
		case f.mode.IsDir() && byLink && isDir(filepath.Join(root.Name(), to)):
		case f.mode.IsDir():
			err = root.Mkdir(to, f.mode.Perm()|0o700)
		case f.mode&os.ModeSymlink != 0:
			err = root.Symlink(string(f.data), to)
		case f.mode.IsRegular() && f.data != nil && byLink:
			err = root.WriteFile(to, f.data, f.mode.Perm())
		case f.mode.IsRegular() && f.data != nil:
			err = writeNew(root, to, f.data, f.mode.Perm())
		default:
			err = errors.New("its former content was not kept")
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("put %s back: %w", to, err))
		}
	}
	return errors.Join(failed...)
}

// writeNew makes a file.
func writeNew(root *os.Root, name string, data []byte, perm fs.FileMode) error {
	created, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = created.Write(data)
	return errors.Join(err, created.Chmod(perm), created.Close())
}
