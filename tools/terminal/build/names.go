package build

import (
	"net/url"
	"path"
	"strings"
)

// names gives files the names that the project has for them.
type names struct {
	dir, root string // absolute where the caller has said so, with slashes
	exists    func(string) bool
	asked     map[string]bool
	within    []string // directories that make has entered
}

func newNames(dir, root string, exists func(string) bool) *names {
	n := &names{dir: slashed(dir), root: slashed(root), exists: exists, asked: map[string]bool{}}
	if n.root == "" {
		n.root = n.dir
	}
	return n
}

// slashed is a path with slashes, or "" for none.
func slashed(name string) string {
	if name == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(name, `\`, "/"))
}

// of is the name of a file that a tool has named.
func (n *names) of(file string) string {
	if file == "" || len(file) > 4*maxName {
		return ""
	}
	if rest, ok := strings.CutPrefix(file, "file://"); ok {
		file = rest
		if plain, err := url.PathUnescape(rest); err == nil {
			file = plain
		}
		if len(file) > 2 && file[0] == '/' && drive(file[1:]) {
			file = file[1:]
		}
	}
	if drive(file) || strings.Contains(file, `\`) && !strings.Contains(file, "/") {
		file = strings.ReplaceAll(file, `\`, "/")
	}
	file = path.Clean(file)
	if absolute(file) {
		return n.relative(file)
	}
	here := n.relative(n.join(n.current(), file))
	if n.exists == nil || n.there(here) {
		return here
	}
	// Some name files relative to the project, or to where a package of it lies.
	for _, base := range []string{n.dir, n.root} {
		if other := n.relative(n.join(base, file)); other != here && n.there(other) {
			return other
		}
	}
	return here
}

// current is the directory that relative names are relative to.
func (n *names) current() string {
	if len(n.within) > 0 {
		return n.within[len(n.within)-1]
	}
	return n.dir
}

func (n *names) join(dir, file string) string {
	if absolute(file) {
		return file
	}
	return path.Join(dir, file)
}

// relative is a path relative to the root if it lies in it.
func (n *names) relative(file string) string {
	root := n.root
	if root == "" || root == "." {
		return file
	}
	if len(file) <= len(root) || !same(file[:len(root)], root) {
		return file
	}
	if strings.HasSuffix(root, "/") {
		return file[len(root):]
	}
	if file[len(root)] != '/' {
		return file
	}
	return file[len(root)+1:]
}

// inside says whether a path that a tool has named is one of the project.
func (n *names) inside(file string) bool {
	name := n.of(file)
	return name != "" && !absolute(name) && !strings.HasPrefix(name, "../") && !strings.Contains(name, "node_modules/")
}

// maxAsked bounds how many files are asked for, and maxWithin how deep makes call makes.
const (
	maxAsked  = 4000
	maxWithin = 64
)

func (n *names) there(name string) bool {
	if n.exists == nil {
		return false
	}
	if known, ok := n.asked[name]; ok || len(n.asked) >= maxAsked {
		return known
	}
	there := n.exists(name)
	n.asked[name] = there
	return there
}

// find is the first of the names, relative to the directory of the build, that is
// there, or other.
func (n *names) find(other string, candidates ...string) string {
	for _, name := range candidates {
		if full := n.join(n.dir, path.Clean(name)); n.there(n.relative(full)) {
			return full
		}
	}
	return other
}

// enter and leave follow make.
func (n *names) enter(dir string) {
	if len(n.within) < maxWithin {
		n.within = append(n.within, n.join(n.current(), slashed(dir)))
	}
}

func (n *names) leave() {
	if len(n.within) > 0 {
		n.within = n.within[:len(n.within)-1]
	}
}

func absolute(file string) bool { return strings.HasPrefix(file, "/") || drive(file) }

// drive says whether a path begins with the letter of a drive.
func drive(file string) bool {
	return len(file) > 2 && file[1] == ':' && (file[2] == '\\' || file[2] == '/') &&
		('a' <= file[0]|0x20 && file[0]|0x20 <= 'z')
}

// same compares paths; where there are drives, case does not count.
func same(a, b string) bool {
	return a == b || drive(a) && strings.EqualFold(a, b)
}
