package filesystem

import (
	"cmp"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/plugin"
)

// Values of Skipped.Reason.
const (
	reasonBinary     = "binary"
	reasonLarge      = "too large"
	reasonUnreadable = "not readable"
	reasonFailed     = "failed to parse"
	reasonDirectory  = "unreadable directories"
	reasonDeep       = "in directories nested too deep"
	reasonMany       = "more files than are checked"
	reasonWithheld   = "files and directories blocked by rules"
	reasonUnusable   = "files and directories with unusable names"
)

const (
	maxSkipped  = 200_000 // skipped files whose names are recorded
	maxExamples = 3
)

// skip is the reason why a file is not indexed. It is valid as long as size and time are the same.
type skip struct {
	reason  string
	size    int64
	modTime time.Time
}

// skipped records the files that are not indexed. The zero value is empty.
type skipped struct {
	files     map[string]skip
	uncounted map[string]int   // number of further files, by reason
	notes     []plugin.Skipped // skipped directories and limits
	summary   []plugin.Skipped
}

// add records a file.
func (s *skipped) add(name string, why skip) {
	if s.files == nil {
		s.files, s.uncounted = map[string]skip{}, map[string]int{}
	}
	if _, known := s.files[name]; !known && len(s.files) >= maxSkipped {
		s.uncounted[why.reason]++
		return
	}
	s.files[name] = why
}

// unchanged returns the recorded reason of a file with the same size and time.
func (s *skipped) unchanged(name string, size int64, modTime time.Time) (skip, bool) {
	old, ok := s.files[name]
	return old, ok && old.size == size && old.modTime.Equal(modTime)
}

// update replaces the entries of paths, and of files below them, with those of now.
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

// summarize counts the files by reason, most frequent first.
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
	for reason, n := range s.uncounted {
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

// examples inserts name into the sorted examples, of which the first maxExamples are kept.
func examples(names []string, name string) []string {
	if len(names) == maxExamples && name > names[maxExamples-1] {
		return names
	}
	at, _ := slices.BinarySearch(names, name)
	names = slices.Insert(names, at, name)
	return names[:min(len(names), maxExamples)]
}

// list returns the summary.
func (s *skipped) list() []plugin.Skipped { return slices.Clone(s.summary) }
