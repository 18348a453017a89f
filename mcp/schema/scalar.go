package schema

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/format"
	"github.com/dougu-go/dougu/mcp/schema/internal/pattern"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// text checks a string; a nil n allows everything.
func (w *walker) text(n *node, start int) int {
	end, flags, err := jsonx.String(w.data, start)
	if err != nil {
		return w.fail(err)
	}
	if flags&(jsonx.LoneSurrogate|jsonx.InvalidUTF8) != 0 {
		w.unsafe = true
		w.addViolation(start, "is not valid Unicode text")
		return end
	}
	if n == nil {
		return end
	}
	escaped := flags&jsonx.Escaped != 0
	switch {
	case n.types&typeString == 0:
		w.mismatch(n, start, end)
		return end
	case n.enum != nil && !w.checkEnum(n.enum, start, end, escaped):
		return end
	}
	if n.guard.kind != noGuard && w.arguments && !w.guardText(&n.guard, start, end, escaped) {
		return end
	}
	if n.text != nil {
		w.textRules(n.text, start, end, escaped)
	}
	return end
}

// textRules checks length, pattern and format.
func (w *walker) textRules(r *textRules, start, end int, escaped bool) {
	inner := w.data[start+1 : end-1]
	if r.minLength > 0 || r.maxLength >= 0 {
		w.textLength(r, start, inner, escaped)
	}
	if r.pattern == nil && r.valid == nil {
		return
	}
	if escaped {
		inner = []byte(unquoted(w.data[start:end]))
	}
	switch {
	case r.pattern == nil:
	case !w.affordable(r.cost, len(inner)):
		w.addViolationf(start, "is too long to be matched against the pattern %s", r.pattern)
	case !r.pattern.Match(inner):
		w.addViolationf(start, "must match the pattern %s, got %s", r.pattern, phrase.Token(w.data[start:end]))
	}
	if r.valid != nil && !r.valid(stringView(inner)) {
		w.addViolationf(start, "must be %s, got %s", format.Meaning(r.format), phrase.Token(w.data[start:end]))
	}
}

// affordable reports whether a text may be matched against a pattern.
func (w *walker) affordable(cost, length int) bool {
	if !pattern.Affordable(cost, length) {
		w.exhausted = true
	}
	return w.spend(cost*length/matchSteps) && !w.exhausted
}

// textLength checks the number of code points.
func (w *walker) textLength(r *textRules, start int, inner []byte, escaped bool) {
	// Between a quarter and all of the bytes are code points.
	if !escaped && r.minLength <= len(inner)/utf8.UTFMax && (r.maxLength < 0 || len(inner) <= r.maxLength) {
		return
	}
	length := utf8.RuneCount(inner)
	if escaped {
		length = codePoints(inner)
	}
	if length < r.minLength {
		w.addViolationf(start, "must have at least %s, got %d", phrase.Count(r.minLength, "character"), length)
	}
	if r.maxLength >= 0 && length > r.maxLength {
		w.addViolationf(start, "must have at most %s, got %d", phrase.Count(r.maxLength, "character"), length)
	}
}

// codePoints returns the number of code points in a string token with escapes.
func codePoints(inner []byte) int {
	count := utf8.RuneCount(inner)
	for i := bytes.IndexByte(inner, '\\'); i < len(inner); {
		if inner[i] != '\\' {
			i++
			continue
		}
		if inner[i+1] != 'u' {
			count, i = count-1, i+2
			continue
		}
		count, i = count-5, i+6
		if hi := inner[i-4 : i-2]; (hi[0] == 'd' || hi[0] == 'D') && strings.IndexByte("89abAB", hi[1]) >= 0 {
			count, i = count-6, i+6 // the second half of a surrogate pair
		}
	}
	return count
}

// number checks a number; a nil n allows everything.
func (w *walker) number(n *node, start int) int {
	end, integer, err := jsonx.Number(w.data, start)
	if err != nil {
		return w.fail(err)
	}
	token := w.data[start:end]
	small := integer && len(token) <= smallDigits
	if !small {
		return w.longNumber(n, start, end)
	}
	if n == nil {
		return end
	}
	if n.types&typeInteger == 0 {
		w.mismatch(n, start, end)
		return end
	}
	v := smallInt(token)
	if n.enum != nil {
		w.checkEnum(n.enum, start, end, false)
	}
	if n.number != nil {
		for k := range n.number.limits {
			l := &n.number.limits[k]
			if l.isSmall {
				w.checkLimit(l, compareInts(v, l.small), start, end)
			} else {
				exact, _ := parseDecimal(token)
				w.checkLimit(l, exact.compare(&l.exact), start, end)
			}
		}
		w.checkMultiple(n.number, start, end, true)
	}
	if w.arguments {
		w.guardIntegerValue(n, start, end, v < 0, magnitude(v), v == 0 && token[0] == '-')
	}
	return end
}

// compareInts returns -1, 0 or 1.
func compareInts(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// magnitude returns the absolute value.
func magnitude(v int64) uint64 {
	if v < 0 {
		return uint64(-v)
	}
	return uint64(v)
}

// longNumber checks a number with many digits, a fraction or an exponent.
func (w *walker) longNumber(n *node, start, end int) int {
	token := w.data[start:end]
	exact, ok := parseDecimal(token)
	if !ok {
		w.unsafe = true
		w.addViolationf(start, "the number %s is out of bounds", phrase.Token(token))
		return end
	}
	if n == nil {
		if w.arguments {
			w.guardFloat(&exact, 64, start, end)
		}
		return end
	}
	if n.types&(typeInteger|typeNumber) == 0 || n.types&typeNumber == 0 && !exact.integral() {
		w.mismatch(n, start, end)
		return end
	}
	if n.enum != nil {
		w.checkEnum(n.enum, start, end, false)
	}
	if n.number != nil {
		for k := range n.number.limits {
			l := &n.number.limits[k]
			w.checkLimit(l, exact.compare(&l.exact), start, end)
		}
		w.checkMultiple(n.number, start, end, false)
	}
	if !w.arguments {
		return end
	}
	if n.types&typeNumber == 0 {
		m, fits := exact.magnitude()
		if !fits {
			if n.guard.isInteger() {
				w.addViolationf(start, "does not fit %s, got %s", n.guard.name, phrase.Token(token))
			}
			return end
		}
		plain := digitRun(token[1:]) == len(token)-1 && m > 0
		w.guardIntegerValue(n, start, end, exact.neg, m, !plain)
	} else {
		switch n.guard.kind {
		case guardFloat32:
			w.guardFloat(&exact, 32, start, end)
		case guardFloat64:
			w.guardFloat(&exact, 64, start, end)
		}
	}
	return end
}

// checkLimit records a violation if a limit does not hold.
func (w *walker) checkLimit(l *limit, cmp, start, end int) {
	if !l.holds(cmp) {
		w.addViolationf(start, "must be %s, got %s", l, phrase.Token(w.data[start:end]))
	}
}

// checkMultiple checks multipleOf.
func (w *walker) checkMultiple(r *numberRules, start, end int, small bool) {
	if r.multiple == nil {
		return
	}
	w.spend(divisionCost)
	if !r.divides(w.data[start:end], small) {
		w.addViolationf(start, "must be a multiple of %s, got %s", r.multiple.RatString(), phrase.Token(w.data[start:end]))
	}
}

// guardIntegerValue refuses a whole number outside the range of the Go type. It rewrites 3.0 and 3e0 to
// plain digits, because encoding/json refuses them for integers.
func (w *walker) guardIntegerValue(n *node, start, end int, neg bool, m uint64, rewrite bool) {
	if n.guard.isInteger() && !n.guard.fits(neg, m) {
		w.addViolationf(start, "does not fit %s, got %s", n.guard.name, phrase.Token(w.data[start:end]))
		return
	}
	switch {
	case n.guard.kind == guardDuration && w.recordDeclared:
		w.edits = append(w.edits, durationEdit(start, end, neg, m))
	case rewrite && n.types&typeNumber == 0:
		w.edits = append(w.edits, edit{start: start, end: end, text: appendInteger(nil, neg, m)})
	}
}

// guardFloat refuses a number that overflows a float of this size.
func (w *walker) guardFloat(exact *decimal, bits, start, end int) {
	safe := 308 // numbers with this many digits always fit
	if bits == 32 {
		safe = 38
	}
	if exact.scale <= safe {
		return
	}
	if _, err := strconv.ParseFloat(stringView(w.data[start:end]), bits); err != nil {
		w.addViolationf(start, "does not fit float%d, got %s", bits, phrase.Token(w.data[start:end]))
	}
}

// decodeMessage returns a short message for a decoding error.
func decodeMessage(err error) string {
	var mismatch *json.UnmarshalTypeError
	if errors.As(err, &mismatch) {
		return "does not fit " + mismatch.Type.Kind().String()
	}
	s := strings.TrimPrefix(err.Error(), "json: ")
	const most = 120
	if len(s) > most {
		s = strings.ToValidUTF8(s[:most], "") + "…"
	}
	if err == errUnreadable {
		return s
	}
	return "cannot be read: " + strings.ReplaceAll(s, "\n", " ")
}
