package schema

import (
	"encoding/json"
	"math"
	"strconv"
	"time"
	"unsafe"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema/internal/phrase"
)

// stringView returns a string that shares the memory of b. Use it only while b is unchanged.
func stringView(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// guardText checks that a string can be decoded into the Go type.
func (w *walker) guardText(g *guard, start, end int, escaped bool) bool {
	raw := w.data[start:end]
	switch g.kind {
	case guardTime:
		var t time.Time
		if t.UnmarshalJSON(raw) != nil {
			return w.refuseGuarded(start, end, `must be a date-time such as "2006-01-02T15:04:05Z"`)
		}
	case guardDuration:
		d, err := time.ParseDuration(unquoted(raw))
		if err != nil {
			return w.refuseGuarded(start, end, durationForm)
		}
		w.edits = append(w.edits, edit{start: start, end: end, text: strconv.AppendInt(nil, int64(d), 10), declared: raw})
	case guardBase64:
		if !base64Token(raw, escaped) {
			return w.refuseGuarded(start, end, "must be base64")
		}
	default:
		return w.guardQuoted(g, start, end, escaped)
	}
	return true
}

// refuseGuarded records a violation and returns false.
func (w *walker) refuseGuarded(start, end int, must string) bool {
	w.addViolation(start, must+", got "+phrase.Token(w.data[start:end]))
	return false
}

// base64Token reports whether encoding/json can decode a string into []byte.
func base64Token(raw []byte, escaped bool) bool {
	if escaped {
		var b []byte
		return json.Unmarshal(raw, &b) == nil
	}
	inner := raw[1 : len(raw)-1]
	if len(inner)%4 != 0 {
		return false
	}
	for range 2 {
		if n := len(inner); n > 0 && inner[n-1] == '=' {
			inner = inner[:n-1]
		}
	}
	for _, c := range inner {
		if !('A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '+' || c == '/') {
			return false
		}
	}
	return true
}

// guardQuoted checks a string that contains the JSON of a scalar, by the option ",string".
func (w *walker) guardQuoted(g *guard, start, end int, escaped bool) bool {
	raw := w.data[start:end]
	inner := raw[1 : len(raw)-1]
	if escaped {
		inner = []byte(unquoted(raw))
	}
	switch g.kind {
	case guardQuotedInteger:
		if n, integer, err := jsonx.Number(inner, 0); err != nil || n != len(inner) || !integer || !g.fitsToken(inner) {
			return w.refuseGuarded(start, end, "must be a string that holds an integer that fits "+g.name)
		}
	case guardQuotedFloat:
		n, _, err := jsonx.Number(inner, 0)
		if err == nil && n == len(inner) && n <= maxDigits {
			_, err = strconv.ParseFloat(string(inner), int(g.maximum))
		}
		if err != nil || n != len(inner) || n > maxDigits {
			return w.refuseGuarded(start, end, "must be a string that holds a number")
		}
	case guardQuotedBool:
		if s := string(inner); s != "true" && s != "false" {
			return w.refuseGuarded(start, end, `must be "true" or "false"`)
		}
	case guardQuotedString:
		if n, flags, err := jsonx.String(inner, 0); err != nil || n != len(inner) || flags&jsonx.LoneSurrogate != 0 {
			return w.refuseGuarded(start, end, "must be a string that holds a JSON string")
		}
	}
	return true
}

// fitsToken reports whether the Go type can hold an integer token. Unsigned types refuse a minus
// sign, also in -0.
func (g *guard) fitsToken(token []byte) bool {
	exact, ok := parseDecimal(token)
	if !ok || token[0] == '-' && g.minimum == 0 {
		return false
	}
	m, ok := exact.magnitude()
	return ok && g.fits(exact.neg, m)
}

// durationForm is the message for an invalid duration.
const durationForm = `must be a duration such as "1m30s"`

// durationGuard returns the guard of time.Duration. It accepts text, for example "1m30s", and the
// integer that encoding/json writes.
func durationGuard() guard {
	return guard{kind: guardDuration, minimum: math.MinInt64, maximum: math.MaxInt64, name: "time.Duration"}
}

// durationEdit keeps an integer for a time.Duration, and supplies the text form for the reference
// validator.
func durationEdit(start, end int, neg bool, m uint64) edit {
	digits := appendInteger(nil, neg, m)
	n, _ := strconv.ParseInt(string(digits), 10, 64)
	return edit{start: start, end: end, text: digits, declared: jsonx.AppendQuoted(nil, time.Duration(n).String())}
}
