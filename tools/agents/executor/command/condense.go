package command

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// condenser copies JSON and shortens its strings, so that the output stays within a budget
// and is valid JSON. The zero value has no budget.
type condenser struct {
	budget int // limit of out, in bytes
	out    []byte
	full   bool // the output exceeds the budget even with short strings

	inside bool   // the input is inside a string
	start  int    // offset of the string's content in out
	room   int    // limit of the string, in bytes
	cut    bool   // the rest of the string is left out
	escape []byte // incomplete escape sequence
	high   int    // offset in out of an unpaired high surrogate at its end; 0 if there is none
}

const (
	longestString = 64 << 10
	ellipsis      = "…"
)

// write adds a part of the input.
func (c *condenser) write(p []byte) {
	for len(p) > 0 && !c.full {
		switch {
		case !c.inside:
			p = c.structure(p)
		case len(c.escape) > 0:
			p = c.escaped(p)
		default:
			p = c.characters(p)
		}
	}
}

// structure copies the input up to the beginning of a string.
func (c *condenser) structure(p []byte) []byte {
	n := bytes.IndexByte(p, '"') + 1
	c.inside = n > 0
	if !c.inside {
		n = len(p)
	}
	if len(c.out)+n > c.budget {
		c.full = true
		return nil
	}
	c.out = append(c.out, p[:n]...)
	c.start, c.cut, c.high = len(c.out), false, 0
	// A quarter of the remaining budget leaves room for all later strings.
	c.room = min(longestString, (c.budget-c.start)/4)
	return p[n:]
}

// characters copies the input up to the end of the string or an escape sequence.
func (c *condenser) characters(p []byte) []byte {
	n := 0
	for n < len(p) && p[n] != '"' && p[n] != '\\' {
		n++
	}
	c.take(p[:n])
	if n == len(p) {
		return nil
	}
	if p[n] == '\\' {
		c.escape = append(c.escape[:0], '\\')
		return p[n+1:]
	}
	c.inside = false
	if len(c.out) >= c.budget {
		c.full = true
		return nil
	}
	c.out = append(c.out, '"')
	return p[n+1:]
}

// escaped completes an escape sequence.
func (c *condenser) escaped(p []byte) []byte {
	c.escape = append(c.escape, p[0])
	if c.escape[1] == 'u' && len(c.escape) < len(`\u0000`) {
		return p[1:]
	}
	sequence := c.escape
	c.escape = c.escape[:0]
	at := len(c.out)
	c.take(sequence)
	if !c.cut && len(sequence) > 2 && sequence[2]|0x20 == 'd' && strings.IndexByte("89abAB", sequence[3]) >= 0 {
		c.high = at
	}
	return p[1:]
}

// take adds a part of the string, or cuts the string at its limit.
func (c *condenser) take(p []byte) {
	if c.cut || len(p) == 0 {
		return
	}
	used := len(c.out) - c.start
	if used+len(p) <= c.room {
		c.out, c.high = append(c.out, p...), 0
		return
	}
	c.cut = true
	switch {
	case p[0] != '\\':
		c.out, c.high = append(c.out, p[:c.room-used]...), 0
	case c.high > 0:
		c.out = c.out[:c.high]
	}
	c.out = append(trimRune(c.out, c.start), ellipsis...)
}

// trimRune removes an incomplete character at the end of out[start:].
func trimRune(out []byte, start int) []byte {
	for i := len(out) - 1; i >= start && i >= len(out)-utf8.UTFMax; i-- {
		if utf8.RuneStart(out[i]) {
			if !utf8.FullRune(out[i:]) {
				return out[:i]
			}
			break
		}
	}
	return out
}

// Shorten returns JSON with its long strings shortened to about most bytes in total. It
// returns the argument itself if it is short enough, and nil if the JSON is too long even
// with short strings.
func Shorten(json []byte, most int) []byte {
	if len(json) <= most {
		return json
	}
	c := condenser{budget: most, out: make([]byte, 0, most)}
	c.write(json)
	if c.full {
		return nil
	}
	return c.out
}
