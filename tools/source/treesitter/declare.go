package treesitter

import (
	"cmp"
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// span is a range of the text, in bytes.
type span struct{ start, end int32 }

// none is the value of a missing span.
var none = span{-1, -1}

func (s span) is() bool { return s.start >= 0 }

// declaration is the result of one match of a pattern in a query.
type declaration struct {
	span
	node       uint32 // of the declaration
	pattern    uint32
	captures   uint32 // the number of captures of the match
	kind       source.Kind
	name       span
	body       span
	container  span
	outer      span
	attributes []span
	parameters []span
}

// matches are the matches in one file, sorted by offset.
type matches struct {
	declarations []declaration
	attributes   []span // attributes with a pattern of their own, before a declaration
	comments     []span
	imports      []span
	calls        []span
	scopes       []scope
	required     []required
	wraps        map[span]span // maps a node to the node of the declaration that contains it
}

// scope is a node that is no chunk but decides the kind of the declarations in it.
type scope struct {
	span
	role role
}

// required is an import that counts only if the text of word is "require".
type required struct{ word, path span }

// readMatches decodes the integers that the module wrote for a text of size bytes. Offsets outside
// the text are an error, because a text may have corrupted the memory of the grammar.
func readMatches(m *matches, flat []uint32, roles []role, size int) error {
	for len(flat) > 0 {
		if len(flat) < 2 || len(flat)-2 < 4*int(flat[1]) {
			return errTrap
		}
		pattern, captures := flat[0], flat[2:2+4*int(flat[1])]
		for at := captures; len(at) > 0; at = at[4:] {
			if int(at[0]) >= len(roles) || !inText(at[2], at[3], size) {
				return errTrap
			}
		}
		if !m.match(pattern, captures, roles) {
			return errTrap
		}
		flat = flat[2+len(captures):]
	}
	return nil
}

// inText reports whether a span lies in a text of size bytes.
func inText(start, end uint32, size int) bool { return start <= end && int64(end) <= int64(size) }

// match takes over a match; false says that no tree can have it.
func (m *matches) match(pattern uint32, flat []uint32, roles []role) bool {
	d := declaration{pattern: pattern, captures: uint32(len(flat)), name: none, body: none, container: none, outer: none}
	inner, word, path := none, none, none
	for ; len(flat) > 0; flat = flat[4:] {
		at := span{int32(flat[2]), int32(flat[3])}
		switch r := roles[flat[0]]; r {
		case roleName:
			d.name = at
		case roleBody:
			d.body = at
		case roleContainer:
			d.container = at
		case roleOuter:
			d.outer = at
		case roleInner:
			inner = at
		case roleAttribute:
			d.attributes = append(d.attributes, at)
		case roleParameters:
			d.parameters = append(d.parameters, at)
		case roleImport:
			path = at
		case roleCall:
			m.calls = append(m.calls, at)
		case roleComment:
			m.comments = append(m.comments, at)
		case roleLocal, roleAnonymous:
			m.scopes = append(m.scopes, scope{at, r})
		case roleRequire:
			word = at
		default:
			d.span, d.node, d.kind = at, flat[1], source.Kind(r)
		}
	}
	switch {
	case d.kind != source.Invalid && d.name.is():
		m.declarations = append(m.declarations, d)
	case d.kind != source.Invalid:
	case path.is() && word.is():
		m.required = append(m.required, required{word, path})
	case path.is():
		m.imports = append(m.imports, path)
	case inner.is() && inner == d.outer:
	case inner.is() && d.outer.is():
		if inner.start < d.outer.start || inner.end > d.outer.end {
			return false
		}
		if m.wraps == nil {
			m.wraps = map[span]span{}
		}
		m.wraps[inner] = d.outer
	default:
		m.attributes = append(m.attributes, d.attributes...)
	}
	return true
}

// settle leaves one declaration for each name that is declared: of several
// patterns that match a node the last in the query counts, of several matches of
// a pattern the one that captured most.
func (m *matches) settle() {
	all := m.declarations
	byNode := func(x, y declaration) int {
		return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end), cmp.Compare(x.node, y.node),
			-cmp.Compare(x.pattern, y.pattern), cmp.Compare(x.name.start, y.name.start), -cmp.Compare(x.captures, y.captures))
	}
	slices.SortStableFunc(all, byNode)
	kept := all[:0]
	for i := range all {
		d := &all[i]
		if n := len(kept); n > 0 {
			last := &kept[n-1]
			same := last.node == d.node && last.span == d.span
			if same && (last.pattern != d.pattern || last.name == d.name) {
				if last.pattern == d.pattern {
					last.merge(d)
				}
				continue
			}
		}
		kept = append(kept, *d)
	}
	for i := range kept { // a body behind the node of its declaration belongs to it
		if d := &kept[i]; d.body.start >= d.end {
			d.end = d.body.end
		}
	}
	m.declarations = kept
	for _, spans := range []*[]span{&m.attributes, &m.comments, &m.imports, &m.calls} {
		sortSpans(spans)
	}
	slices.SortStableFunc(m.scopes, func(x, y scope) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(y.end, x.end)) })
}

// merge appends the captures of another match of the same pattern and node. Captures that both have
// occur twice afterwards.
func (d *declaration) merge(o *declaration) {
	d.attributes = append(d.attributes, o.attributes...)
	d.parameters = append(d.parameters, o.parameters...)
	if !d.body.is() {
		d.body = o.body
	}
}

// sortSpans sorts spans by offset and removes duplicates.
func sortSpans(spans *[]span) {
	byPlace := func(x, y span) int { return cmp.Or(cmp.Compare(x.start, y.start), cmp.Compare(x.end, y.end)) }
	if !slices.IsSortedFunc(*spans, byPlace) {
		slices.SortFunc(*spans, byPlace)
	}
	*spans = slices.Compact(*spans)
}

// widen gives declarations the range of their outer nodes. Of several that share
// one, as the names of one statement do, the first begins with it and the last
// ends with it.
func (m *matches) widen(ctx context.Context) {
	sharing := map[span]int{}
	for _, outer := range m.wraps {
		sharing[outer]++
	}
	for i := range m.declarations {
		if d := &m.declarations[i]; d.outer.is() {
			sharing[d.outer]++
		}
	}
	first, last := map[span]bool{}, map[span]int{}
	for i := range m.declarations { // in order of place
		if ended(ctx, i) {
			return
		}
		d := &m.declarations[i]
		outer, ok := d.outer, true
		if !outer.is() {
			outer, ok = m.wraps[d.span]
		}
		for alone := true; ok; outer, ok = m.wraps[outer] { // each is wider than the one before
			if sharing[outer] > 1 {
				alone = false
				last[outer] = i
				if first[outer] {
					break
				}
				first[outer] = true
			}
			d.start = min(d.start, outer.start)
			if alone {
				d.end = max(d.end, outer.end)
			}
		}
	}
	for outer, i := range last {
		if d := &m.declarations[i]; d.end < outer.end {
			d.end = outer.end
		}
	}
}
