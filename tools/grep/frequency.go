package grep

// frequency returns the occurrences of b per 100,000 bytes of source code, counted in Go, Python, TypeScript, JavaScript, C,
// Markdown, JSON and HTML. Bytes beyond ASCII count as rare; a literalSearch detects files in which they are not.
func frequency(b byte) int {
	switch {
	case b == 0xE3: // first byte of all kana
		return 10
	case b >= 0x80:
		return 2
	}
	return int(asciiFrequency[b])
}

var asciiFrequency = [128]uint16{
	'\t': 985, '\n': 2697, '\r': 5,
	' ': 17847, '!': 83, '"': 1350, '#': 207, '$': 48, '%': 56, '&': 94, '\'': 352,
	'(': 1153, ')': 1153, '*': 453, '+': 71, ',': 1305, '-': 499, '.': 1347, '/': 956,
	'0': 780, '1': 477, '2': 368, '3': 254, '4': 245, '5': 190, '6': 216, '7': 115, '8': 159, '9': 163,
	':': 882, ';': 409, '<': 312, '=': 756, '>': 387, '?': 58, '@': 43,
	'A': 551, 'B': 201, 'C': 448, 'D': 282, 'E': 647, 'F': 247, 'G': 152, 'H': 120, 'I': 482, 'J': 35, 'K': 87, 'L': 368, 'M': 265,
	'N': 400, 'O': 456, 'P': 414, 'Q': 41, 'R': 452, 'S': 734, 'T': 616, 'U': 184, 'V': 122, 'W': 84, 'X': 98, 'Y': 74, 'Z': 58,
	'[': 216, '\\': 165, ']': 216, '^': 10, '_': 1446, '`': 217,
	'a': 3538, 'b': 708, 'c': 2218, 'd': 1971, 'e': 6457, 'f': 1438, 'g': 960, 'h': 1274, 'i': 3417, 'j': 141, 'k': 517, 'l': 2214,
	'm': 1378, 'n': 3562, 'o': 3402, 'p': 1728, 'q': 126, 'r': 3915, 's': 3792, 't': 5040, 'u': 1673, 'v': 510, 'w': 434, 'x': 647,
	'y': 755, 'z': 147,
	'{': 429, '|': 94, '}': 428, '~': 5,
}
