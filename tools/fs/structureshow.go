package fs

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

const (
	ellipsis      = "… "
	maxSummary    = 72 // most bytes of a summary of folded entries
	maxExtension  = 10 // longest extension in a summary, in bytes
	maxExtensions = 3  // most extensions in a summary
)

// folded counts the entries of a folder that are not shown.
func (l *layout) folded(f *folder) Folded {
	e := l.shown[f]
	rest := Folded{Files: f.below.Files - e.files, Directories: f.below.Directories - e.dirs}
	for _, d := range f.dirs[:e.dirs] {
		rest.Files -= d.below.Files
		rest.Directories -= d.below.Directories
	}
	return rest
}

// node returns the JSON node of a folder with its shown entries.
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

// text returns the tree below a folder as text.
func (l *layout) text(f *folder) string {
	var b strings.Builder
	l.write(&b, f)
	return b.String()
}

// write writes the shown entries of a folder, indented by its depth.
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
			b.WriteString(" " + d.closedSummary() + "\n")
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

// closedSummary returns the summary of a folder without shown entries. It is computed once.
func (f *folder) closedSummary() string {
	if f.closedText == "" {
		f.closedText = f.summary(f.below, extent{}, "")
	}
	return f.closedText
}

// summary describes the folded entries of a folder: the number of files, their most frequent extensions, and the number of
// directories.
func (f *folder) summary(rest Folded, e extent, more string) string {
	files, dirs := "", ""
	if rest.Files > 0 {
		files = plural.Count(int64(rest.Files), more+"file")
	}
	if rest.Directories > 0 {
		dirs = plural.Count(int64(rest.Directories), more+"directory")
	}
	if files != "" && dirs != "" {
		dirs = ", " + dirs
	}
	return ellipsis + files + f.kinds(e, maxSummary-len(ellipsis)-len(files)-len(dirs)) + dirs
}

// kinds lists the most frequent extensions of the folded files, in at most room bytes.
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

// count counts the extensions of the folded files on all levels.
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
