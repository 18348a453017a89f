package mcpheader

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// maxSafe is the largest integer that every JSON reader keeps exactly.
const maxSafe = 1<<53 - 1

// maxExponent is the limit of a parsed exponent. No integer of a header has an exponent near it.
const maxExponent = 1 << 20

// decimal is a number without its notation: two that are equal have equal
// fields.
type decimal struct {
	negative bool
	digits   string // without zeros at either end; empty for zero
	exponent int    // of ten, that digits are multiplied with
}

var errNumber = errors.New("not a number")

// readDecimal reads a JSON number.
func readDecimal(token []byte) (decimal, error) {
	var d decimal
	if end, _, err := jsonx.Number(token, 0); err != nil || end != len(token) {
		return d, errNumber
	}
	rest, negative := bytes.CutPrefix(token, []byte("-"))
	mantissa, exponent := rest, 0
	if i := bytes.IndexAny(rest, "eE"); i >= 0 {
		mantissa = rest[:i]
		n, err := strconv.Atoi(string(rest[i+1:]))
		if err != nil || n > maxExponent || n < -maxExponent {
			return d, fmt.Errorf("the exponent of %.40q is too large", token)
		}
		exponent = n
	}
	whole, fraction, _ := strings.Cut(string(mantissa), ".")
	digits := strings.TrimLeft(whole+fraction, "0")
	exponent -= len(fraction)
	d.digits = strings.TrimRight(digits, "0")
	if d.digits == "" {
		return decimal{}, nil // zero has no sign here
	}
	d.negative, d.exponent = negative, exponent+len(digits)-len(d.digits)
	return d, nil
}

// text returns the number for a header: an integer in decimal notation, or another number as in the arguments, which
// the schema refuses.
func (d decimal) text(token []byte) (string, error) {
	if d.exponent < 0 {
		return string(token), nil
	}
	if len(d.digits)+d.exponent > len("9007199254740991") {
		return "", fmt.Errorf("the integer %.40s is not within ±(2^53−1)", token)
	}
	text := d.digits + strings.Repeat("0", d.exponent)
	if text == "" {
		return "0", nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n > maxSafe {
		return "", fmt.Errorf("the integer %.40s is not within ±(2^53−1)", token)
	}
	if d.negative {
		text = "-" + text
	}
	return text, nil
}

// sameNumber reports whether a header's text is the number of the arguments, in
// whatever notation.
func sameNumber(text string, token []byte) bool {
	a, err := readDecimal([]byte(text))
	if err != nil {
		return false
	}
	b, err := readDecimal(token)
	return err == nil && a == b
}
