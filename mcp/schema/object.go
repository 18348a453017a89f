package schema

import (
	"bytes"
	"fmt"
	"math/bits"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// members is the state of the check of one object.
type members struct {
	rules      *objectRules    // nil allows everything
	start      int             // offset of the object
	likelyNext int             // index of the property that probably follows
	count      int             // number of members in the result
	seen       propertySet     // properties found so far
	first      int             // index of the object's first name in walker.names
	nameSet    map[string]bool // undeclared names, if there are many
}

// propertySet is a set with one bit for each property. Sets of usual size need no allocation.
type propertySet struct {
	inline [2]uint64
	more   []uint64
}

// word returns the part of the set with the properties from 64*k.
func (s *propertySet) word(k int) *uint64 {
	if k < len(s.inline) {
		return &s.inline[k]
	}
	return &s.more[k-len(s.inline)]
}

// object checks an object; a nil n allows everything.
func (w *walker) object(n *node, start, depth int) int {
	if depth >= jsonx.MaxDepth {
		return w.failSyntax(start, tooDeep)
	}
	m := members{start: start, first: w.nameCount}
	if n != nil {
		m.rules = n.object
	}
	if m.rules != nil {
		if more := len(m.rules.required) - len(m.seen.inline); more > 0 {
			m.seen.more = make([]uint64, more)
		}
	}
	end := w.members(&m, depth)
	w.nameCount = m.first
	if end < 0 || n == nil {
		return end
	}
	if n.types&typeObject == 0 {
		w.mismatch(n, start, end)
	} else if n.enum != nil {
		w.checkEnum(n.enum, start, end, false)
	}
	return end
}

// members checks the members of an object and returns the offset after it.
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
			return w.fail(err)
		}
		if i = jsonx.Space(data, nameEnd); i >= len(data) || data[i] != ':' {
			return w.failSyntax(i, "expected ':' after a member name")
		}
		i = jsonx.Space(data, i+1)
		if flags&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) != 0 {
			w.unsafe = true
			w.addViolation(m.start, "has a name that is not valid Unicode")
		}
		end, drop := w.entry(m, name{begin, nameEnd, flags&jsonx.Escaped != 0}, i, depth+1)
		if end < 0 {
			return -1
		}
		i = jsonx.Space(data, end)
		if i >= len(data) || data[i] != ',' && data[i] != '}' {
			return w.failSyntax(i, "expected ',' or '}' in an object")
		}
		last := data[i] == '}'
		switch {
		case !drop:
			m.count++
		case m.count > 0:
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

// entry checks one member. drop means that the member counts as absent.
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
		w.refuseDuplicate(m, at)
	}
	*word |= bit
	before := len(w.edits)
	if p.token != nil && w.arguments && !bytes.Equal(w.data[at.start:at.end], p.token) {
		w.edits = append(w.edits, edit{start: at.start, end: at.end, text: p.token})
	}
	if w.arguments && i < len(w.data) && w.data[i] == 'n' && m.rules.optional(k) && !p.node.allows(typeNull) {
		if end = w.literal(nil, i, "null", typeNull); end >= 0 && p.value != nil {
			w.edits = append(w.edits, edit{start: i, end: end, text: p.value})
			return end, false
		}
		w.edits = w.edits[:before]
		return end, true
	}
	return w.value(p.node, i, depth), false
}

// allows reports whether the node allows values of a type.
func (n *node) allows(t typeSet) bool {
	if n == nil {
		return true
	}
	return n.types&t != 0
}

// find returns the index of the property with a name, or -1. It tries the next property in
// declaration order first.
func (m *members) find(data []byte, at name) int {
	if m.rules == nil || len(m.rules.properties) == 0 {
		return -1
	}
	if at.escaped {
		text, err := jsonx.Unquote(data[at.start:at.end])
		if err != nil {
			return -1
		}
		return m.rules.named([]byte(text))
	}
	text := data[at.start+1 : at.end-1]
	if m.likelyNext < len(m.rules.properties) && m.rules.properties[m.likelyNext].name == string(text) {
		m.likelyNext++
		return m.likelyNext - 1
	}
	k := m.rules.named(text)
	if k >= 0 {
		m.likelyNext = k + 1
	}
	return k
}

// undeclared checks a name that is not a property, and returns the schema of its value.
func (w *walker) undeclared(m *members, at name) *node {
	if w.repeated(m, at) {
		w.refuseDuplicate(m, at)
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

// unknown records a violation for an unknown name.
func (w *walker) unknown(m *members, raw []byte) {
	if w.silent {
		w.addViolation(m.start, "unknown")
		return
	}
	name, known := unquoted(raw), m.rules.propertyNames()
	hint := suggestion(name, known)
	if nearest.Name(name, known) == "" {
		if deeper := m.rules.deeper(name); deeper != "" {
			hint = fmt.Sprintf(" (did you mean %q?)", deeper)
		}
	}
	w.addViolationf(m.start, "unknown %s %s%s", w.kindOfName(m), phrase.Token(raw), hint)
}

// deeper returns the path of a property of a property that has or resembles a name, for example "edits[].oldText", or "".
func (o *objectRules) deeper(name string) string {
	for _, p := range o.properties {
		inside, path := p.node, p.name
		if inside != nil && inside.array != nil {
			inside, path = inside.array.items, path+"[]"
		}
		if p.unlisted || inside == nil || inside.object == nil {
			continue
		}
		if k := inside.object.named([]byte(name)); k >= 0 {
			return path + "." + inside.object.properties[k].name
		}
		if near := nearest.Name(name, inside.object.propertyNames()); near != "" {
			return path + "." + near
		}
	}
	return ""
}

// folded refuses a name that encoding/json would match with a property, because only the case
// differs.
func (w *walker) folded(m *members, raw []byte, escaped bool) {
	var room [64]byte
	text := raw[1 : len(raw)-1]
	if escaped {
		text = []byte(unquoted(raw))
	}
	if k, ok := m.rules.folded[string(foldName(room[:0], text))]; ok {
		w.addViolationf(m.start, "unknown %s %s (did you mean %q?)", w.kindOfName(m), phrase.Token(raw), m.rules.properties[k].name)
	}
}

// name checks a name against propertyNames and the key type.
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
		if err := tryDecode(r.key, trial); err != nil {
			w.addViolationf(m.start, "name %s %s", phrase.Token(raw), decodeMessage(err))
		}
	}
}

// kindOfName returns the word for a name in messages.
func (w *walker) kindOfName(m *members) string {
	if w.arguments && m.start == jsonx.Space(w.data, 0) {
		return "argument"
	}
	return "property"
}

// propertyNames returns the names of the listed properties.
func (r *objectRules) propertyNames() []string {
	names := make([]string, 0, len(r.properties))
	for k := range r.properties {
		if p := &r.properties[k]; !p.unlisted {
			names = append(names, p.name)
		}
	}
	return names
}

// refuseDuplicate records a violation for a duplicate name.
func (w *walker) refuseDuplicate(m *members, at name) {
	w.unsafe = true
	raw := w.data[at.start:at.end]
	if m.rules != nil {
		if k, ok := m.rules.aliases[unquoted(raw)]; ok {
			w.addViolationf(m.start, "%s %s is given twice: %s is another name of it", w.kindOfName(m), phrase.Token(jsonx.AppendQuoted(nil, m.rules.properties[k].name)), phrase.Token(raw))
			return
		}
	}
	w.addViolationf(m.start, "%s %s is given twice", w.kindOfName(m), phrase.Token(raw))
}

// repeated reports whether an undeclared name is a duplicate, and remembers it. It compares few
// names one by one, and uses a map for many.
func (w *walker) repeated(m *members, at name) bool {
	if m.nameSet == nil {
		for _, b := range w.names[m.first:w.nameCount] {
			if w.sameName(b, at) {
				return true
			}
		}
		if w.nameCount < len(w.names) {
			w.names[w.nameCount] = at
			w.nameCount++
			return false
		}
		m.nameSet = make(map[string]bool, 4*len(w.names))
		for _, b := range w.names[m.first:w.nameCount] {
			m.nameSet[unquoted(w.data[b.start:b.end])] = true
		}
	}
	text := unquoted(w.data[at.start:at.end])
	was := m.nameSet[text]
	m.nameSet[text] = true
	return was
}

// sameName reports whether two names are equal.
func (w *walker) sameName(a, b name) bool {
	ra, rb := w.data[a.start:a.end], w.data[b.start:b.end]
	if a.escaped || b.escaped {
		return unquoted(ra) == unquoted(rb)
	}
	return bytes.Equal(ra, rb)
}

// unquoted returns the text of a valid string token.
func unquoted(raw []byte) string {
	s, _ := jsonx.Unquote(raw)
	return s
}

// complete checks the object at its closing brace: required members, defaults and the number of
// members.
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
				continue // a default exists
			}
			w.addFinding(finding{at: m.start, name: r.properties[k].name, message: "required"})
		}
		if !w.arguments {
			continue
		}
		for absent := r.defaults[word] &^ seen; absent != 0; absent &= absent - 1 {
			k := word*64 + bits.TrailingZeros64(absent)
			w.edits = append(w.edits, edit{start: brace, end: brace, text: r.properties[k].insert, comma: m.count > 0})
			m.count++
		}
	}
	for _, text := range r.requiredOnly {
		if !w.hasName(m, text) {
			w.addFinding(finding{at: m.start, name: text, message: "required"})
		}
	}
	if m.count < r.minimum {
		w.addViolationf(m.start, "must have at least %s, got %d", phrase.Count(r.minimum, "property"), m.count)
	}
	if r.maximum >= 0 && m.count > r.maximum {
		w.addViolationf(m.start, "must have at most %s, got %d", phrase.Count(r.maximum, "property"), m.count)
	}
}

// hasName reports whether the object has an undeclared name.
func (w *walker) hasName(m *members, text string) bool {
	if m.nameSet != nil {
		return m.nameSet[text]
	}
	for _, b := range w.names[m.first:w.nameCount] {
		if unquoted(w.data[b.start:b.end]) == text {
			return true
		}
	}
	return false
}
