package index

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/glob"
)

// Matcher is a compiled Filter, for implementations of Index and for unindexed files. It is safe for concurrent use.
type Matcher struct {
	filter  Filter
	in, out []pathRule // from Filter.Paths and Filter.Exclude
}

// pathRule is a file, a directory or a glob pattern.
type pathRule struct {
	path string // without a slash at the end; empty for all paths
	glob *glob.Glob
}

// Matcher compiles the filter. The error names an invalid pattern.
func (f Filter) Matcher() (*Matcher, error) {
	m := &Matcher{filter: f}
	var err error
	if m.in, err = pathRules(f.Paths); err == nil {
		m.out, err = pathRules(f.Exclude)
	}
	return m, err
}

// File reports whether the file conditions of the filter accept a file.
func (m *Matcher) File(k Known) bool {
	f := &m.filter
	if !f.ModifiedAfter.IsZero() && !k.ModTime.After(f.ModifiedAfter) {
		return false
	}
	if len(f.Extensions)+len(f.Languages) > 0 && !slices.Contains(f.Languages, k.Language) {
		extension := strings.ToLower(strings.TrimPrefix(path.Ext(k.Path), "."))
		if extension == "" || !slices.Contains(f.Extensions, extension) {
			return false
		}
	}
	fits := func(r pathRule) bool { return r.fits(k.Path) }
	return (len(m.in) == 0 || slices.ContainsFunc(m.in, fits)) && !slices.ContainsFunc(m.out, fits)
}

// Piece reports whether the filter accepts a piece of an accepted file.
func (m *Matcher) Piece(p Piece) bool {
	return len(m.filter.Kinds) == 0 || slices.Contains(m.filter.Kinds, p.Kind)
}

// pathRules compiles patterns.
func pathRules(patterns []string) ([]pathRule, error) {
	var list []pathRule
	for _, p := range patterns {
		text, below := strings.CutSuffix(strings.TrimPrefix(p, "./"), "/")
		if below && strings.ContainsAny(text, "*?[{") {
			text += "/**"
		}
		rule := pathRule{path: text}
		if text == "." {
			rule.path = ""
		} else if text != "" {
			g, err := glob.Compile(text)
			if err != nil {
				return nil, fmt.Errorf("filtering by the path %q: %w", p, err)
			}
			if !g.Plain() {
				rule.glob = g
			}
		}
		list = append(list, rule)
	}
	return list, nil
}

// fits reports whether a path matches the pattern, or lies in the directory.
func (r *pathRule) fits(name string) bool {
	if r.glob != nil && r.glob.Match(path.Base(name), name) {
		return true
	}
	// Brackets can be part of a directory name as well.
	rest, ok := strings.CutPrefix(name, r.path)
	return ok && (rest == "" || rest[0] == '/' || r.path == "")
}
