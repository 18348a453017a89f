package filesystem

import (
	"cmp"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Why files are not indexed.
const (
	reasonBinary     = "binary"
	reasonLarge      = "too large"
	reasonUnreadable = "not readable"
	reasonFailed     = "failed to parse"
	reasonDirectory  = "directories that cannot be read"
	reasonDeep       = "in directories that lie too deep"
	reasonMany       = "more files than are looked at"
	reasonWithheld   = "files and directories that rules withhold"
	reasonUnusable   = "files and directories with unusable names"
)

const (
	maxSkipped  = 200_000 // of which is known which ones they are
	maxExamples = 3
)

// skip says why a file is not indexed, as long as its size and time are these.
type skip struct {
	reason  string
	size    int64
	modTime time.Time
}

// skipped are files that are not indexed. The zero value has none.
type skipped struct {
	files   map[string]skip
	more    map[string]int   // by reason, beyond maxSkipped
	notes   []plugin.Skipped // of what is no file
	summary []plugin.Skipped
}

// add notes a file.
func (s *skipped) add(name string, why skip) {
	if s.files == nil {
		s.files, s.more = map[string]skip{}, map[string]int{}
	}
	if _, known := s.files[name]; !known && len(s.files) >= maxSkipped {
		s.more[why.reason]++
		return
	}
	s.files[name] = why
}

// same is why a file of this size and time was not indexed.
func (s *skipped) same(name string, size int64, modTime time.Time) (skip, bool) {
	old, ok := s.files[name]
	return old, ok && old.size == size && old.modTime.Equal(modTime)
}

// update takes over what was found out about some paths and what is below them.
func (s *skipped) update(paths []string, now *skipped) {
	for _, path := range paths {
		delete(s.files, path)
	}
	for name := range s.files {
		if slices.ContainsFunc(paths, func(dir string) bool { return pathset.Within(name, dir) }) {
			delete(s.files, name)
		}
	}
	for name, why := range now.files {
		s.add(name, why)
	}
	s.summarize()
}

// summarize counts by reason, the most frequent first.
func (s *skipped) summarize() {
	byReason := map[string]*plugin.Skipped{}
	at := func(reason string) *plugin.Skipped {
		if byReason[reason] == nil {
			byReason[reason] = &plugin.Skipped{Reason: reason}
		}
		return byReason[reason]
	}
	for name, why := range s.files {
		one := at(why.reason)
		one.Files++
		one.Examples = examples(one.Examples, name)
	}
	for reason, n := range s.more {
		at(reason).Files += n
	}
	s.summary = nil
	for _, one := range byReason {
		s.summary = append(s.summary, *one)
	}
	slices.SortFunc(s.summary, func(a, b plugin.Skipped) int {
		return cmp.Or(cmp.Compare(b.Files, a.Files), cmp.Compare(a.Reason, b.Reason))
	})
	s.summary = append(s.summary, s.notes...)
}

// examples keeps the first few names by order.
func examples(names []string, name string) []string {
	if len(names) == maxExamples && name > names[maxExamples-1] {
		return names
	}
	at, _ := slices.BinarySearch(names, name)
	names = slices.Insert(names, at, name)
	return names[:min(len(names), maxExamples)]
}

// list is what is told of them.
func (s *skipped) list() []plugin.Skipped { return slices.Clone(s.summary) }
