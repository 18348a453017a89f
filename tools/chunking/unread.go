package chunking

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// maxExtensions is the maximum number of extensions in the text of byExtension.
const maxExtensions = 8

// byExtension formats counts, most frequent first, at most maxExtensions: "40 .zig, 3 .nim".
func byExtension(counts map[string]int) string {
	extensions := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(-cmp.Compare(counts[a], counts[b]), strings.Compare(a, b))
	})
	var parts []string
	rest := 0
	for i, extension := range extensions {
		switch {
		case i >= maxExtensions:
			rest += counts[extension]
		case extension == index.Scripts:
			parts = append(parts, plural.Count(counts[extension], "script")+" without an extension")
		default:
			parts = append(parts, number(counts[extension])+" "+extension)
		}
	}
	if rest > 0 {
		parts = append(parts, number(rest)+" with "+number(len(extensions)-maxExtensions)+" other extensions")
	}
	return strings.Join(parts, ", ")
}

// unreadFiles records, by analysed directory, the files that no parser read. Answers from the index name them.
type unreadFiles struct {
	mu    sync.Mutex
	byDir map[string]unreadCounts
}

// unreadCounts are the counts of an analysis, by extension.
type unreadCounts struct {
	began  time.Time
	counts map[string]int
}

// note stores the counts of dir and drops the counts of its subdirectories. It ignores an analysis that began before the recorded one.
func (u *unreadFiles) note(dir string, began time.Time, unread index.Unread) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if old, ok := u.byDir[dir]; ok && began.Before(old.began) {
		return
	}
	for other, old := range u.byDir {
		if pathset.Within(other, dir) && !began.Before(old.began) {
			delete(u.byDir, other)
		}
	}
	all := make(map[string]int)
	for _, counts := range []map[string]int{unread.ByExtension, unread.Excluded} {
		for extension, n := range counts {
			all[extension] += n
		}
	}
	u.byDir[dir] = unreadCounts{began, all}
}

// summary formats the counts of all directories: "40 .zig, 3 .nim"; "" if no file is known
// to be missing. A later analysis of a subdirectory can raise the counts of its parent, but
// not lower them, because the earlier share of the subdirectory is unknown.
func (u *unreadFiles) summary() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	inner := make(map[string]map[string]int) // the sums of the subdirectories, by directory; "" for all
	for _, dir := range slices.SortedFunc(maps.Keys(u.byDir), func(a, b string) int { return cmp.Or(-cmp.Compare(depth(a), depth(b)), strings.Compare(a, b)) }) {
		around := ""
		for other := range u.byDir {
			if other != dir && pathset.Within(dir, other) && (around == "" || depth(other) > depth(around)) {
				around = other
			}
		}
		sums := inner[around]
		if sums == nil {
			sums = make(map[string]int)
			inner[around] = sums
		}
		counts := maps.Clone(u.byDir[dir].counts)
		for extension, n := range inner[dir] {
			counts[extension] = max(counts[extension], n)
		}
		for extension, n := range counts {
			sums[extension] += n
		}
	}
	return byExtension(inner[""])
}

// depth is the number of names in a path.
func depth(dir string) int {
	if dir = strings.Trim(dir, "/"); dir == "." || dir == "" {
		return 0
	}
	return strings.Count(dir, "/") + 1
}

// emptiness describes why the index has no files.
func (c *Chunks) emptiness() string {
	if damage := c.index.Damage(); damage != "" {
		return damage
	}
	return "no project has been analysed"
}

// missing describes the files that are not in the index, or reports that they are unknown;
// "" if none is missing.
func (c *Chunks) missing() string {
	if damage := c.index.Damage(); damage != "" {
		return damage + "; analyze_project reads their files again"
	}
	if !c.index.Compared() {
		return "the index is of an earlier run and not compared with the files since; analyze_project does that"
	}
	if counts := c.unread.summary(); counts != "" {
		return "not readable here and so left out: " + counts
	}
	return ""
}
