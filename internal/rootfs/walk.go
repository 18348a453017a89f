package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	maxLinks = 40   // on one path, as Linux has it
	maxSteps = 8192 // names followed for one path, including names in links
	maxRaces = 16   // how often an entry may change under one walk
)

// walker follows a path one name at a time. It reads links itself and never asks the system to follow one.
type walker struct {
	root  *Root
	dir   *os.Root // where the walker stands
	names []string // final path of the present directory
	todo  []string // names to follow, the next one last
	links int
	steps int
	races int
}

// walk follows the path to its last name and returns the Place. A link in the last name is followed if follow is
// true. A missing directory is not an error; see Place.Missing.
func (r *Root) walk(path string, follow bool) (*Place, error) {
	w := &walker{root: r, dir: r.top}
	w.push(path)
	place, err := w.run(follow)
	if err != nil {
		w.moveTo(r.top)
		return nil, err
	}
	return place, nil
}

func (w *walker) run(follow bool) (*Place, error) {
	for len(w.todo) > 0 {
		if w.steps++; w.steps > maxSteps {
			return nil, w.fail(w.todo[len(w.todo)-1], ErrLinkLoop)
		}
		name := w.next()
		if name == ".." {
			if err := w.up(); err != nil {
				return nil, err
			}
			continue
		}
		place, err := w.step(name, follow)
		if place != nil || err != nil {
			return place, err
		}
	}
	info, err := w.dir.Stat(".")
	if err != nil {
		return nil, w.fail(".", Reason(err))
	}
	return w.arrive(".", info, nil), nil
}

// step follows one name, or ends the walk at its entry.
func (w *walker) step(name string, follow bool) (*Place, error) {
	info, err := w.dir.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return w.missing(name)
	case err != nil:
		return nil, w.fail(name, Reason(err))
	}
	if err := checkAlias(w.dir, name); err != nil {
		return nil, w.fail(name, err)
	}
	last := len(w.todo) == 0
	switch {
	case info.Mode()&fs.ModeSymlink != 0 && (follow || !last):
		return nil, w.link(name)
	case last:
		return w.arrive(name, info, nil), nil
	case !info.IsDir():
		return nil, w.fail(name, ErrNotDirectory)
	}
	child, err := openChild(w.dir, name, info)
	if errors.Is(err, ErrChanged) {
		return nil, w.putBack(name)
	}
	if err != nil {
		return nil, w.fail(name, err)
	}
	w.moveTo(child)
	w.names = append(w.names, name)
	return nil, nil
}

// link replaces the name of a link by its target.
func (w *walker) link(name string) error {
	if w.links++; w.links > maxLinks {
		return w.fail(name, ErrLinkLoop)
	}
	target, err := w.dir.Readlink(name)
	if err != nil {
		return w.putBack(name) // it was a link a moment ago
	}
	if filepath.IsAbs(target) || filepath.VolumeName(target) != "" || target != "" && os.IsPathSeparator(target[0]) {
		rel, ok := w.root.Rel(target)
		if !ok {
			return w.fail(name, ErrEscapes)
		}
		w.moveTo(w.root.top)
		w.names = w.names[:0]
		target = rel
	}
	w.push(target)
	return nil
}

// up goes to the parent directory. It starts from the root again, since the ".." of a directory changes when the
// directory moves. Only links contain "..": the paths of callers are clean.
func (w *walker) up() error {
	n := len(w.names) - 1
	for ; len(w.todo) > 0 && w.todo[len(w.todo)-1] == ".."; n-- {
		w.next()
	}
	if n < 0 {
		return w.fail("..", ErrEscapes)
	}
	for _, name := range slices.Backward(w.names[:n]) {
		w.todo = append(w.todo, name)
	}
	w.moveTo(w.root.top)
	w.names = w.names[:0]
	return nil
}

// putBack puts a name back that changed between two system calls.
func (w *walker) putBack(name string) error {
	if w.races++; w.races > maxRaces {
		return w.fail(name, ErrChanged)
	}
	w.todo = append(w.todo, name)
	return nil
}

// missing ends the walk at an entry that does not exist. The remaining names may not contain "..", since MakeParents
// would create them.
func (w *walker) missing(name string) (*Place, error) {
	all := append(slices.Clone(w.todo), name)
	slices.Reverse(all)
	if slices.Contains(all, "..") {
		return nil, w.fail(name, fs.ErrNotExist)
	}
	last := len(all) - 1
	return w.arrive(all[last], nil, all[:last]), nil
}

// arrive turns the present directory into a Place.
func (w *walker) arrive(name string, info fs.FileInfo, missing []string) *Place {
	here := w.currentPath()
	p := &Place{
		Path:    join(join(here, strings.Join(missing, "/")), name),
		Name:    name,
		Info:    info,
		Missing: missing,
		dir:     w.dir,
		dirPath: here,
		owned:   w.dir != w.root.top,
	}
	w.dir = w.root.top
	return p
}

// currentPath returns the final path of the present directory.
func (w *walker) currentPath() string {
	if len(w.names) == 0 {
		return "."
	}
	return strings.Join(w.names, "/")
}

func (w *walker) next() string {
	name := w.todo[len(w.todo)-1]
	w.todo = w.todo[:len(w.todo)-1]
	return name
}

// push adds the names of a path before the remaining names.
func (w *walker) push(path string) {
	names := strings.FieldsFunc(path, func(r rune) bool { return r < 0x80 && os.IsPathSeparator(uint8(r)) })
	for _, name := range slices.Backward(names) {
		if name != "." {
			w.todo = append(w.todo, name)
		}
	}
}

// moveTo closes the present directory and replaces it by another.
func (w *walker) moveTo(dir *os.Root) {
	if w.dir != w.root.top {
		w.dir.Close()
	}
	w.dir = dir
}

func (w *walker) fail(name string, err error) error {
	return &StepError{Dir: w.currentPath(), Name: name, Err: err}
}

// openChild opens the entry name of dir as a directory, and checks that it is the one that want describes. The path
// ends in "/." because os.Root opens a bare name without O_DIRECTORY, and a FIFO would block the call.
func openChild(dir *os.Root, name string, want fs.FileInfo) (*os.Root, error) {
	child, err := dir.OpenRoot(name + "/.")
	if err != nil {
		if now, e := dir.Lstat(name); e == nil && os.SameFile(now, want) {
			return nil, Reason(err)
		}
		return nil, ErrChanged
	}
	got, err := child.Stat(".")
	if err != nil || !os.SameFile(want, got) {
		child.Close()
		return nil, ErrChanged
	}
	return child, nil
}
