package uses

import "bytes"

// blankBodies replaces the bodies of functions of Go with spaces, so that a parser skips
// them. Newlines stay, so positions and lines do not change. The bodies for which keep
// returns true stay; a nil keep is false for all bodies. Only declarations in the first
// column count. Bodies with unbalanced brackets stay, and so do all later ones.
func blankBodies(text []byte, keep func(body []byte) bool) []byte {
	blanked := text
	depth := 0
	for i := 0; i < len(text); {
		if depth == 0 && (i == 0 || text[i-1] == '\n') && isFuncAt(text, i) {
			open := bodyOf(text, i)
			if open < 0 {
				i += len("func")
				continue
			}
			end := bodyEnd(text, open)
			if end < 0 {
				return blanked
			}
			if keep == nil || !keep(text[open+1:end]) {
				if &blanked[0] == &text[0] {
					blanked = bytes.Clone(text)
				}
				for j := open + 1; j < end; j++ {
					if blanked[j] != '\n' {
						blanked[j] = ' '
					}
				}
			}
			i = end + 1
			continue
		}
		var change int
		i, change = skipGo(text, i)
		if depth += change; depth < 0 {
			return blanked
		}
	}
	return blanked
}

// isFuncAt reports whether the keyword func is at an offset.
func isFuncAt(text []byte, i int) bool {
	const word = "func"
	return len(text) > i+len(word) && string(text[i:i+len(word)]) == word && !isNameByte(text[i+len(word)])
}

// bodyOf returns the offset of the brace that opens the body of the function declared at
// an offset, or -1 without a body.
func bodyOf(text []byte, i int) int {
	depth, word := 0, 0 // word is the start of the last word
	i += len("func")
	for i < len(text) {
		c := text[i]
		switch {
		case isNameByte(c):
			for word = i; i < len(text) && isNameByte(text[i]); i++ {
			}
			continue
		case depth == 0 && c == '{':
			last := bytes.TrimSpace(text[word:i])
			if string(last) != "struct" && string(last) != "interface" {
				return i
			}
		case depth == 0 && c == '\n':
			if last := bytes.TrimSpace(text[word:i]); string(last) != "struct" && string(last) != "interface" {
				return -1
			}
		}
		var change int
		i, change = skipGo(text, i)
		if depth += change; depth < 0 {
			return -1
		}
	}
	return -1
}

// bodyEnd returns the offset of the brace that closes the one at open, or -1. A function
// that begins in the first column before it shows that a brace is missing.
func bodyEnd(text []byte, open int) int {
	depth := 0
	for i := open; i < len(text); {
		if text[i] == '\n' && isFuncAt(text, i+1) {
			return -1
		}
		at := i
		var change int
		i, change = skipGo(text, i)
		if depth += change; depth == 0 && change < 0 {
			if text[at] != '}' {
				return -1
			}
			return at
		}
	}
	return -1
}

// skipGo returns the offset after the comment, the literal or the byte at an offset, and
// the change of the depth of brackets.
func skipGo(text []byte, i int) (next, depth int) {
	end := func(from int, mark string) int {
		if n := bytes.Index(text[min(from, len(text)):], []byte(mark)); n >= 0 {
			return from + n + len(mark)
		}
		return len(text)
	}
	switch c := text[i]; c {
	case '{', '(', '[':
		return i + 1, 1
	case '}', ')', ']':
		return i + 1, -1
	case '`':
		return end(i+1, "`"), 0
	case '/':
		switch {
		case i+1 < len(text) && text[i+1] == '/':
			return max(end(i, "\n")-1, i+1), 0
		case i+1 < len(text) && text[i+1] == '*':
			return end(i+2, "*/"), 0
		}
	case '"', '\'':
		for j := i + 1; j < len(text) && text[j] != '\n'; j++ {
			switch text[j] {
			case '\\':
				j++
			case c:
				return j + 1, 0
			}
		}
	}
	return i + 1, 0
}
