package pattern

import (
	"slices"
	"strings"
)

// Index finds the patterns that can match an entry without trying all of them. The decision is that of List.MatchEntry.
type Index struct {
	list  List
	names map[string][]int // patterns that match only entries of this name, the last one first
	exts  map[string][]int // patterns that match only names which end in this, from the last dot on, the last one first
	rest  []int            // other patterns without a slash, the last one first
	paths []int            // patterns with a slash that can match names outside of names, the last one first
}

// NewIndex makes the index of a list.
func NewIndex(list List) *Index {
	x := &Index{list: list, names: map[string][]int{}, exts: map[string][]int{}}
	for i := range slices.Backward(list) {
		p := &list[i]
		switch ext := extension(p.text); {
		case p.kind == wholeName:
			x.names[p.text] = append(x.names[p.text], i)
		case p.kind == nameSuffix && ext != "":
			x.exts[ext] = append(x.exts[ext], i)
		case p.kind == pathGlob:
			x.addPath(i)
		default:
			x.rest = append(x.rest, i)
		}
	}
	return x
}

func extension(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return name[dot:]
	}
	return ""
}

func (x *Index) addPath(i int) {
	p := &x.list[i]
	first, last := p.parts[0], p.parts[len(p.parts)-1]
	switch {
	case !p.deep && !last.glob:
		x.names[last.text] = append(x.names[last.text], i)
		return
	case p.deep && !p.rooted && !first.glob:
		x.names[first.text] = append(x.names[first.text], i) // the directory itself
	}
	x.paths = append(x.paths, i)
}

// DirRules are the rules for the entries of one directory.
type DirRules struct {
	*Index
	dir      string // folded
	plainDir string // PlainSpelling of dir
	paths    []int  // elements of Index.paths that can match in this directory
}

// In prepares the rules for a directory, which is named by its folded path.
func (x *Index) In(dir string) DirRules {
	d := DirRules{Index: x, dir: dir, plainDir: PlainSpelling(dir)}
	for _, i := range x.paths {
		if x.list[i].canMatchIn(dir) {
			d.paths = append(d.paths, i)
		}
	}
	return d
}

// canMatchIn reports whether a pattern with a slash can match an entry of a directory that has not the pattern's own first name.
func (p *pattern) canMatchIn(dir string) bool {
	switch {
	case p.rooted && p.deep:
		return true
	case p.deep:
		return p.parts[0].glob || strings.Contains(dir, p.parts[0].text)
	case len(p.parts) == 1:
		return true
	}
	parent := p.parts[len(p.parts)-2]
	return dir != "" && parent.match(dir[strings.LastIndexByte(dir, '/')+1:])
}

// Match decides on an entry by its folded name alone, without the directories before it.
func (d *DirRules) Match(name string) bool {
	if d.decide(name) {
		return true
	}
	if d.plainDir == d.dir && !hasOtherSpelling(name) {
		return false
	}
	return d.list.decide(d.plainDir, PlainSpelling(name))
}

// decide is Match for one spelling.
func (d *DirRules) decide(name string) bool {
	last := -1
	for _, some := range [...][]int{d.names[name], d.exts[extension(name)], d.rest, d.paths} {
		for _, i := range some {
			if i <= last {
				break
			}
			if d.list[i].match(d.dir, name) {
				last = i
				break
			}
		}
	}
	return last >= 0 && !d.list[last].negated
}
