// Package pattern matches paths with the rules of a project directory. A [List] decides on a path
// with its patterns in order. An [Index] decides on many entries of a directory without trying all
// patterns. Paths are compared in the form of [Fold] and also in the form of [PlainSpelling].
package pattern

import (
	"path"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// List is a list of globs. The last matching pattern decides, like the lines of a .gitignore file:
//
//   - A pattern without a slash matches the name of any file or directory on the path: "*.pem".
//   - A pattern with a slash matches a path or the end of one: ".aws/credentials" also matches backup/.aws/credentials.
//     One that begins with a slash matches from the root only. "**" stands for any number of names.
//   - A pattern that begins with "!" takes matching entries out again.
//   - Entries below a matching directory match too; "!" cannot exclude them.
//
// Case and Unicode composition are ignored. An entry also matches if its plain spelling does; see PlainSpelling.
type List []pattern

// pattern is one compiled glob of a List.
type pattern struct {
	source  string // as written
	negated bool   // begins with "!"
	kind    patternKind
	text    string // folded: the literal, or the fixed part
	parts   []part // components of a pattern with a slash
	rooted  bool   // begins with a slash
	deep    bool   // has "**" or a brace
}

// part is one component of a pattern with a slash.
type part struct {
	text string // folded
	glob bool   // text is a glob and not a name
}

type patternKind uint8

const (
	wholeName  patternKind = iota // id_rsa
	namePrefix                    // id_rsa*
	nameSuffix                    // *.pem
	nameGlob                      // *.key.?
	pathGlob                      // .aws/credentials, .ssh/**
)

const globMeta = `*?[{\`

// Compile compiles patterns, and returns the malformed ones.
func Compile(sources []string) (list List, malformed []string) {
	for _, source := range sources {
		p, ok := compile(source)
		if !ok {
			malformed = append(malformed, source)
			continue
		}
		list = append(list, p)
	}
	return list, malformed
}

func compile(source string) (pattern, bool) {
	p := pattern{source: source}
	text, negated := strings.CutPrefix(source, "!")
	p.negated = negated
	text, p.rooted = strings.CutPrefix(Fold(text), "/")
	text = strings.TrimSuffix(text, "/")
	if text == "" || !doublestar.ValidatePattern(text) {
		return p, false
	}
	if p.rooted || strings.Contains(text, "/") {
		p.kind, p.text = pathGlob, text
		for component := range strings.SplitSeq(text, "/") {
			p.parts = append(p.parts, part{component, strings.ContainsAny(component, globMeta)})
		}
		// A brace may hold a slash, and then the pattern has no fixed components.
		p.deep = strings.Contains(text, "**") || strings.Contains(text, "{")
		return p, true
	}
	p.kind, p.text = nameKind(text)
	return p, true
}

// nameKind finds the cheapest way to match a pattern without slashes.
func nameKind(text string) (patternKind, string) {
	switch rest := strings.TrimSuffix(text, "*"); {
	case !strings.ContainsAny(text, globMeta):
		return wholeName, text
	case rest != text && !strings.ContainsAny(rest, globMeta):
		return namePrefix, rest
	case text[0] == '*' && !strings.ContainsAny(text[1:], globMeta):
		return nameSuffix, text[1:]
	}
	return nameGlob, text
}

// Match reports whether a final path, or a directory on it, matches.
func (ps List) Match(final string) bool {
	if final == "." || len(ps) == 0 {
		return false
	}
	folded := Fold(final)
	if ps.matchSpelling(folded) {
		return true
	}
	plain := PlainSpelling(folded)
	return plain != folded && ps.matchSpelling(plain)
}

// matchSpelling is Match for one spelling of a folded path.
func (ps List) matchSpelling(folded string) bool {
	dir, start := "", 0
	for {
		end := strings.IndexByte(folded[start:], '/')
		if end < 0 {
			return ps.decide(dir, folded[start:])
		}
		end += start
		if ps.decide(dir, folded[start:end]) {
			return true
		}
		dir, start = folded[:end], end+1
	}
}

// MatchEntry decides on one entry by itself, without the directories before it. Both texts are folded; dir is the final path
// of its directory, "" for the root.
func (ps List) MatchEntry(dir, name string) bool {
	if ps.decide(dir, name) {
		return true
	}
	plainDir, plain := PlainSpelling(dir), PlainSpelling(name)
	return (plainDir != dir || plain != name) && ps.decide(plainDir, plain)
}

// decide is MatchEntry for one spelling.
func (ps List) decide(dir, name string) bool {
	verdict := false
	for i := range ps {
		// Only a pattern that would change the verdict need be tried.
		if p := &ps[i]; p.negated == verdict && p.match(dir, name) {
			verdict = !p.negated
		}
	}
	return verdict
}

func (p *pattern) match(dir, name string) bool {
	switch p.kind {
	case wholeName:
		return name == p.text
	case namePrefix:
		return strings.HasPrefix(name, p.text)
	case nameSuffix:
		return strings.HasSuffix(name, p.text)
	case nameGlob:
		return doublestar.MatchUnvalidated(p.text, name)
	}
	return p.matchPath(dir, name)
}

func (p *pattern) matchPath(dir, name string) bool {
	switch {
	case p.rooted:
		return doublestar.MatchUnvalidated(p.text, path.Join(dir, name))
	case p.deep:
		first := p.parts[0]
		if !first.glob && name != first.text && !strings.Contains(dir, first.text) {
			return false
		}
		return doublestar.MatchUnvalidated("**/"+p.text, path.Join(dir, name))
	}
	// From the end: most paths differ in the last component already.
	for i := len(p.parts) - 1; ; i-- {
		if !p.parts[i].match(name) {
			return false
		}
		if i == 0 {
			return true
		}
		if dir == "" {
			return false
		}
		cut := strings.LastIndexByte(dir, '/')
		name, dir = dir[cut+1:], dir[:max(cut, 0)]
	}
}

func (p part) match(name string) bool {
	if !p.glob {
		return p.text == name
	}
	return doublestar.MatchUnvalidated(p.text, name)
}

// Escape makes a pattern that matches one path.
func Escape(final string) string {
	var b strings.Builder
	for _, r := range final {
		if strings.ContainsRune(globMeta+"]}!,", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Bases returns the fixed directories that contain all matches of the patterns with a slash, such as ".git/hooks" for
// ".git/hooks/*". A map entry has the first name of a directory as its key and the rest of its path as a value.
func (ps List) Bases() map[string][]string {
	bases := map[string][]string{}
	for i := range ps {
		parts := ps[i].parts
		if len(parts) < 2 || parts[0].glob {
			continue
		}
		rest := "."
		for _, p := range parts[1 : len(parts)-1] {
			if p.glob {
				break
			}
			rest = path.Join(rest, p.text)
		}
		bases[parts[0].text] = append(bases[parts[0].text], rest)
	}
	return bases
}
