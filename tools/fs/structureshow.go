package fs

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
)

const (
	ellipsis      = "… "
	maxSummary    = 72 // bytes of what tells what is folded
	maxExtension  = 10 // bytes of an extension that is told
	maxExtensions = 3  // that are told
)

// folded counts what is not shown of a folder.
func (l *layout) folded(f *folder) Folded {
	e := l.shown[f]
	rest := Folded{Files: f.below.Files - e.files, Directories: f.below.Directories - e.dirs}
	for _, d := range f.dirs[:e.dirs] {
		rest.Files -= d.below.Files
		rest.Directories -= d.below.Directories
	}
	return rest
}

// node is a folder with what is shown of it.
func (l *layout) node(f *folder, size func(path string) *int64) TreeNode {
	n := TreeNode{Name: f.name, Path: f.path, Type: security.Directory.String(), Children: []TreeNode{}}
	e := l.shown[f]
	for _, d := range f.dirs[:e.dirs] {
		n.Children = append(n.Children, l.node(d, size))
	}
	for _, file := range f.files[:e.files] {
		child := TreeNode{Name: file.name, Path: f.join(file.name), Type: file.kind.String()}
		if file.kind == security.RegularFile {
			child.Size = size(child.Path)
		}
		n.Children = append(n.Children, child)
	}
	if rest := l.folded(f); rest != (Folded{}) {
		n.Folded = &rest
	}
	return n
}

// text is the tree below a folder.
func (l *layout) text(f *folder) string {
	var b strings.Builder
	l.write(&b, f)
	return b.String()
}

func (l *layout) write(b *strings.Builder, f *folder) {
	indent := func() {
		for range f.depth {
			b.WriteString("  ")
		}
	}
	e := l.shown[f]
	for _, d := range f.dirs[:e.dirs] {
		indent()
		b.WriteString(d.name + "/")
		if l.shown[d] == (extent{}) && d.below != (Folded{}) {
			b.WriteString(" " + d.closed() + "\n")
			continue
		}
		b.WriteByte('\n')
		l.write(b, d)
	}
	for _, file := range f.files[:e.files] {
		indent()
		b.WriteString(file.name + "\n")
	}
	if rest := l.folded(f); rest != (Folded{}) {
		indent()
		b.WriteString(f.summary(rest, e, "more ") + "\n")
	}
}

// closed is the summary of a folder of which nothing is shown.
func (f *folder) closed() string {
	if f.sum == "" {
		f.sum = f.summary(f.below, extent{}, "")
	}
	return f.sum
}

// summary tells what is folded of a folder: how many files, which kinds of them there are most, and how many directories.
func (f *folder) summary(rest Folded, e extent, more string) string {
	files, dirs := "", ""
	if rest.Files > 0 {
		files = count(int64(rest.Files), more+"file")
	}
	if rest.Directories > 0 {
		dirs = count(int64(rest.Directories), more+"directory")
	}
	if files != "" && dirs != "" {
		dirs = ", " + dirs
	}
	return ellipsis + files + f.kinds(e, maxSummary-len(ellipsis)-len(files)-len(dirs)) + dirs
}

// kinds tells which extensions most of the files have that are not shown, in no more bytes than there is room for.
func (f *folder) kinds(e extent, room int) string {
	counts := map[string]int{}
	f.count(e, counts)
	exts := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(counts[b]-counts[a], strings.Compare(a, b))
	})
	text := ""
	for _, ext := range exts[:min(len(exts), maxExtensions)] {
		more := ext + " " + strconv.Itoa(counts[ext])
		if text != "" {
			more = ", " + more
		}
		if len(text)+len(more)+len(" ()") > room {
			break
		}
		text += more
	}
	if text == "" {
		return ""
	}
	return " (" + text + ")"
}

// count counts the extensions of the files that are not shown, on all levels.
func (f *folder) count(e extent, counts map[string]int) {
	for _, file := range f.files[e.files:] {
		if ext := path.Ext(file.name); len(ext) > 1 && len(ext) <= maxExtension {
			counts[ext]++
		}
	}
	for _, d := range f.dirs[e.dirs:] {
		d.count(extent{}, counts)
	}
}
