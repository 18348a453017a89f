package fs

import (
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/security"
)

// tree holds the entries that a walk has visited. visit is safe for concurrent use.
type tree struct {
	root *folder

	mu      sync.Mutex
	folders map[string]*folder // by path below the start
}

// folder is a directory in a tree.
type folder struct {
	name string
	path string // path for other calls
	// number of levels below the start
	depth int
	dirs  []*folder
	// entries other than directories
	files      []leaf
	below      Folded // number of all entries below
	closedText string // cached result of closedSummary
}

// leaf is an entry that is not a directory.
type leaf struct {
	name string
	kind security.Kind
}

// newTree returns a tree with its root folder.
func newTree(name, start string) *tree {
	root := &folder{name: name, path: start}
	return &tree{root: root, folders: map[string]*folder{"": root}}
}

// visit adds an entry of a walk.
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

// folder returns the directory at a path below the start. It creates missing folders.
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

// join returns the path of an entry of the folder.
func (f *folder) join(name string) string {
	if f.path == "." {
		return name
	}
	return joinPath(f.path, name)
}

// finish sorts the tree and computes its counts after the walk.
func (t *tree) finish() { t.root.finish() }

// finish sorts and counts the folder and its subfolders.
func (f *folder) finish() {
	slices.SortFunc(f.dirs, func(a, b *folder) int { return strings.Compare(a.name, b.name) })
	slices.SortFunc(f.files, func(a, b leaf) int { return strings.Compare(a.name, b.name) })
	f.below = Folded{Files: len(f.files), Directories: len(f.dirs)}
	for _, d := range f.dirs {
		d.finish()
		f.below.Files += d.below.Files
		f.below.Directories += d.below.Directories
	}
}
