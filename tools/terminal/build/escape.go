package build

import "bytes"

const esc, bell = 0x1b, 0x07

// plain removes terminal escape sequences (ECMA-48) from a line: colours, movements, links and titles.
func plain(line []byte) []byte {
	at := bytes.IndexByte(line, esc)
	if at < 0 {
		return line
	}
	out := make([]byte, 0, len(line))
	for at >= 0 {
		out = append(out, line[:at]...)
		line = line[at+escape(line[at:]):]
		at = bytes.IndexByte(line, esc)
	}
	return append(out, line...)
}

// escape returns the length of the escape sequence at the beginning of p.
func escape(p []byte) int {
	if len(p) < 2 {
		return len(p)
	}
	n := 2
	switch p[1] {
	case '[': // parameters and a final byte
		for n < len(p) && p[n] >= 0x20 && p[n] < 0x40 {
			n++
		}
		return min(n+1, len(p))
	case ']', 'P', '_', '^', 'X': // a string up to BEL or ESC \
		for ; n < len(p); n++ {
			if p[n] == bell {
				return n + 1
			}
			if p[n] == esc {
				return min(n+2, len(p))
			}
		}
		return n
	}
	for n = 1; n < len(p) && p[n] >= 0x20 && p[n] < 0x30; n++ { // for example ESC ( B
	}
	return min(n+1, len(p))
}
