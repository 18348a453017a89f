package rootfs

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// Root is one directory tree held open. Its methods may be called from several goroutines at once.
type Root struct {
	top   *os.Root
	self  *os.File        // the directory again, for the kernel's own confinement
	conn  syscall.RawConn // of self
	names []string        // absolute names of the directory: as given, and with every link resolved
}

// Open opens the directory dir, following links in its name. Close must be called when it is no longer needed.
func Open(dir string) (*Root, error) {
	given, err := filepath.Abs(dir)
	if err != nil {
		return nil, fmt.Errorf("find directory: %w", Reason(err))
	}
	if info, err := os.Stat(given); err == nil && !info.IsDir() {
		return nil, fmt.Errorf("open directory: %w", ErrNotDirectory) // opening a FIFO would wait for its writer
	}
	top, err := os.OpenRoot(given)
	if err != nil {
		return nil, fmt.Errorf("open directory: %w", Reason(err))
	}
	r := &Root{top: top, names: []string{given}}
	if err := r.learn(); err != nil {
		top.Close()
		return nil, err
	}
	return r, nil
}

// learn finds the directory's real name, and proves that it names the directory that was opened.
func (r *Root) learn() error {
	self, err := r.top.Open(".")
	if err != nil {
		return fmt.Errorf("open directory: %w", Reason(err))
	}
	conn, err := self.SyscallConn()
	if err != nil {
		self.Close()
		return fmt.Errorf("open directory: %w", Reason(err))
	}
	r.self, r.conn = self, conn
	opened, err := self.Stat()
	if err != nil {
		self.Close()
		return fmt.Errorf("inspect directory: %w", Reason(err))
	}
	resolved, err := filepath.EvalSymlinks(r.names[0])
	if err != nil || resolved == r.names[0] {
		return nil
	}
	if named, err := os.Stat(resolved); err == nil && os.SameFile(named, opened) {
		r.names = append(r.names, resolved)
	}
	return nil
}

// Close releases the directory. Operations that have begun finish; later ones fail with os.ErrClosed.
func (r *Root) Close() error {
	err := r.self.Close()
	if e := r.top.Close(); err == nil {
		err = e
	}
	return err
}

// Name is the absolute name under which the directory was opened.
func (r *Root) Name() string { return r.names[0] }

// RealName is the absolute name of the directory with every link resolved.
func (r *Root) RealName() string { return r.names[len(r.names)-1] }

// Rel turns an absolute path into one relative to the root, with slashes. It only compares names, by whole components, with
// both names of the directory; ok is false when the path lies elsewhere.
func (r *Root) Rel(abs string) (rel string, ok bool) {
	abs = filepath.Clean(abs)
	for _, name := range r.names {
		if rel, ok := below(name, abs); ok {
			return rel, true
		}
	}
	return "", false
}

// below cuts the directory name off the path, where it is a prefix of whole components.
func below(name, abs string) (string, bool) {
	if len(abs) < len(name) || !sameName(abs[:len(name)], name) {
		return "", false
	}
	rest := abs[len(name):]
	if rest == "" {
		return ".", true
	}
	if !os.IsPathSeparator(name[len(name)-1]) { // only "/" and "C:\" end in one
		if !os.IsPathSeparator(rest[0]) {
			return "", false
		}
		rest = rest[1:]
	}
	return filepath.ToSlash(rest), true
}

// sameName compares as the usual file system of the platform does. Being wrong here cannot lead out of the root: the rest of
// the path is looked up in the open directory all the same.
func sameName(a, b string) bool {
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		return strings.EqualFold(a, b)
	}
	return a == b
}

// join is path.Join for final paths, where "." stands for the root and nothing needs cleaning.
func join(dir, name string) string {
	switch {
	case dir == "." || dir == "":
		return name
	case name == "" || name == ".":
		return dir
	}
	return dir + "/" + name
}

// split gives the final path of the parent and the last name.
func split(final string) (dir, name string) {
	return path.Dir(final), path.Base(final)
}
