package schema

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// members is the state of one object being checked.
type members struct {
	rules *objectRules    // nil: anything goes
	start int             // of the object
	next  int             // index of the property that is likely to follow
	kept  int             // members that stay
	seen  propertySet     // met so far
	first int             // of the object's names in walker.names
	many  map[string]bool // its names instead, when there are many
}

// propertySet has one bit for each property. Sets of usual size need no memory
// of their own.
type propertySet struct {
	few  [2]uint64
	more []uint64
}

// word is the part of the set that holds the properties from 64*k on.
func (s *propertySet) word(k int) *uint64 {
	if k < len(s.few) {
		return &s.few[k]
	}
	return &s.more[k-len(s.few)]
}

// object checks an object; n may allow anything.
func (w *walker) object(n *node, start, depth int) int {
	if depth >= jsonx.MaxDepth {
		return w.syntax(start, tooDeep)
	}
	m := members{start: start, first: w.named}
	if n != nil {
		m.rules = n.object
	}
	if m.rules != nil {
		if more := len(m.rules.required) - len(m.seen.few); more > 0 {
			m.seen.more = make([]uint64, more)
		}
	}
	end := w.members(&m, depth)
	w.named = m.first
	if end < 0 || n == nil {
		return end
	}
	if n.types&typeObject == 0 {
		w.mismatch(n, start, end)
	} else if n.enum != nil {
		w.listed(n.enum, start, end, false)
	}
	return end
}

func (w *walker) members(m *members, depth int) int {
	data := w.data
	i := jsonx.Space(data, m.start+1)
	if i < len(data) && data[i] == '}' {
		w.complete(m, i)
		return i + 1
	}
	for comma := -1; ; {
		begin := i
		nameEnd, flags, err := jsonx.String(data, begin)
		if err != nil {
			return w.stop(err)
		}
		if i = jsonx.Space(data, nameEnd); i >= len(data) || data[i] != ':' {
			return w.syntax(i, "expected ':' after a member name")
		}
		i = jsonx.Space(data, i+1)
		if flags&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) != 0 {
			w.hostile = true
			w.refuse(m.start, "has a name that is not valid Unicode")
		}
		end, drop := w.entry(m, name{begin, nameEnd, flags&jsonx.Escaped != 0}, i, depth+1)
		if end < 0 {
			return -1
		}
		i = jsonx.Space(data, end)
		if i >= len(data) || data[i] != ',' && data[i] != '}' {
			return w.syntax(i, "expected ',' or '}' in an object")
		}
		last := data[i] == '}'
		switch {
		case !drop:
			m.kept++
		case m.kept > 0:
			w.edits = append(w.edits, edit{start: comma, end: end})
		case last:
			w.edits = append(w.edits, edit{start: begin, end: end})
		default:
			w.edits = append(w.edits, edit{start: begin, end: i + 1})
		}
		if last {
			w.complete(m, i)
			return i + 1
		}
		comma = i
		i = jsonx.Space(data, i+1)
	}
}

// entry checks one member. drop reports that it is to be treated as absent.
func (w *walker) entry(m *members, at name, i, depth int) (end int, drop bool) {
	k := m.find(w.data, at)
	if k < 0 {
		return w.value(w.undeclared(m, at), i, depth), false
	}
	if m.rules.names != nil {
		w.name(m, w.data[at.start:at.end], at)
	}
	p := &m.rules.properties[k]
	word, bit := m.seen.word(k/64), uint64(1)<<(k%64)
	if *word&bit != 0 {
		w.twice(m, at)
	}
	*word |= bit
	if w.arguments && i < len(w.data) && w.data[i] == 'n' && m.rules.optional(k) && !p.node.allows(typeNull) {
		if end = w.literal(nil, i, "null", typeNull); end >= 0 && p.value != nil {
			w.edits = append(w.edits, edit{start: i, end: end, text: p.value})
			return end, false
		}
		return end, true
	}
	return w.value(p.node, i, depth), false
}

func (n *node) allows(t typeSet) bool {
	if n == nil {
		return true
	}
	return n.types&t != 0
}

// find returns the index of the property that a name declares, or -1. Members
// mostly come in the order of declaration, so that is tried first.
func (m *members) find(data []byte, at name) int {
	if m.rules == nil || len(m.rules.properties) == 0 {
		return -1
	}
	if at.escaped {
		text, err := jsonx.Unquote(data[at.start:at.end])
		if err != nil {
			return -1
		}
		return m.rules.at([]byte(text))
	}
	text := data[at.start+1 : at.end-1]
	if m.next < len(m.rules.properties) && m.rules.properties[m.next].name == string(text) {
		m.next++
		return m.next - 1
	}
	k := m.rules.at(text)
	if k >= 0 {
		m.next = k + 1
	}
	return k
}

// undeclared deals with a name that is no property, and returns the schema of
// its value.
func (w *walker) undeclared(m *members, at name) *node {
	if w.repeated(m, at) {
		w.twice(m, at)
	}
	r := m.rules
	if r == nil {
		return nil
	}
	raw := w.data[at.start:at.end]
	if r.closed {
		w.unknown(m, raw)
		return nil
	}
	if w.arguments && r.folded != nil {
		w.folded(m, raw, at.escaped)
	}
	w.name(m, raw, at)
	return r.additional
}

func (w *walker) unknown(m *members, raw []byte) {
	if w.silent {
		w.refuse(m.start, "unknown")
		return
	}
	w.refusef(m.start, "unknown %s %s%s", w.kindOfName(m), phrase.Token(raw), suggestion(unquoted(raw), m.rules.known()))
}

// folded refuses a name that encoding/json would take for a declared one.
func (w *walker) folded(m *members, raw []byte, escaped bool) {
	var room [64]byte
	text := raw[1 : len(raw)-1]
	if escaped {
		text = []byte(unquoted(raw))
	}
	if k, ok := m.rules.folded[string(foldName(room[:0], text))]; ok {
		w.refusef(m.start, "unknown %s %s (did you mean %q?)", w.kindOfName(m), phrase.Token(raw), m.rules.properties[k].name)
	}
}

// name checks a name itself.
func (w *walker) name(m *members, raw []byte, at name) {
	r, before := m.rules, len(w.findings)
	if r.names != nil {
		w.value(r.names, at.start, 0)
		for k := before; k < len(w.findings); k++ {
			w.findings[k].at = m.start
			w.findings[k].message = fmt.Sprintf("name %s %s", phrase.Token(raw), w.findings[k].message)
		}
	}
	if r.key != nil && w.arguments && len(w.findings) == before {
		trial := append(append([]byte{'{'}, raw...), ":null}"...)
		if err := decodes(r.key, trial); err != nil {
			w.refusef(m.start, "name %s %s", phrase.Token(raw), decodeMessage(err))
		}
	}
}

func (w *walker) kindOfName(m *members) string {
	if w.arguments && m.start == jsonx.Space(w.data, 0) {
		return "argument"
	}
	return "property"
}

func (r *objectRules) known() []string {
	names := make([]string, len(r.properties))
	for k := range r.properties {
		names[k] = r.properties[k].name
	}
	return names
}

func (w *walker) twice(m *members, at name) {
	w.hostile = true
	w.refusef(m.start, "%s %s is given twice", w.kindOfName(m), phrase.Token(w.data[at.start:at.end]))
}

// repeated reports whether an undeclared name has been met in this object, and
// remembers it. A few names are compared one by one, many through a map.
func (w *walker) repeated(m *members, at name) bool {
	if m.many == nil {
		for _, b := range w.names[m.first:w.named] {
			if w.sameName(b, at) {
				return true
			}
		}
		if w.named < len(w.names) {
			w.names[w.named] = at
			w.named++
			return false
		}
		m.many = make(map[string]bool, 4*len(w.names))
		for _, b := range w.names[m.first:w.named] {
			m.many[unquoted(w.data[b.start:b.end])] = true
		}
	}
	text := unquoted(w.data[at.start:at.end])
	was := m.many[text]
	m.many[text] = true
	return was
}

func (w *walker) sameName(a, b name) bool {
	ra, rb := w.data[a.start:a.end], w.data[b.start:b.end]
	if a.escaped || b.escaped {
		return unquoted(ra) == unquoted(rb)
	}
	return bytes.Equal(ra, rb)
}

// unquoted is the text of a string token that has been scanned.
func unquoted(raw []byte) string {
	s, _ := jsonx.Unquote(raw)
	return s
}

// complete checks, at the closing brace, what only the whole object shows.
func (w *walker) complete(m *members, brace int) {
	r := m.rules
	if r == nil {
		return
	}
	for word := range r.required {
		seen := *m.seen.word(word)
		for missing := r.required[word] &^ seen; missing != 0; missing &= missing - 1 {
			k := word*64 + bits.TrailingZeros64(missing)
			if w.arguments && r.optional(k) {
				continue // it has a default
			}
			w.note(finding{at: m.start, name: r.properties[k].name, message: "required"})
		}
		if !w.arguments {
			continue
		}
		for absent := r.defaults[word] &^ seen; absent != 0; absent &= absent - 1 {
			k := word*64 + bits.TrailingZeros64(absent)
			w.edits = append(w.edits, edit{start: brace, end: brace, text: r.properties[k].insert, comma: m.kept > 0})
			m.kept++
		}
	}
	for _, text := range r.requiredOnly {
		if !w.met(m, text) {
			w.note(finding{at: m.start, name: text, message: "required"})
		}
	}
	if m.kept < r.minimum {
		w.refusef(m.start, "must have at least %s, got %d", phrase.Count(r.minimum, "property"), m.kept)
	}
	if r.maximum >= 0 && m.kept > r.maximum {
		w.refusef(m.start, "must have at most %s, got %d", phrase.Count(r.maximum, "property"), m.kept)
	}
}

// met reports whether an undeclared name has been met in this object.
func (w *walker) met(m *members, text string) bool {
	if m.many != nil {
		return m.many[text]
	}
	for _, b := range w.names[m.first:w.named] {
		if unquoted(w.data[b.start:b.end]) == text {
			return true
		}
	}
	return false
}
