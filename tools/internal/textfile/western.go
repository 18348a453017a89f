package textfile

// Weights of bytes for the likelihood of Windows-1252.
const (
	weightAccented  = 3 // a letter next to a letter
	weightStray     = 1 // a letter that stands alone
	weightTypograph = 2 // quotation marks, dashes, signs
	weightUnusual   = -3
	weightUndefined = -20
	weightCrowd     = -5 // on top, for a byte that follows two others above ASCII
)

// scoreWestern says how well b reads as Western text in Windows-1252.
func scoreWestern(b []byte) int {
	score, run := 0, 0
	var prev byte = ' '
	for i, c := range b {
		if c < 0x80 {
			run = 0
		} else {
			if run++; run > 2 {
				score += weightCrowd
			}
			var next byte = ' '
			if i+1 < len(b) {
				next = b[i+1]
			}
			score += weighWestern(prev, c, next)
		}
		prev = c
	}
	return score
}

// weighWestern weighs one byte above ASCII between its neighbours.
func weighWestern(prev, c, next byte) int {
	inWord := isLetter(rune(prev)) || isLetter(rune(next))
	switch {
	case undefined1252(c):
		return weightUndefined
	case c >= 0xC0 && c != 0xD7 && c != 0xF7:
		if inWord {
			return weightAccented
		}
		return weightStray
	case isQuote(c):
		return weighQuote(prev, c, next)
	case isCaron(c) && inWord:
		return weightStray
	case c == 0x80 || c == 0x85 || c == 0x96 || c == 0x97 || c == 0xA0 || c == 0xAB || c == 0xBB:
		return weightTypograph
	case isSign(c) && prev < 0x80 && next < 0x80:
		return weightTypograph
	}
	return weightUnusual
}

// weighQuote returns the weight of a quotation mark between two bytes: weightTypograph if it opens before a word or closes after
// one, weightStray for an apostrophe before a word, and weightUnusual otherwise.
func weighQuote(prev, c, next byte) int {
	opens := prev < 0x80 && !isLetter(rune(prev)) && (isLetter(rune(next)) || '0' <= next && next <= '9' || next >= 0xC0)
	closes := prev > ' ' && prev != '(' && prev != '[' && prev != '{'
	switch c {
	case 0x91, 0x93:
		if opens {
			return weightTypograph
		}
	case 0x92, 0x94:
		if closes {
			return weightTypograph
		}
		if opens {
			return weightStray // the ’90s
		}
	}
	return weightUnusual
}

// isCaron reports whether c is a letter of code page 1252 that Latin-1 lacks.
func isCaron(c byte) bool {
	switch c {
	case 0x8A, 0x8C, 0x8E, 0x9A, 0x9C, 0x9E, 0x9F:
		return true
	}
	return false
}

func isQuote(c byte) bool { return 0x91 <= c && c <= 0x94 }

// isSign reports whether c is a currency sign, a fraction or a similar sign that Western text uses individually.
func isSign(c byte) bool {
	switch c {
	case 0xA1, 0xA3, 0xA7, 0xA9, 0xAA, 0xAE, 0xB0, 0xB1, 0xB2, 0xB3, 0xB4, 0xB5, 0xB7, 0xBA, 0xBC, 0xBD, 0xBE, 0xBF,
		0xD7, 0xF7:
		return true
	}
	return false
}
