package fs

import (
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// tree is what a walk has seen.
type tree struct {
	root *folder

	mu      sync.Mutex
	folders map[string]*folder // by path below the start
}

// folder is a directory in a tree.
type folder struct {
	name  string
	path  string // names it in another call
	depth int
	dirs  []*folder
	files []leaf
	below Folded // everything below
	sum   string // see closed
}

// leaf is an entry that is no directory.
type leaf struct {
	name string
	kind security.Kind
}

func newTree(name, start string) *tree {
	root := &folder{name: name, path: start}
	return &tree{root: root, folders: map[string]*folder{"": root}}
}

// visit adds an entry.
func (t *tree) visit(e *security.WalkEntry) error {
	rel := e.Rel()
	t.mu.Lock()
	defer t.mu.Unlock()
	if e.Kind == security.Directory {
		t.folder(rel)
		return nil
	}
	parent := t.folder(rel[:max(0, strings.LastIndexByte(rel, '/'))])
	parent.files = append(parent.files, leaf{e.Name, e.Kind})
	return nil
}

// folder is the directory at a path below the start, and made if it is not there yet.
func (t *tree) folder(rel string) *folder {
	if f, ok := t.folders[rel]; ok {
		return f
	}
	cut := strings.LastIndexByte(rel, '/')
	parent := t.folder(rel[:max(0, cut)])
	f := &folder{name: rel[cut+1:], path: parent.join(rel[cut+1:]), depth: parent.depth + 1}
	parent.dirs = append(parent.dirs, f)
	t.folders[rel] = f
	return f
}

// join is the path of an entry in the folder.
func (f *folder) join(name string) string {
	if f.path == "." {
		return name
	}
	return joinPath(f.path, name)
}

// settle brings the tree into its order and counts, when the walk has ended.
func (t *tree) settle() { t.root.settle() }

func (f *folder) settle() {
	slices.SortFunc(f.dirs, func(a, b *folder) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(f.files, func(a, b leaf) int { return strings.Compare(a.name, b.name) })
	f.below = Folded{Files: len(f.files), Directories: len(f.dirs)}
	for _, d := range f.dirs {
		d.settle()
		f.below.Files += d.below.Files
		f.below.Directories += d.below.Directories
	}
}
