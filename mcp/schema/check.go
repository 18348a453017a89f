package schema

import (
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// walker checks one value in one pass. It allocates only to report or rewrite a value.
type walker struct {
	data []byte
	// arguments is set by Prepare. Absent members get their defaults, and values that encoding/json
	// would misread are rejected or rewritten.
	arguments      bool
	recordDeclared bool // edits also record the declared form, for combinations and the reference
	silent         bool // messages are not used
	maxFindings    int  // maximum number of findings; then the walk ends
	budget         *int // remaining budget of a walk that evaluates combinations; nil in other walks

	edits     []edit    // changes of data, in order
	findings  []finding // violations so far
	syntaxErr error     // syntax error of data; the only violation reported then
	unsafe    bool      // data contains a value that no other validator may see
	exhausted bool      // the budget is exhausted
	names     [8]name   // undeclared names of the open objects
	nameCount int       // number of used elements of names
}

// name is the range of a member name in the data, including quotes.
type name struct {
	start, end int // the name contains escapes
	escaped    bool
}

// edit replaces data[start:end] by text. If comma is set, a comma precedes text.
type edit struct {
	start, end int
	text       []byte
	comma      bool
	// declared, if not nil, is the form that the schema declares, where the Go type needs the
	// different form text.
	declared []byte
}

// check walks the whole value and reports whether it is accepted.
func (w *walker) check(n *node) bool {
	start := jsonx.Space(w.data, 0)
	end := w.value(n, start, 0)
	if end >= 0 {
		if end = jsonx.Space(w.data, end); end < len(w.data) {
			w.syntaxErr = &jsonx.SyntaxError{Offset: end, Msg: "more input after the value"}
		}
	}
	return w.syntaxErr == nil && len(w.findings) == 0
}

// addViolation records a violation of the value at an offset. After enough violations the walk ends, to
// limit the cost of an invalid value.
func (w *walker) addViolation(at int, message string) {
	w.addFinding(finding{at: at, message: message})
}

// addViolationf is refuse with a format. A silent walk does not format.
func (w *walker) addViolationf(at int, format string, args ...any) {
	if w.silent {
		w.addViolation(at, format)
		return
	}
	w.addViolation(at, fmt.Sprintf(format, args...))
}

// addFinding records a finding, unless there are enough or a combination has reported it already.
func (w *walker) addFinding(f finding) {
	// Several schemas may have the same against one value.
	if !w.isFull() && (w.budget == nil || !slices.Contains(w.findings, f)) {
		w.findings = append(w.findings, f)
	}
}

// fail ends the walk because of a syntax error.
func (w *walker) fail(err error) int {
	w.syntaxErr = err
	return -1
}

// failSyntax ends the walk with a syntax error at an offset.
func (w *walker) failSyntax(at int, message string) int {
	return w.fail(&jsonx.SyntaxError{Offset: at, Msg: message})
}

// isFull reports whether the maximum number of findings is reached.
func (w *walker) isFull() bool { return len(w.findings) >= w.maxFindings }

// value checks the value at data[i] and returns the offset after it. It returns a negative number
// if the walk has ended, by a syntax error or by too many findings.
func (w *walker) value(n *node, i, depth int) int {
	if n != nil && n.needsSpecial {
		return w.special(n, i, depth)
	}
	return w.plain(n, i, depth)
}

// plain checks a value by the keywords of its own type.
func (w *walker) plain(n *node, i, depth int) int {
	if i >= len(w.data) {
		return w.failSyntax(i, "unexpected end of input")
	}
	if w.isFull() {
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

// special checks a value that has alternatives or a combination, or that needs a trial decode.
func (w *walker) special(n *node, i, depth int) int {
	edits, findings := len(w.edits), len(w.findings)
	var end int
	if n.alternatives == nil {
		end = w.plain(n, i, depth)
	} else {
		if i >= len(w.data) {
			return w.failSyntax(i, "unexpected end of input")
		}
		branch := n.alternative(typeOf(w.data[i]))
		if branch == nil {
			branch = &node{types: n.types}
		}
		end = w.value(branch, i, depth)
	}
	if n.combination != nil && w.budget != nil && end >= 0 {
		w.checkCombination(n.combination, i, end, depth)
	}
	if n.decode == nil || end < 0 || len(w.findings) > findings || !w.arguments {
		return end
	}
	candidate := w.data[i:end]
	if len(w.edits) > edits {
		candidate = splice(candidate, w.edits[edits:], i)
	}
	if err := tryDecode(n.decode, candidate); err != nil {
		w.addViolationf(i, "%s, got %s", decodeMessage(err), phrase.Token(w.data[i:end]))
	}
	return end
}

// literal checks true, false or null.
func (w *walker) literal(n *node, i int, word string, t typeSet) int {
	end := i + len(word)
	if end > len(w.data) || string(w.data[i:end]) != word {
		return w.failSyntax(i, "expected a value")
	}
	if n == nil {
		return end
	}
	if n.types&t == 0 {
		w.mismatch(n, i, end)
	} else if n.enum != nil {
		w.checkEnum(n.enum, i, end, false)
	}
	return end
}

// checkEnum checks a value against enum and const.
func (w *walker) checkEnum(e *enumeration, start, end int, escaped bool) bool {
	raw := w.data[start:end]
	if e.allows(raw, escaped) {
		return true
	}
	w.addViolationf(start, "must be %s, got %s", e, phrase.Token(raw))
	return false
}

// mismatch records a value of the wrong type.
func (w *walker) mismatch(n *node, start, end int) {
	must := mustBe(n.types)
	if n.guard.kind == guardDuration {
		must = durationForm
	}
	w.addViolation(start, must+", got "+phrase.Token(w.data[start:end]))
}

// mustBe returns the message for a set of types.
func mustBe(types typeSet) string {
	return phrase.MustBe(func(name string) bool {
		t, _ := typeNamed(name)
		return types&t == t
	})
}

// array checks an array; a nil n allows everything.
func (w *walker) array(n *node, start, depth int) int {
	if depth >= jsonx.MaxDepth {
		return w.failSyntax(start, tooDeep)
	}
	var rules *arrayRules
	if n != nil {
		rules = n.array
	}
	i := jsonx.Space(w.data, start+1)
	count := 0
	var seen uniqueItems
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
					w.addViolationf(start, "items %d and %d are equal, they must differ", twin, count)
				}
			}
			i = jsonx.Space(w.data, end)
			if i < len(w.data) && w.data[i] == ',' {
				i++
				continue
			}
			if i >= len(w.data) || w.data[i] != ']' {
				return w.failSyntax(i, "expected ',' or ']' in an array")
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
		w.checkEnum(n.enum, start, i, false)
	}
	if rules != nil {
		w.length(start, count, rules)
	}
	return i
}

// length checks the number of items.
func (w *walker) length(start, count int, rules *arrayRules) {
	if count < rules.minItems {
		w.addViolationf(start, "must have at least %s, got %d", phrase.Count(rules.minItems, "item"), count)
	}
	if rules.maxItems >= 0 && count > rules.maxItems {
		w.addViolationf(start, "must have at most %s, got %d", phrase.Count(rules.maxItems, "item"), count)
	}
}

// tooDeep is the message for more than jsonx.MaxDepth levels.
const tooDeep = "nested too deeply"

// item returns the schema of the item with index k, or nil.
func (r *arrayRules) item(k int) *node {
	switch {
	case r == nil:
		return nil
	case k < len(r.prefix):
		return r.prefix[k]
	}
	return r.items
}

// uniqueItems finds equal items. It compares the first few scalars one by one, so that a short array
// needs no memory.
type uniqueItems struct {
	first      [8]name        // the first items, if they are scalars
	count      int            // number of items so far
	indexByKey map[string]int // index of the first item, by scalarKey; nil while first is used
}

// add returns the index of an earlier equal item, or -1.
func (d *uniqueItems) add(data []byte, start, end int) int {
	k := d.count
	d.count++
	if k < len(d.first) && d.indexByKey == nil && typeOf(data[start])&(typeArray|typeObject) == 0 {
		d.first[k] = name{start: start, end: end}
		for j, e := range d.first[:k] {
			if equalScalars(data[e.start:e.end], data[start:end]) {
				return j
			}
		}
		return -1
	}
	if d.indexByKey == nil {
		d.indexByKey = make(map[string]int, 4*len(d.first))
		for j, e := range d.first[:min(k, len(d.first))] {
			d.indexByKey[scalarKey(data[e.start:e.end])] = j
		}
	}
	key := scalarKey(data[start:end])
	if j, ok := d.indexByKey[key]; ok {
		return j
	}
	d.indexByKey[key] = k
	return -1
}

// equalScalars reports whether two scalar tokens have the same value.
func equalScalars(a, b []byte) bool {
	if slices.Equal(a, b) {
		return true
	}
	if a[0] == '"' && b[0] == '"' && slices.Index(a, '\\') < 0 && slices.Index(b, '\\') < 0 {
		return false
	}
	return typeOf(a[0]) == typeOf(b[0]) && scalarKey(a) == scalarKey(b)
}

// scalarKey returns a text that is the same for equal values only.
func scalarKey(raw []byte) string {
	if l, ok := newLiteral(raw); ok {
		return l.key()
	}
	return string(raw)
}
