package grep

import (
	"bytes"
	"context"
	"unicode/utf8"
)

// lineAround answers the line that a place is in, without its line end. The place may be that of the line end.
func lineAround(text []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(text[:at], '\n') + 1
	return start, lineEnd(text, start, at)
}

// lineEnd answers where the line that begins at start ends, from being a place in it.
func lineEnd(text []byte, start, from int) int {
	end := len(text)
	if n := bytes.IndexByte(text[from:], '\n'); n >= 0 {
		end = from + n
		if end > start && text[end-1] == '\r' {
			end--
		}
	}
	return end
}

// matchLine tells whether a line matches.
func (c *cache) matchLine(ctx context.Context, line []byte) bool {
	if c.tired > 0 {
		return c.simulate(ctx, line)
	}
	switch c.end(c.follow(c.start, line)) {
	case stateMatched:
		return true
	case stateInvalid:
		return c.mended(ctx, line)
	case stateTired:
		return c.simulate(ctx, line)
	}
	return false
}

// follow reads until a text ends or something else than a state comes out.
func (c *cache) follow(state uint32, text []byte) uint32 {
	for state < special {
		var n int
		state, n = c.run(state, text)
		c.used += n
		if n == len(text) {
			return state
		}
		state = c.after(state, text[n])
		text = text[n+1:]
	}
	return state
}

// end is what comes out when a line ends.
func (c *cache) end(state uint32) uint32 {
	if state >= special {
		return state
	}
	return c.after(state, '\n')
}

// mended tells whether a line matches in which not all is UTF-8 or, if the machine reads ASCII only, ASCII.
func (c *cache) mended(ctx context.Context, line []byte) bool {
	if c.m.ascii {
		return c.wide().matchLine(ctx, line)
	}
	state := c.start
	for rest := line; len(rest) > 0 && state < special; {
		rest = c.mend(rest)
		state = c.follow(state, c.clean)
	}
	switch c.end(state) {
	case stateMatched:
		return true
	case stateTired:
		return c.simulate(ctx, line)
	}
	return false
}

// mend puts the beginning of a text into c.clean, with a U+FFFD for every byte that is no UTF-8, and answers the rest.
// That is how package regexp reads it.
func (c *cache) mend(text []byte) (rest []byte) {
	const enough = 4 << 10
	c.clean = c.clean[:0]
	for len(text) > 0 && len(c.clean) < enough {
		r, size := utf8.DecodeRune(text)
		c.clean = utf8.AppendRune(c.clean, r)
		text = text[size:]
	}
	return text
}

// simulate is matchLine without a cache, for texts that would need more states than it can have: slow, but with a time a
// byte that is bounded. It is false if ctx ends.
func (c *cache) simulate(ctx context.Context, line []byte) bool {
	if c.m.ascii && !isASCII(line) {
		return c.wide().matchLine(ctx, line)
	}
	c.tired -= len(line)
	f, _ := c.begin(nil)
	var memory []int32
	for rest := line; len(rest) > 0; {
		if ctx.Err() != nil {
			return false
		}
		rest = c.mend(rest)
		for _, b := range c.clean {
			next, v := c.step(memory[:0], f, b)
			if v == matched {
				return true
			}
			f, memory = next, f.nodes
		}
	}
	_, v := c.step(memory[:0], f, '\n')
	return v == matched
}
