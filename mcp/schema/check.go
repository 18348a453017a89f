package schema

import (
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// walker checks one value in one pass. It lives on the stack of whoever checks
// and allocates only when something has to be changed or refused.
type walker struct {
	data []byte
	// arguments is set for Prepare: what is absent gets its default, and what
	// encoding/json would misread is refused or rewritten.
	arguments bool
	declares  bool // what the schema declares is needed where the Go type wants something else
	silent    bool // nobody will read what is wrong
	most      int  // findings, after which the walk is over
	fuel      *int // not nil: combinations are judged, and this is what is left

	edits     []edit
	findings  []finding
	broken    error   // what keeps data from being JSON; nothing else is said then
	hostile   bool    // something was met that must not be looked at again
	undecided bool    // judging has cost too much
	names     [8]name // of undeclared members, on the way down
	named     int
}

// name is where a member's name stands, quotes included.
type name struct {
	start, end int
	escaped    bool
}

// edit replaces data[start:end]. With comma set, a comma goes before text.
type edit struct {
	start, end int
	text       []byte
	comma      bool
	// declared, if not nil, is judged instead of text, where the Go type is not
	// in the form that the schema declares.
	declared []byte
}

// check walks the whole value. It reports whether it was accepted.
func (w *walker) check(n *node) bool {
	start := jsonx.Space(w.data, 0)
	end := w.value(n, start, 0)
	if end >= 0 {
		if end = jsonx.Space(w.data, end); end < len(w.data) {
			w.broken = &jsonx.SyntaxError{Offset: end, Msg: "more input after the value"}
		}
	}
	return w.broken == nil && len(w.findings) == 0
}

// refuse notes a violation of the value that starts at the given offset. The
// walk goes on until there are enough: a hopeless value must not cost much.
func (w *walker) refuse(at int, message string) { w.note(finding{at: at, message: message}) }

// refusef is refuse with a format.
func (w *walker) refusef(at int, format string, args ...any) {
	if w.silent {
		w.refuse(at, format)
		return
	}
	w.refuse(at, fmt.Sprintf(format, args...))
}

func (w *walker) note(f finding) {
	// Several schemas may have the same against one value.
	if !w.enough() && (w.fuel == nil || !slices.Contains(w.findings, f)) {
		w.findings = append(w.findings, f)
	}
}

// stop ends the walk because data is not JSON.
func (w *walker) stop(err error) int {
	w.broken = err
	return -1
}

func (w *walker) syntax(at int, message string) int {
	return w.stop(&jsonx.SyntaxError{Offset: at, Msg: message})
}

// enough reports whether the walk has found all that will be reported.
func (w *walker) enough() bool { return len(w.findings) >= w.most }

// value checks the value that starts at data[i] and returns the offset after
// it, or a negative number when the walk is over, because data is not JSON or
// because enough is wrong with it.
func (w *walker) value(n *node, i, depth int) int {
	if n != nil && n.special {
		return w.special(n, i, depth)
	}
	return w.plain(n, i, depth)
}

func (w *walker) plain(n *node, i, depth int) int {
	if i >= len(w.data) {
		return w.syntax(i, "unexpected end of input")
	}
	if w.enough() {
		return -1
	}
	switch w.data[i] {
	case '"':
		return w.text(n, i)
	case '{':
		return w.object(n, i, depth)
	case '[':
		return w.array(n, i, depth)
	case 't':
		return w.literal(n, i, "true", typeBoolean)
	case 'f':
		return w.literal(n, i, "false", typeBoolean)
	case 'n':
		return w.literal(n, i, "null", typeNull)
	}
	return w.number(n, i)
}

// special checks a value that has alternatives or a combination, or whose Go type
// decides.
func (w *walker) special(n *node, i, depth int) int {
	edits, findings := len(w.edits), len(w.findings)
	var end int
	if n.alternatives == nil {
		end = w.plain(n, i, depth)
	} else {
		if i >= len(w.data) {
			return w.syntax(i, "unexpected end of input")
		}
		branch := n.alternative(typeOf(w.data[i]))
		if branch == nil {
			branch = &node{types: n.types}
		}
		end = w.value(branch, i, depth)
	}
	if n.more != nil && w.fuel != nil && end >= 0 {
		w.combine(n.more, i, end, depth)
	}
	if n.decode == nil || end < 0 || len(w.findings) > findings || !w.arguments {
		return end
	}
	candidate := w.data[i:end]
	if len(w.edits) > edits {
		candidate = splice(candidate, w.edits[edits:], i)
	}
	if err := decodes(n.decode, candidate); err != nil {
		w.refusef(i, "%s, got %s", decodeMessage(err), phrase.Token(w.data[i:end]))
	}
	return end
}

func (w *walker) literal(n *node, i int, word string, t typeSet) int {
	end := i + len(word)
	if end > len(w.data) || string(w.data[i:end]) != word {
		return w.syntax(i, "expected a value")
	}
	if n == nil {
		return end
	}
	if n.types&t == 0 {
		w.mismatch(n, i, end)
	} else if n.enum != nil {
		w.listed(n.enum, i, end, false)
	}
	return end
}

// listed checks a value against enum and const.
func (w *walker) listed(e *enumeration, start, end int, escaped bool) bool {
	raw := w.data[start:end]
	if e.allows(raw, escaped) {
		return true
	}
	w.refusef(start, "must be %s, got %s", e, phrase.Token(raw))
	return false
}

// mismatch notes a value of the wrong type.
func (w *walker) mismatch(n *node, start, end int) {
	must := mustBe(n.types)
	if n.guard.kind == guardDuration {
		must = durationForm
	}
	w.refuse(start, must+", got "+phrase.Token(w.data[start:end]))
}

func mustBe(types typeSet) string {
	return phrase.MustBe(func(name string) bool {
		t, _ := typeNamed(name)
		return types&t == t
	})
}

// array checks an array; n may allow anything.
func (w *walker) array(n *node, start, depth int) int {
	if depth >= jsonx.MaxDepth {
		return w.syntax(start, tooDeep)
	}
	var rules *arrayRules
	if n != nil {
		rules = n.array
	}
	i := jsonx.Space(w.data, start+1)
	count := 0
	var seen distinct
	if i < len(w.data) && w.data[i] == ']' {
		i++
	} else {
		for ; ; count++ {
			i = jsonx.Space(w.data, i)
			end := w.value(rules.item(count), i, depth+1)
			if end < 0 {
				return -1
			}
			if rules != nil && rules.unique {
				if twin := seen.add(w.data, i, end); twin >= 0 {
					w.refusef(start, "items %d and %d are equal, they must differ", twin, count)
				}
			}
			i = jsonx.Space(w.data, end)
			if i < len(w.data) && w.data[i] == ',' {
				i++
				continue
			}
			if i >= len(w.data) || w.data[i] != ']' {
				return w.syntax(i, "expected ',' or ']' in an array")
			}
			i++
			count++
			break
		}
	}
	if n == nil {
		return i
	}
	if n.types&typeArray == 0 {
		w.mismatch(n, start, i)
	} else if n.enum != nil {
		w.listed(n.enum, start, i, false)
	}
	if rules != nil {
		w.length(start, count, rules)
	}
	return i
}

func (w *walker) length(start, count int, rules *arrayRules) {
	if count < rules.minItems {
		w.refusef(start, "must have at least %s, got %d", phrase.Count(rules.minItems, "item"), count)
	}
	if rules.maxItems >= 0 && count > rules.maxItems {
		w.refusef(start, "must have at most %s, got %d", phrase.Count(rules.maxItems, "item"), count)
	}
}

const tooDeep = "nested too deeply"

// item is the schema of an array's item number k.
func (r *arrayRules) item(k int) *node {
	switch {
	case r == nil:
		return nil
	case k < len(r.prefix):
		return r.prefix[k]
	}
	return r.items
}

// distinct tells values apart. The first few scalars are compared one by one, so
// that a short array costs no memory.
type distinct struct {
	few   [8]name
	count int
	many  map[string]int
}

// add returns the index of an earlier equal item, or -1.
func (d *distinct) add(data []byte, start, end int) int {
	k := d.count
	d.count++
	if k < len(d.few) && d.many == nil && typeOf(data[start])&(typeArray|typeObject) == 0 {
		d.few[k] = name{start: start, end: end}
		for j, e := range d.few[:k] {
			if equalScalars(data[e.start:e.end], data[start:end]) {
				return j
			}
		}
		return -1
	}
	if d.many == nil {
		d.many = make(map[string]int, 4*len(d.few))
		for j, e := range d.few[:min(k, len(d.few))] {
			d.many[scalarKey(data[e.start:e.end])] = j
		}
	}
	key := scalarKey(data[start:end])
	if j, ok := d.many[key]; ok {
		return j
	}
	d.many[key] = k
	return -1
}

func equalScalars(a, b []byte) bool {
	if slices.Equal(a, b) {
		return true
	}
	if a[0] == '"' && b[0] == '"' && slices.Index(a, '\\') < 0 && slices.Index(b, '\\') < 0 {
		return false
	}
	return typeOf(a[0]) == typeOf(b[0]) && scalarKey(a) == scalarKey(b)
}

// scalarKey is a text that equal scalars, and only they, have in common.
func scalarKey(raw []byte) string {
	if l, ok := newLiteral(raw); ok {
		return l.key()
	}
	return string(raw)
}
