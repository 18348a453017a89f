package fs

import (
	"math"
	"slices"
)

// layout selects the entries of a tree that an answer shows.
type layout struct {
	left  int // bytes of the budget that are left
	cost  entryCosts
	shown map[*folder]extent // shown entries of each shown folder
}

// extent is the number of directories and files of a folder that are shown, the first ones by name.
type extent struct{ dirs, files int }

// entryCosts is the cost of an entry in bytes.
type entryCosts struct {
	file, dir           int // cost of an entry beside its name
	name, parent, level int // cost of each byte of its name, of each byte of the path of its directory, and of each level
	fold                int // cost of the count of folded entries; 0 if it is a summary of variable length
}

var (
	// textCost is the cost in text: one line for each entry, indented by two spaces a level, with a slash for a directory.
	textCost = entryCosts{file: 1, dir: 2, name: 1, level: 2}
	// jsonCost is the cost in JSON. An entry is {"name":"","path":"","type":"file","size":1234567890}; "path" contains the path
	// of the directory. A directory has "children":[] and "folded":{"files":1,"directories":1} in addition.
	jsonCost = entryCosts{file: 64, dir: 68, name: 2, parent: 1, fold: 48}
)

// layout selects the entries to show within a budget in bytes. It goes level by level, so that high levels are shown first. On
// each level it divides the budget equally, so that large directories leave space for small ones. The result is deterministic.
func (t *tree) layout(budget, levels int, m entryCosts) *layout {
	l := &layout{left: budget - m.dir - m.name*(len(t.root.path)+len(t.root.name)), cost: m, shown: map[*folder]extent{t.root: {}}}
	l.left -= l.fold(t.root, extent{})
	level := []*folder{t.root}
	var all []*folder
	for depth := 1; depth <= levels && len(level) > 0; depth++ {
		l.distribute(level, l.addDirs, true)
		below := l.showDirs(level)
		kept := 0
		if depth < levels && len(below) > 0 {
			kept = max(0, l.left/2)
		}
		l.left -= kept
		l.distribute(level, l.addFiles, false)
		l.left += kept
		all = append(all, level...)
		level = below
	}
	l.distribute(all, l.addFiles, true)
	return l
}

// showDirs marks the shown directories of folders as shown themselves and returns them.
func (l *layout) showDirs(folders []*folder) (below []*folder) {
	for _, f := range folders {
		below = append(below, f.dirs[:l.shown[f].dirs]...)
	}
	for _, d := range below {
		l.shown[d] = extent{}
	}
	return below
}

// folds reports whether an entry is folded.
func (l *layout) folds() bool {
	for f, e := range l.shown {
		if e != f.fullExtent() {
			return true
		}
	}
	return false
}

// fullExtent returns the extent of a completely shown folder.
func (f *folder) fullExtent() extent { return extent{len(f.dirs), len(f.files)} }

// distribute divides the budget between folders. A folder whose cost is at most an equal part is shown completely, the cheapest
// first. The others get an equal part if partly is set, otherwise nothing. add returns the extent that fits into room, and its
// cost.
func (l *layout) distribute(folders []*folder, add func(f *folder, room int) (extent, int), partly bool) {
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

// addDirs returns the extent with more directories of a folder, within room bytes.
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

// addFiles returns the extent with more files of a folder, within room bytes.
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

// add extends the shown part of a folder entry by entry, until the entries or the room end. next advances the extent and
// returns the cost, or 0 at the end.
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
		if entries > room && e != f.fullExtent() {
			return best, cost
		}
		// The count of folded entries costs bytes from the first entry on, and nothing after the last entry.
		if all := entries + l.fold(f, e) - before; all <= room {
			best, cost = e, all
		}
	}
}

// entry returns the cost of the name and path of an entry.
func (l *layout) entry(parent *folder, name string) int {
	return l.cost.name*len(name) + l.cost.parent*(len(parent.path)+1) + l.cost.level*parent.depth
}

// fold returns the cost of the count of folded entries.
func (l *layout) fold(f *folder, e extent) int {
	switch {
	case e == f.fullExtent():
		return 0
	case l.cost.fold > 0:
		return l.cost.fold
	case e == extent{}:
		return 1 + len(f.closedSummary())
	}
	return l.cost.level*f.depth + maxSummary + 1
}
