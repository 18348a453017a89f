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
// [Parse] reads the text of one file into [Rules]. A [Stack] combines the Rules of nested directories.
//
// Matching takes time proportional to the length of the pattern times the length of the path, for every pattern. The usual
// patterns (name, *.ext, /dir/) are found by hash.
package ignore

import "strings"

// Verdict is the decision of rules on a path.
type Verdict uint8

const (
	// Undecided: no pattern matches.
	Undecided Verdict = iota
	// Ignored: the last pattern that matches the path, or a parent directory of it, excludes it.
	Ignored
	// Included: the last pattern that matches begins with "!".
	Included
)

// String returns "undecided", "ignored" or "included".
func (v Verdict) String() string {
	switch v {
	case Ignored:
		return "ignored"
	case Included:
		return "included"
	}
	return "undecided"
}

// Rules are the patterns of one file (.gitignore or .git/info/exclude). The paths for Match are relative to the directory
// to which the file applies. Rules may be used by several goroutines at once. Nil has no patterns.
type Rules struct {
	list []pattern // in the order of the file; the last one that matches decides

	// For a fast search, each pattern is in one of several linked lists of indexes into list. The fields below are the heads,
	// the last pattern of each linked list. pattern.before is the index of the pattern before it in the same linked list;
	// the constant none is the end.
	names map[string]int32 // by name: patterns that match only entries of this name, for example "build"
	exts  map[string]int32 // by extension: patterns that match only names with this extension; *.tar.gz is under ".gz"
	rest  int32            // all other patterns
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

// subject is a file or directory to match, split for the patterns.
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

// decide returns the verdict of the last matching pattern in the file. It ignores the parent directories of the entry.
// The three linked lists that can match are searched; best is the highest index of a match so far.
func (r *Rules) decide(s subject) Verdict {
	if r.Empty() {
		return Undecided
	}
	best := int32(none)
	if head, ok := r.names[s.name]; ok {
		best = r.lastMatch(head, none, &s)
	}
	if head, ok := r.exts[s.ext]; ok && s.ext != "" {
		best = r.lastMatch(head, best, &s)
	}
	best = r.lastMatch(r.rest, best, &s)
	switch {
	case best == none:
		return Undecided
	case r.list[best].negated:
		return Included
	}
	return Ignored
}

// lastMatch returns the index of the last pattern that matches, searching a linked list backwards from index i. If no
// pattern with an index above best matches, it returns best.
func (r *Rules) lastMatch(i, best int32, s *subject) int32 {
	for ; i > best; i = r.list[i].before {
		if r.list[i].match(s) {
			return i
		}
	}
	return best
}
