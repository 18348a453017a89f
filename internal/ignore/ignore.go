// Package ignore decides whether the rules of .gitignore files ignore a path. It reads no files itself.
//
// The rules are those of git (gitignore(5) and git's implementation of it, where the manual is silent): comments, escapes,
// trailing blanks, "!", slashes, "**", character classes, line ends and junk. The package is tested against git itself. It
// differs in these points, deliberately:
//
//   - Case always matters; git ignores it when core.ignoreCase is set, as it is by default on Windows and macOS.
//   - A pattern of more than 4096 bytes is dropped, and so are the patterns after the first 50,000 of a file.
//   - The caller chooses the files with rules; core.excludesFile and the index have no effect.
//
// Matching takes time proportional to the length of the pattern times that of the path, whatever the pattern, and the usual
// patterns (name, *.ext, /dir/) are found by hash.
package ignore

import "strings"

// Verdict is the decision of rules on a path.
type Verdict uint8

const (
	// Undecided: no pattern matches.
	Undecided Verdict = iota
	// Ignored: the last pattern that matches leaves the path out, or a directory that it lies in.
	Ignored
	// Included: the last pattern that matches begins with "!".
	Included
)

// String is "undecided", "ignored" or "included".
func (v Verdict) String() string {
	switch v {
	case Ignored:
		return "ignored"
	case Included:
		return "included"
	}
	return "undecided"
}

// Rules are the patterns of one file (.gitignore or .git/info/exclude), bound to the directory that it speaks about. They may
// be used by several goroutines at once. nil has no patterns.
type Rules struct {
	list []pattern // the last one that matches decides

	// Each pattern is in one of three chains, which lead from the last to the first: see pattern.before.
	names map[string]int32 // last pattern that can match only entries of this name
	exts  map[string]int32 // last pattern that can match only entries whose names end in this, from the last dot on
	rest  int32            // last of all others
}

// Empty reports whether there are no patterns.
func (r *Rules) Empty() bool { return r == nil || len(r.list) == 0 }

// Match decides on a path relative to the directory of the rules. The path is clean and has slashes. dir reports that
// it is a directory, and not a link to one. The content of an ignored directory is ignored, and no pattern includes
// it again.
func (r *Rules) Match(path string, dir bool) Verdict {
	for i := range len(path) {
		if path[i] == '/' && r.decide(newSubject(path[:i], true)) == Ignored {
			return Ignored
		}
	}
	return r.decide(newSubject(path, dir))
}

// subject is an entry on which patterns decide.
type subject struct {
	parent string // path of its directory, relative to that of the rules; "" is that directory
	name   string
	ext    string // name from its last dot on, or ""
	dir    bool
}

func newSubject(path string, dir bool) subject {
	cut := strings.LastIndexByte(path, '/')
	return subject{path[:max(cut, 0)], path[cut+1:], extension(path[cut+1:]), dir}
}

func extension(name string) string {
	if dot := strings.LastIndexByte(name, '.'); dot >= 0 {
		return name[dot:]
	}
	return ""
}

// decide looks at the entry alone, not at the directories that it lies in.
func (r *Rules) decide(s subject) Verdict {
	if r.Empty() {
		return Undecided
	}
	best := int32(none)
	if last, ok := r.names[s.name]; ok {
		best = r.last(last, none, &s)
	}
	if last, ok := r.exts[s.ext]; ok && s.ext != "" {
		best = r.last(last, best, &s)
	}
	best = r.last(r.rest, best, &s)
	switch {
	case best == none:
		return Undecided
	case r.list[best].negated:
		return Included
	}
	return Ignored
}

// last finds the last pattern of a chain that matches, or returns best if there is none behind that one.
func (r *Rules) last(i, best int32, s *subject) int32 {
	for ; i > best; i = r.list[i].before {
		if r.list[i].match(s) {
			return i
		}
	}
	return best
}
