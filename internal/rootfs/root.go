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

// Root is an open directory tree. Its methods can be called concurrently.
type Root struct {
	top   *os.Root
	self  *os.File        // second handle of the directory, from which openat2 opens paths on Linux
	conn  syscall.RawConn // descriptor of self
	names []string        // absolute names of the directory: the given one and, if it differs, the one without links
}

// Open opens the directory dir and follows links in its name. A FIFO or another file that is not a directory is
// ErrNotDirectory. The caller closes the Root.
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
	if err := r.findRealName(); err != nil {
		top.Close()
		return nil, err
	}
	return r, nil
}

// findRealName opens self and appends the name without links to names. It omits a name that leads to another directory,
// because a link in the given name has changed since Open.
func (r *Root) findRealName() error {
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

// Close closes the directory. Running operations finish; later ones fail with os.ErrClosed.
func (r *Root) Close() error {
	err := r.self.Close()
	if e := r.top.Close(); err == nil {
		err = e
	}
	return err
}

// Name returns the absolute name with which the directory was opened.
func (r *Root) Name() string { return r.names[0] }

// RealName returns the absolute name of the directory with all links resolved. It returns the given name if no other
// name is known to lead to the directory.
func (r *Root) RealName() string { return r.names[len(r.names)-1] }

// Rel returns an absolute path relative to the root, with slashes. It only compares the components with both names of
// the directory. ok is false if the path lies elsewhere.
func (r *Root) Rel(abs string) (rel string, ok bool) {
	abs = filepath.Clean(abs)
	for _, name := range r.names {
		if rel, ok := below(name, abs); ok {
			return rel, true
		}
	}
	return "", false
}

// below returns the part of the path after the directory name.
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

// sameName compares names like the usual file system of the platform: without case on Windows and macOS. A volume with
// other rules for case may give a wrong result. The result cannot lead out of the root, because the rest of the path is
// always looked up in the open directory.
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

// split returns the final path of the parent and the last name.
func split(final string) (dir, name string) {
	return path.Dir(final), path.Base(final)
}
