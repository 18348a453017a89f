package index

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/internal/glob"
)

// Matcher is a Filter that is ready for use, for what has no index that filters.
type Matcher struct {
	filter  Filter
	in, out []pathRule
}

// pathRule is a file, a directory or a pattern.
type pathRule struct {
	path string // without a slash at the end; empty for everything
	glob *glob.Glob
}

// Matcher prepares the filter, or says which of its patterns is none.
func (f Filter) Matcher() (*Matcher, error) {
	m := &Matcher{filter: f}
	var err error
	if m.in, err = pathRules(f.Paths); err == nil {
		m.out, err = pathRules(f.Exclude)
	}
	return m, err
}

// File says that the pieces of a file are not left out, as far as the file decides.
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

// Piece says that a piece of such a file is not left out.
func (m *Matcher) Piece(p Piece) bool {
	return len(m.filter.Kinds) == 0 || slices.Contains(m.filter.Kinds, p.Kind)
}

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

func (r *pathRule) fits(name string) bool {
	if r.glob != nil && r.glob.Match(path.Base(name), name) {
		return true
	}
	// What has brackets may be the name of a directory, too.
	rest, ok := strings.CutPrefix(name, r.path)
	return ok && (rest == "" || rest[0] == '/' || r.path == "")
}
