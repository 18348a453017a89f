package fs

import (
	"math"
	"slices"
)

// layout says what is shown of a tree.
type layout struct {
	left  int // bytes of the budget
	cost  measure
	shown map[*folder]extent // of each folder that is shown itself
}

// extent is how many of the directories and files of a folder are shown, the first ones by name.
type extent struct{ dirs, files int }

// measure is what showing an entry costs, in bytes.
type measure struct {
	file, dir           int // an entry beside its name
	name, parent, level int // for each byte of its name and of the path of its directory, and for each level
	fold                int // telling what is folded in a directory; 0 if that is a summary
}

var (
	// inText has a line for each entry, indented by two spaces a level, with a slash for a directory.
	inText = measure{file: 1, dir: 2, name: 1, level: 2}
	// inJSON has an object for each entry: {"name":"","path":"","type":"file","size":1234567890}, with the path of the directory in
	// front of the name in "path", and "children":[] and "folded":{"files":1,"directories":1} in a directory.
	inJSON = measure{file: 64, dir: 68, name: 2, parent: 1, fold: 48}
)

// layout chooses what to show of the tree in a number of bytes. It goes level by level, so that what is high up is shown first,
// and on each level it divides what is left fairly, so that large directories do not take the room of small ones. The same tree always
// gives the same layout.
func (t *tree) layout(budget, levels int, m measure) *layout {
	l := &layout{left: budget - m.dir - m.name*(len(t.root.path)+len(t.root.name)), cost: m, shown: map[*folder]extent{t.root: {}}}
	l.left -= l.fold(t.root, extent{})
	level := []*folder{t.root}
	var all []*folder
	for depth := 1; depth <= levels && len(level) > 0; depth++ {
		l.share(level, l.addDirs, true)
		below := l.open(level)
		kept := 0
		if depth < levels && len(below) > 0 {
			kept = max(0, l.left/2)
		}
		l.left -= kept
		l.share(level, l.addFiles, false)
		l.left += kept
		all = append(all, level...)
		level = below
	}
	l.share(all, l.addFiles, true)
	return l
}

// open begins to show the directories in folders that were added.
func (l *layout) open(folders []*folder) (below []*folder) {
	for _, f := range folders {
		below = append(below, f.dirs[:l.shown[f].dirs]...)
	}
	for _, d := range below {
		l.shown[d] = extent{}
	}
	return below
}

// folds reports whether there is anything that is not shown.
func (l *layout) folds() bool {
	for f, e := range l.shown {
		if e != f.whole() {
			return true
		}
	}
	return false
}

func (f *folder) whole() extent { return extent{len(f.dirs), len(f.files)} }

// share divides what is left between folders: each gets what it needs if that is no more than an equal part, the cheapest first.
// The others get that part, if something can be shown partly, or nothing. add shows as much of a folder as fits into room, and
// tells what that costs.
func (l *layout) share(folders []*folder, add func(f *folder, room int) (extent, int), partly bool) {
	type need struct {
		*folder
		cost int
	}
	needs := make([]need, len(folders))
	for i, f := range folders {
		_, cost := add(f, math.MaxInt)
		needs[i] = need{f, cost}
	}
	slices.SortStableFunc(needs, func(a, b need) int { return a.cost - b.cost })
	for i, n := range needs {
		room := l.left / (len(needs) - i)
		if n.cost <= room || partly {
			e, cost := add(n.folder, room)
			l.shown[n.folder] = e
			l.left -= cost
		}
	}
}

// addDirs shows directories of a folder.
func (l *layout) addDirs(f *folder, room int) (extent, int) {
	return l.add(f, room, func(e *extent) int {
		if e.dirs == len(f.dirs) {
			return 0
		}
		d := f.dirs[e.dirs]
		e.dirs++
		return l.cost.dir + l.entry(f, d.name) + l.fold(d, extent{})
	})
}

// addFiles shows files of a folder.
func (l *layout) addFiles(f *folder, room int) (extent, int) {
	return l.add(f, room, func(e *extent) int {
		if e.files == len(f.files) {
			return 0
		}
		name := f.files[e.files].name
		e.files++
		return l.cost.file + l.entry(f, name)
	})
}

// add shows one entry of a folder after the other, as next gives them with what they cost, until there is none or there is no room.
func (l *layout) add(f *folder, room int, next func(*extent) int) (best extent, cost int) {
	best = l.shown[f]
	before := l.fold(f, best)
	e, entries := best, 0
	for {
		c := next(&e)
		if c == 0 {
			return best, cost
		}
		entries += c
		if entries > room && e != f.whole() {
			return best, cost
		}
		// What tells of the rest grows with the first entry, and goes with the last.
		if all := entries + l.fold(f, e) - before; all <= room {
			best, cost = e, all
		}
	}
}

func (l *layout) entry(parent *folder, name string) int {
	return l.cost.name*len(name) + l.cost.parent*(len(parent.path)+1) + l.cost.level*parent.depth
}

// fold is what telling of the rest of a folder costs.
func (l *layout) fold(f *folder, e extent) int {
	switch {
	case e == f.whole():
		return 0
	case l.cost.fold > 0:
		return l.cost.fold
	case e == extent{}:
		return 1 + len(f.closed())
	}
	return l.cost.level*f.depth + maxSummary + 1
}
