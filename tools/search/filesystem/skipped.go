package filesystem

import (
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/internal/pathset"
	"github.com/dougu-go/dougu/tools/search/internal/skips"
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

// maxSkipped is the number of skipped files whose names are recorded.
const maxSkipped = 200_000

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
	s.summary = append(skips.Summary(func(yield func(name, reason string) bool) {
		for name, why := range s.files {
			if !yield(name, why.reason) {
				return
			}
		}
	}, s.uncounted), s.notes...)
}

// list returns the summary.
func (s *skipped) list() []plugin.Skipped { return slices.Clone(s.summary) }
