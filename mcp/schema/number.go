package schema

import (
	"math/big"
	"strconv"
)

// maxDigits and maxExponent limit number tokens. Exact comparison of a token like 1e999999 would
// otherwise need megabytes.
const (
	maxDigits   = 400
	maxExponent = 308
)

// decimal is the exact value of a JSON number: 0.d₁d₂…dₙ × 10^scale. d₁…dₙ are the digits first to
// last of the whole and fractional part; d₁ and dₙ are not zero.
type decimal struct {
	neg           bool
	integer, frac []byte // parts of the token
	first, last   int    // significant digits are [first, last)
	scale         int
}

// parseDecimal parses a valid number token. It returns false if the token exceeds the limits.
func parseDecimal(token []byte) (decimal, bool) {
	var d decimal
	if token[0] == '-' {
		d.neg, token = true, token[1:]
	}
	i := digitRun(token)
	d.integer, token = token[:i], token[i:]
	if len(token) > 0 && token[0] == '.' {
		i = digitRun(token[1:])
		d.frac, token = token[1:1+i], token[1+i:]
	}
	exponent, ok := parseExponent(token)
	n := len(d.integer) + len(d.frac)
	if !ok || n > maxDigits {
		return d, false
	}
	for d.first < n && d.at(d.first) == '0' {
		d.first++
	}
	if d.first == n {
		return decimal{}, true
	}
	for d.last = n; d.at(d.last-1) == '0'; {
		d.last--
	}
	d.scale = len(d.integer) + exponent - d.first
	return d, true
}

// digitRun returns the number of leading digits.
func digitRun(b []byte) int {
	i := 0
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// parseExponent parses the rest of a token after its digits: nothing or an exponent.
func parseExponent(b []byte) (exponent int, ok bool) {
	if len(b) == 0 {
		return 0, true
	}
	neg := false
	if b = b[1:]; b[0] == '+' || b[0] == '-' {
		neg, b = b[0] == '-', b[1:]
	}
	for _, c := range b {
		if exponent = exponent*10 + int(c-'0'); exponent > maxExponent {
			return 0, false
		}
	}
	if neg {
		exponent = -exponent
	}
	return exponent, true
}

// at returns digit k of the whole and fractional part.
func (d *decimal) at(k int) byte {
	if k < len(d.integer) {
		return d.integer[k]
	}
	return d.frac[k-len(d.integer)]
}

// zero reports whether the value is 0.
func (d *decimal) zero() bool { return d.first == d.last }

// integral reports whether the value is a whole number.
func (d *decimal) integral() bool { return d.last-d.first <= d.scale || d.zero() }

// magnitude returns the absolute value of a whole number; false if it does not fit.
func (d *decimal) magnitude() (m uint64, ok bool) {
	if d.zero() {
		return 0, true
	}
	if !d.integral() || d.scale > 20 {
		return 0, false
	}
	const cutoff = (1<<64 - 1) / 10
	for k := range d.scale {
		digit := uint64(0)
		if d.first+k < d.last {
			digit = uint64(d.at(d.first+k) - '0')
		}
		if m > cutoff || m*10 > 1<<64-1-digit {
			return 0, false
		}
		m = m*10 + digit
	}
	return m, true
}

// compare compares two values exactly; the result is negative if d is smaller.
func (d *decimal) compare(e *decimal) int {
	switch {
	case d.sign() != e.sign():
		return d.sign() - e.sign()
	case d.zero():
		return 0
	case d.scale != e.scale:
		return d.sign() * (d.scale - e.scale)
	}
	n, m := d.last-d.first, e.last-e.first
	for k := range min(n, m) {
		if a, b := d.at(d.first+k), e.at(e.first+k); a != b {
			return d.sign() * (int(a) - int(b))
		}
	}
	return d.sign() * (n - m)
}

// sign returns -1, 0 or 1.
func (d *decimal) sign() int {
	switch {
	case d.zero():
		return 0
	case d.neg:
		return -1
	}
	return 1
}

// smallInt returns the value of an integer token of at most smallDigits digits, the common case.
func smallInt(token []byte) int64 {
	neg := token[0] == '-'
	if neg {
		token = token[1:]
	}
	var n int64
	for _, c := range token {
		n = n*10 + int64(c-'0')
	}
	if neg {
		return -n
	}
	return n
}

// smallDigits is the maximum number of bytes of a token for smallInt.
const smallDigits = 18

// limit is one of the keywords minimum, maximum, exclusiveMinimum and exclusiveMaximum.
type limit struct {
	below     bool // a lower limit
	exclusive bool // the limit itself is refused
	exact     decimal
	small     int64 // value of exact, if isSmall
	isSmall   bool
	text      string // token, for messages
}

// newLimit returns the limit for a token.
func newLimit(token []byte, below, exclusive bool) limit {
	exact, _ := parseDecimal(token)
	l := limit{below: below, exclusive: exclusive, exact: exact, text: string(token)}
	if m, ok := exact.magnitude(); ok && m < 1e18 {
		l.small, l.isSmall = int64(m), true
		if exact.neg {
			l.small = -l.small
		}
	}
	return l
}

// holds reports whether a value is permitted. cmp is the result of comparing it to the limit.
func (l *limit) holds(cmp int) bool {
	if !l.below {
		cmp = -cmp
	}
	return cmp > 0 || cmp == 0 && !l.exclusive
}

// String returns the limit for messages.
func (l *limit) String() string {
	switch {
	case l.below && l.exclusive:
		return "more than " + l.text
	case l.below:
		return "at least " + l.text
	case l.exclusive:
		return "less than " + l.text
	}
	return "at most " + l.text
}

// numberRules holds the keywords of numbers.
type numberRules struct {
	limits   []limit
	multiple *big.Rat // multipleOf; nil if none
	step     int64    // multiple, if it is a small whole number
}

// setMultiple sets multipleOf. It returns false unless the value is positive.
func (r *numberRules) setMultiple(token []byte) bool {
	d, ok := parseDecimal(token)
	if !ok || d.sign() <= 0 {
		return false
	}
	r.multiple, ok = new(big.Rat).SetString(string(token))
	if m, small := d.magnitude(); small && m < 1e18 {
		r.step = int64(m)
	}
	return ok
}

// divides reports whether a token is a multiple. small means that smallInt can parse the token.
func (r *numberRules) divides(token []byte, small bool) bool {
	if small && r.step > 0 {
		return smallInt(token)%r.step == 0
	}
	v, ok := new(big.Rat).SetString(string(token))
	return ok && v.Quo(v, r.multiple).IsInt()
}

// appendInteger appends the digits of a whole number.
func appendInteger(dst []byte, neg bool, m uint64) []byte {
	if neg && m > 0 {
		dst = append(dst, '-')
	}
	return strconv.AppendUint(dst, m, 10)
}
