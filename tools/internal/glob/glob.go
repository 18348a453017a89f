// Package glob matches names and paths with the patterns that models write:
// *.go, src/**/*.ts, a path, a part of a name.
package glob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxPattern      = 256 // bytes
	maxAlternatives = 64
	maxPatterns     = 64 // in a list
)

// meta begins whatever is special in a glob.
const meta = `*?[{\`

// Error is a pattern that cannot be used, and what to write instead.
type Error struct{ Message, Next string }

func (e *Error) Error() string { return e.Message }

func wrong(next, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), next}
}

// Glob is a pattern for the names of entries or, if it has a slash, for their paths below the start of a walk.
type Glob struct {
	text   string
	byPath bool
	suffix string // of names, if the pattern is no more than a star in front of it
	below  string // what else it can mean: the pattern behind the path of the start, if it begins with that
}

// Compile makes a glob of a pattern. starts are the names of the start of the walk.
func Compile(pattern string, starts ...string) (*Glob, error) {
	g := &Glob{text: strings.TrimPrefix(pattern, "./")}
	switch {
	case len(pattern) > maxPattern:
		return nil, wrong("use a shorter pattern", "the pattern has %d bytes; at most %d are taken", len(pattern), maxPattern)
	case g.text == "" || !doublestar.ValidatePattern(g.text):
		return nil, wrong("write it with *, ?, [a-z], {a,b} and **, such as *.go or src/**/*.ts", "the pattern %s is malformed", strconv.Quote(pattern))
	case alternatives(g.text) > maxAlternatives:
		return nil, wrong("use several simpler patterns", "the pattern %s has braces for more than %d alternatives", strconv.Quote(pattern), maxAlternatives)
	}
	g.byPath = strings.Contains(g.text, "/")
	for _, start := range starts {
		if below, ok := strings.CutPrefix(g.text, strings.TrimSuffix(start, "/")+"/"); ok && start != "." {
			g.below = below
		}
	}
	g.text = strings.TrimPrefix(g.text, "/")
	if suffix, ok := strings.CutPrefix(g.text, "*"); ok && !g.byPath && !strings.ContainsAny(suffix, meta) {
		g.suffix = suffix
	}
	return g, nil
}

// Match tells whether an entry is meant, by its name and its path below the start.
func (g *Glob) Match(name, path string) bool {
	switch {
	case g.suffix != "":
		return strings.HasSuffix(name, g.suffix)
	case !g.byPath:
		return doublestar.MatchUnvalidated(g.text, name)
	}
	return doublestar.MatchUnvalidated(g.text, path) || g.below != "" && doublestar.MatchUnvalidated(g.below, path)
}

// Plain reports whether nothing in the pattern is special, so that it is a name or a path.
func (g *Glob) Plain() bool { return !strings.ContainsAny(g.text, meta) }

// Hidden reports whether the pattern itself names something that begins with a dot.
func (g *Glob) Hidden() bool {
	return strings.HasPrefix(g.text, ".") || strings.Contains(g.text, "/.")
}

// Hidden reports whether one of the patterns for what is wanted names something that begins with a dot.
func (gs *List) Hidden() bool { return slices.ContainsFunc(gs.in, (*Glob).Hidden) }

// List chooses entries by a list of patterns: those that any of them means, or all if there is none, but for those that a
// pattern with "!" in front means.
type List struct{ in, out []*Glob }

// CompileList makes globs of patterns. A slash at the end says that a directory is meant.
func CompileList(patterns []string, starts ...string) (List, error) {
	var gs List
	if len(patterns) > maxPatterns {
		return gs, wrong("use fewer patterns", "%d patterns were given; at most %d are taken", len(patterns), maxPatterns)
	}
	for _, pattern := range patterns {
		text, out := strings.CutPrefix(pattern, "!")
		if bare := strings.TrimSuffix(text, "/"); bare != text && out {
			text = bare
		} else if bare != text {
			text += "**"
		}
		g, err := Compile(text, starts...)
		switch {
		case err != nil:
			return gs, err
		case out:
			gs.out = append(gs.out, g)
		default:
			gs.in = append(gs.in, g)
		}
	}
	return gs, nil
}

// Takes reports whether an entry that is not left out is meant.
func (gs *List) Takes(name, path string) bool { return len(gs.in) == 0 || matchAny(gs.in, name, path) }

// Excludes reports whether there is a pattern for what is not meant.
func (gs *List) Excludes() bool { return len(gs.out) > 0 }

// LeavesOut reports whether an entry, and what is below it, is not meant.
func (gs *List) LeavesOut(path string) bool {
	return matchAny(gs.out, path[strings.LastIndexByte(path, '/')+1:], path)
}

func matchAny(list []*Glob, name, path string) bool {
	for _, g := range list {
		if g.Match(name, path) {
			return true
		}
	}
	return false
}

// alternatives is an upper bound of the plain patterns that the braces of a glob stand for. Matching tries one by one.
func alternatives(glob string) int {
	total := 1
	for i, c := range []byte(glob) {
		if c != '{' {
			continue
		}
		here, depth := 1, 0
	group:
		for _, c := range []byte(glob[i:]) {
			switch c {
			case '{':
				depth++
			case '}':
				if depth--; depth == 0 {
					break group
				}
			case ',':
				if depth == 1 {
					here++
				}
			}
		}
		if total *= here; total > maxAlternatives {
			return total
		}
	}
	return total
}

// String is the pattern.
func (g *Glob) String() string { return g.text }

// ByPath reports whether the pattern is matched against paths, and not names.
func (g *Glob) ByPath() bool { return g.byPath }
