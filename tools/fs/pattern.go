package fs

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

const (
	maxPattern      = 256 // bytes
	maxAlternatives = 64
	maxPatterns     = 64 // in a list
)

// globMeta begins whatever is special in a glob.
const globMeta = `*?[{\`

// glob is a pattern for the names of entries or, if it has a slash, for their paths below the start of a walk.
type glob struct {
	text   string
	byPath bool
	suffix string // of names, if the pattern is no more than a star in front of it
	below  string // what else it can mean: the pattern behind the path of the start, if it begins with that
}

// compileGlob makes a glob of a pattern. starts are the names of the start of the walk.
func compileGlob(pattern string, starts ...string) (*glob, error) {
	g := &glob{text: strings.TrimPrefix(pattern, "./")}
	switch {
	case len(pattern) > maxPattern:
		return nil, invalid("use a shorter pattern", "the pattern has %d bytes; at most %d are taken", len(pattern), maxPattern)
	case g.text == "" || !doublestar.ValidatePattern(g.text):
		return nil, invalid("write it with *, ?, [a-z], {a,b} and **, such as *.go or src/**/*.ts", "the pattern %s is malformed", quote(pattern))
	case alternatives(g.text) > maxAlternatives:
		return nil, invalid("use several simpler patterns", "the pattern %s has braces for more than %d alternatives", quote(pattern), maxAlternatives)
	}
	g.byPath = strings.Contains(g.text, "/")
	for _, start := range starts {
		if below, ok := strings.CutPrefix(g.text, strings.TrimSuffix(start, "/")+"/"); ok && start != "." {
			g.below = below
		}
	}
	g.text = strings.TrimPrefix(g.text, "/")
	if suffix, ok := strings.CutPrefix(g.text, "*"); ok && !g.byPath && !strings.ContainsAny(suffix, globMeta) {
		g.suffix = suffix
	}
	return g, nil
}

// match tells whether an entry is meant, by its name and its path below the start.
func (g *glob) match(name, path string) bool {
	switch {
	case g.suffix != "":
		return strings.HasSuffix(name, g.suffix)
	case !g.byPath:
		return doublestar.MatchUnvalidated(g.text, name)
	}
	return doublestar.MatchUnvalidated(g.text, path) || g.below != "" && doublestar.MatchUnvalidated(g.below, path)
}

// plain reports whether nothing in the pattern is special, so that it is a name or a path.
func (g *glob) plain() bool { return !strings.ContainsAny(g.text, globMeta) }

// hidden reports whether the pattern itself names something that begins with a dot.
func (g *glob) hidden() bool {
	return strings.HasPrefix(g.text, ".") || strings.Contains(g.text, "/.")
}

// hidden reports whether one of the patterns for what is wanted names something that begins with a dot.
func (gs *globs) hidden() bool { return slices.ContainsFunc(gs.in, (*glob).hidden) }

// globs choose entries by a list of patterns: those that any of them means, or all if there is none, but for those that a
// pattern with "!" in front means.
type globs struct{ in, out []*glob }

// compileGlobs makes globs of patterns. A slash at the end says that a directory is meant.
func compileGlobs(patterns []string, starts ...string) (globs, error) {
	var gs globs
	if len(patterns) > maxPatterns {
		return gs, invalid("use fewer patterns", "%d patterns were given; at most %d are taken", len(patterns), maxPatterns)
	}
	for _, pattern := range patterns {
		text, out := strings.CutPrefix(pattern, "!")
		if bare := strings.TrimSuffix(text, "/"); bare != text && out {
			text = bare
		} else if bare != text {
			text += "**"
		}
		g, err := compileGlob(text, starts...)
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

// takes reports whether an entry that is not left out is meant.
func (gs *globs) takes(name, path string) bool { return len(gs.in) == 0 || matchAny(gs.in, name, path) }

// leavesOut reports whether an entry, and what is below it, is not meant.
func (gs *globs) leavesOut(path string) bool {
	return matchAny(gs.out, path[strings.LastIndexByte(path, '/')+1:], path)
}

func matchAny(list []*glob, name, path string) bool {
	for _, g := range list {
		if g.match(name, path) {
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
