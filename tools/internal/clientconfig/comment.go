package clientconfig

import "bytes"

// commentLength returns the length of the comment at the beginning of text, without the line end
// after it, or 0.
func commentLength(text []byte) int {
	switch {
	case bytes.HasPrefix(text, []byte("//")):
		end := bytes.IndexByte(text, '\n')
		if end < 0 {
			return len(text)
		}
		return len(bytes.TrimSuffix(text[:end], []byte("\r")))
	case bytes.HasPrefix(text, []byte("/*")):
		if end := bytes.Index(text[2:], []byte("*/")); end >= 0 {
			return 2 + end + 2
		}
		return len(text)
	}
	return 0
}

// comments returns the beginnings and ends of the comments in the text between two values.
func comments(extra []byte) [][2]int {
	var all [][2]int
	for i := 0; i < len(extra); {
		n := commentLength(extra[i:])
		if n == 0 {
			i++
			continue
		}
		all = append(all, [2]int{i, i + n})
		i += n
	}
	return all
}

// lastComment returns the end of the last comment, or 0. line reports that it extends to the end of
// its line.
func lastComment(extra []byte) (end int, line bool) {
	all := comments(extra)
	if len(all) == 0 {
		return 0, false
	}
	last := all[len(all)-1]
	return last[1], extra[last[0]+1] == '/'
}
