package chunking

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/pathset"
	"github.com/dougu-go/dougu/tools/chunking/index"
)

// maxExtensions bounds the endings that an answer names.
const maxExtensions = 8

// byExtension says how many files of which endings there are, the most frequent first: "40 .zig, 3 .nim".
func byExtension(counts map[string]int) string {
	endings := slices.SortedFunc(maps.Keys(counts), func(a, b string) int {
		return cmp.Or(-cmp.Compare(counts[a], counts[b]), strings.Compare(a, b))
	})
	var said []string
	rest := 0
	for i, ending := range endings {
		if i >= maxExtensions {
			rest += counts[ending]
			continue
		}
		if ending == "#!" {
			said = append(said, count(counts[ending], "script")+" without an ending")
			continue
		}
		said = append(said, number(counts[ending])+" "+ending)
	}
	if rest > 0 {
		said = append(said, number(rest)+" with "+number(len(endings)-maxExtensions)+" other endings")
	}
	return strings.Join(said, ", ")
}

// unreadFiles are the files that the analyses of this process have left out, by directory. A later answer about the
// index names them, as it says nothing of them.
type unreadFiles struct {
	mu    sync.Mutex
	byDir map[string]index.Unread
}

// note records the result of an analysis, which replaces those of the directories below.
func (u *unreadFiles) note(dir string, counts index.Unread) {
	u.mu.Lock()
	defer u.mu.Unlock()
	for other := range u.byDir {
		if pathset.Within(other, dir) {
			delete(u.byDir, other)
		}
	}
	for other := range u.byDir {
		if pathset.Within(dir, other) {
			return // counted already
		}
	}
	u.byDir[dir] = counts
}

// said names what the index has not: "40 .zig, 3 .nim"; "" if nothing is known to be missing.
func (u *unreadFiles) said() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	all := make(map[string]int)
	for _, counts := range u.byDir {
		for ext, n := range counts.ByExtension {
			all[ext] += n
		}
		for ext, n := range counts.Excluded {
			all[ext] += n
		}
	}
	return byExtension(all)
}
