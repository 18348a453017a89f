package grep

import (
	"bytes"
	"context"
	"unicode/utf8"
)

// lineAround returns the range of the line that contains a position, without its end. The position may be within the line end.
func lineAround(text []byte, at int) (start, end int) {
	start = bytes.LastIndexByte(text[:at], '\n') + 1
	return start, lineEnd(text, start, at)
}

// lineEnd returns the end of the line that starts at start; from is a position in it.
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

// matchLine reports whether a line matches.
func (c *cache) matchLine(ctx context.Context, line []byte) bool {
	if c.pausedBytes > 0 {
		return c.simulate(ctx, line)
	}
	switch c.end(c.follow(c.start, line)) {
	case stateMatched:
		return true
	case stateInvalid:
		return c.matchRepaired(ctx, line)
	case statePaused:
		return c.simulate(ctx, line)
	}
	return false
}

// follow reads until the text ends or a special value results.
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

// end returns the state or special value at the end of a line.
func (c *cache) end(state uint32) uint32 {
	if state >= special {
		return state
	}
	return c.after(state, '\n')
}

// matchRepaired reports whether a line with invalid UTF-8 matches, or with characters beyond ASCII if the machine reads ASCII
// only.
func (c *cache) matchRepaired(ctx context.Context, line []byte) bool {
	if c.m.ascii {
		return c.wide().matchLine(ctx, line)
	}
	state := c.start
	for rest := line; len(rest) > 0 && state < special; {
		rest = c.repair(rest)
		state = c.follow(state, c.repaired)
	}
	switch c.end(state) {
	case stateMatched:
		return true
	case statePaused:
		return c.simulate(ctx, line)
	}
	return false
}

// repair copies the beginning of a text to c.repaired, with U+FFFD for each invalid byte as in package regexp, and returns the
// rest.
func (c *cache) repair(text []byte) (rest []byte) {
	const enough = 4 << 10
	c.repaired = c.repaired[:0]
	for len(text) > 0 && len(c.repaired) < enough {
		r, size := utf8.DecodeRune(text)
		c.repaired = utf8.AppendRune(c.repaired, r)
		text = text[size:]
	}
	return text
}

// simulate is matchLine without a cache, for texts that need too many states. It is slow, but its time per byte is limited. It
// returns false if ctx ends.
func (c *cache) simulate(ctx context.Context, line []byte) bool {
	if c.m.ascii && !isASCII(line) {
		return c.wide().matchLine(ctx, line)
	}
	c.pausedBytes -= len(line)
	f, _ := c.begin(nil)
	var memory []int32
	for rest := line; len(rest) > 0; {
		if ctx.Err() != nil {
			return false
		}
		rest = c.repair(rest)
		for _, b := range c.repaired {
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
