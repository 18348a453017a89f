// Package glob matches names and paths of files with the patterns that models write: *.go, src/**/*.ts, a path, or a part of a
// name. [Compile] makes a [Glob] of one pattern, [CompileList] a [List] of several, with exclusions. Patterns are limited, so that
// matching is fast.
package glob

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of patterns.
const (
	maxPattern      = 256 // bytes
	maxAlternatives = 64
	maxPatterns     = 64 // in a list
)

// meta are the special characters of patterns.
const meta = `*?[{\`

// Error is an invalid pattern. Next is the advice for the model.
type Error struct{ Message, Next string }

func (e *Error) Error() string { return e.Message }

func invalid(next, format string, args ...any) error {
	return &Error{fmt.Sprintf(format, args...), next}
}

// Glob is a compiled pattern. Without a slash it matches the names of entries, with a slash their paths relative to the start of a
// walk.
type Glob struct {
	text     string
	byPath   bool
	suffix   string // suffix of names, if the pattern is "*" and a suffix
	relative string // the pattern without the path of the start, if it begins with it; an alternative
}

// Compile compiles a pattern. starts are the names of the walk's start, which a pattern may begin with.
func Compile(pattern string, starts ...string) (*Glob, error) {
	g := &Glob{text: strings.TrimPrefix(pattern, "./")}
	switch {
	case len(pattern) > maxPattern:
		return nil, invalid("use a shorter pattern", "the pattern has %d bytes; at most %d are allowed", len(pattern), maxPattern)
	case g.text == "" || !doublestar.ValidatePattern(g.text):
		return nil, invalid("write it with *, ?, [a-z], {a,b} and **, for example *.go or src/**/*.ts", "the pattern %s is malformed", strconv.Quote(pattern))
	case alternatives(g.text) > maxAlternatives:
		return nil, invalid("use several simpler patterns", "the pattern %s has braces for more than %d alternatives", strconv.Quote(pattern), maxAlternatives)
	}
	g.byPath = strings.Contains(g.text, "/")
	for _, start := range starts {
		if below, ok := strings.CutPrefix(g.text, strings.TrimSuffix(start, "/")+"/"); ok && start != "." {
			g.relative = below
		}
	}
	g.text = strings.TrimPrefix(g.text, "/")
	if suffix, ok := strings.CutPrefix(g.text, "*"); ok && !g.byPath && !strings.ContainsAny(suffix, meta) {
		g.suffix = suffix
	}
	return g, nil
}

// Match reports whether an entry matches, by its name and its path relative to the start.
func (g *Glob) Match(name, path string) bool {
	switch {
	case g.suffix != "":
		return strings.HasSuffix(name, g.suffix)
	case !g.byPath:
		return doublestar.MatchUnvalidated(g.text, name)
	}
	return doublestar.MatchUnvalidated(g.text, path) || g.relative != "" && doublestar.MatchUnvalidated(g.relative, path)
}

// Plain reports whether the pattern has no special characters, and is therefore a name or a path.
func (g *Glob) Plain() bool { return !strings.ContainsAny(g.text, meta) }

// Hidden reports whether the pattern names a hidden entry, which begins with a dot.
func (g *Glob) Hidden() bool {
	return strings.HasPrefix(g.text, ".") || strings.Contains(g.text, "/.")
}

// Hidden reports whether an including pattern names a hidden entry.
func (gs *List) Hidden() bool { return slices.ContainsFunc(gs.in, (*Glob).Hidden) }

// List selects entries by several patterns. An entry is selected if an including pattern matches, or if there is none, unless a
// pattern with the prefix "!" matches.
type List struct{ in, out []*Glob }

// CompileList compiles patterns. A slash at the end stands for a directory and its contents.
func CompileList(patterns []string, starts ...string) (List, error) {
	var gs List
	if len(patterns) > maxPatterns {
		return gs, invalid("use fewer patterns", "%d patterns were given; at most %d are allowed", len(patterns), maxPatterns)
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

// Takes reports whether an entry matches the including patterns.
func (gs *List) Takes(name, path string) bool { return len(gs.in) == 0 || matchAny(gs.in, name, path) }

// Excludes reports whether there is an excluding pattern.
func (gs *List) Excludes() bool { return len(gs.out) > 0 }

// LeavesOut reports whether an entry, with everything below it, is excluded.
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

// alternatives returns an upper bound of the patterns to which the braces expand. Matching tries each.
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

// String returns the pattern.
func (g *Glob) String() string { return g.text }

// ByPath reports whether the pattern matches paths instead of names.
func (g *Glob) ByPath() bool { return g.byPath }
