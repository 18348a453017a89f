package ignore

import "strings"

// wild reports whether a pattern matches the whole text. In a path, "**" between slashes, or at an end, stands for any number of
// directories; elsewhere a run of stars is one star, which with "?" and classes never stands for a slash.
//
// It goes back to the last star only: whatever came before that one matched as early as it could, and the star takes any
// text that follows. A star within a name can take no slash; then the last "**" takes one more directory, and since each
// of the following directories is compared with each part of the pattern at most once, the whole takes at most
// len(pattern)*len(text) steps.
func wild[T string | []byte](pattern string, text T, path bool) bool {
	m := matcher[T]{text: text, star: none, dirs: none}
	p, t := 0, 0
	for {
		ok := false
		switch {
		case p == len(pattern):
			if t == len(text) {
				return true
			}
		case pattern[p] == '*':
			end := p + 1
			for end < len(pattern) && pattern[end] == '*' {
				end++
			}
			if path && end-p > 1 && betweenSlashes(pattern, p, end) {
				if end == len(pattern) {
					return true
				}
				p = m.setDirs(pattern, end, t)
			} else {
				m.star, m.taken = end, t
				p = end
			}
			continue
		case t == len(text):
		default:
			var size int
			if size, ok = one(pattern[p:], text[t]); size == 0 {
				return false
			}
			if ok {
				p, t = p+size, t+1
				continue
			}
		}
		if p, t, ok = m.back(); !ok {
			return false
		}
	}
}

// matcher knows where to try again.
type matcher[T string | []byte] struct {
	text T

	star  int // in the pattern, behind the last star; none if there is none
	taken int // offset in the text after the bytes that the star has matched

	dirs      int // in the pattern, behind the last "**" between slashes, and behind its slash if wholeDirs is set
	dirsTaken int
	wholeDirs bool
}

// setDirs begins to match "**", which ends at end, with nothing, and returns where the pattern goes on.
func (m *matcher[T]) setDirs(pattern string, end, t int) int {
	m.star = none
	m.dirs, m.dirsTaken, m.wholeDirs = end, t, false
	if pattern[end] == '/' {
		m.dirs, m.wholeDirs = end+1, true
	}
	return m.dirs
}

// back lets the last star, or else the last "**", take more, and returns where to go on in pattern and text.
func (m *matcher[T]) back() (p, t int, ok bool) {
	if m.star != none {
		if m.taken < len(m.text) && m.text[m.taken] != '/' {
			m.taken++
			return m.star, m.taken, true
		}
		m.star = none
	}
	if m.dirs == none {
		return 0, 0, false
	}
	for m.dirsTaken < len(m.text) {
		m.dirsTaken++
		if !m.wholeDirs || m.text[m.dirsTaken-1] == '/' {
			return m.dirs, m.dirsTaken, true
		}
	}
	return 0, 0, false
}

// betweenSlashes reports whether a run of stars has a slash or an end on either side. An escaped slash counts behind it.
func betweenSlashes(pattern string, start, end int) bool {
	rest := pattern[end:]
	return (start == 0 || pattern[start-1] == '/') && (rest == "" || rest[0] == '/' || strings.HasPrefix(rest, `\/`))
}

// one compares the first element of a pattern, which is no star, with a byte, and tells its size; 0 means that it is malformed
// and matches nothing.
func one(pattern string, c byte) (size int, ok bool) {
	switch pattern[0] {
	case '?':
		return 1, c != '/'
	case '[':
		return class(pattern, c)
	case '\\':
		if len(pattern) == 1 {
			return 0, false
		}
		return 2, pattern[1] == c
	}
	return 1, pattern[0] == c
}
