package treesitter

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// role is the meaning of a capture in a query: a kind of chunk, or one of the roles below.
type role uint8

const (
	roleName role = 64 + iota
	roleBody
	roleContainer
	roleOuter
	roleInner
	roleAttribute
	roleParameters
	roleImport
	roleCall
	roleComment
	roleLocal
	roleAnonymous
	roleRequire
)

var roles = map[string]role{
	"name": roleName, "body": roleBody, "container": roleContainer, "outer": roleOuter, "inner": roleInner, "attribute": roleAttribute,
	"parameters": roleParameters, "import": roleImport, "call": roleCall, "comment": roleComment, "local": roleLocal,
	"anonymous": roleAnonymous, "require": roleRequire,
}

// The two queries that are made of a language's: calls are looked for only if
// they were asked for.
const (
	declarations = iota
	calls
	queries
)

// query is the text of a query and the roles of its captures in the order of
// their numbers.
type query struct {
	text  string
	roles []role
}

// splitQuery makes the two queries of a text.
func splitQuery(text string) (split [queries]query, err error) {
	var texts [queries]strings.Builder
	for _, pattern := range patterns(text) {
		which := declarations
		if slices.Contains(captures(pattern), "call") {
			which = calls
		}
		texts[which].WriteString(pattern)
		texts[which].WriteByte('\n')
	}
	for which := range split {
		q := &split[which]
		q.text = texts[which].String()
		var names []string
		for _, name := range captures(q.text) {
			if slices.Contains(names, name) {
				continue
			}
			names = append(names, name)
			role, err := roleOf(name)
			if err != nil {
				return split, err
			}
			q.roles = append(q.roles, role)
		}
	}
	return split, nil
}

func roleOf(capture string) (role, error) {
	if kind, ok := source.KindNamed(capture); ok {
		return role(kind), nil
	}
	if r, ok := roles[capture]; ok {
		return r, nil
	}
	return 0, fmt.Errorf("@%s is neither a kind of chunk nor a part of one", capture)
}

// patterns splits a query into its patterns, each with the text up to the next pattern.
func patterns(text string) []string {
	var cut []string
	depth, start := 0, -1
	tokens(text, func(token string, at int) {
		switch token[0] {
		case ')', ']':
			depth--
			return
		case '(', '[', '"':
			if depth == 0 {
				if start >= 0 {
					cut = append(cut, strings.TrimSpace(text[start:at]))
				}
				start = at
			}
			if token[0] != '"' {
				depth++
			}
		}
	})
	if start >= 0 {
		cut = append(cut, strings.TrimSpace(text[start:]))
	}
	return cut
}

// captures lists the names of the captures of a query, as often as they are there.
func captures(text string) []string {
	var names []string
	tokens(text, func(token string, _ int) {
		if token[0] == '@' {
			names = append(names, token[1:])
		}
	})
	return names
}

// tokens calls f with the brackets, strings and captures of a query.
func tokens(text string, f func(token string, at int)) {
	for at := 0; at < len(text); {
		end := at + 1
		switch c := text[at]; {
		case c == ';':
			for end < len(text) && text[end] != '\n' {
				end++
			}
		case c == '"':
			for end < len(text) && text[end] != '"' {
				if text[end] == '\\' {
					end++
				}
				end++
			}
			end = min(end+1, len(text))
			f(text[at:end], at)
		case strings.IndexByte("()[]", c) >= 0:
			f(text[at:end], at)
		case c == '@':
			for end < len(text) && isWord(text[end]) {
				end++
			}
			f(text[at:end], at)
		}
		at = end
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}
