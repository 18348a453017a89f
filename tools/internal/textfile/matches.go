package textfile

import (
	"iter"
	"strings"
)

// Matches finds text in content and treats all line ends as equal, so that text with LF is found in a file with CRLF or mixed
// line ends. It yields the start and end of each match, in order and without overlaps. It never splits a line end of content.
// An empty text has no matches.
func Matches(content, text string) iter.Seq2[int, int] {
	return func(yield func(start, end int) bool) {
		if text == "" {
			return
		}
		plain, want := withEOL(content, LF, true), withEOL(text, LF, true)
		same := len(plain) == len(content)
		// end is a place in content, and at the same place in plain.
		for at, end := 0, 0; ; {
			i := strings.Index(plain[at:], want)
			if i < 0 {
				return
			}
			start := skipPlain(content, end, i, same)
			end = skipPlain(content, start, len(want), same)
			if !yield(start, end) {
				return
			}
			at += i + len(want)
		}
	}
}

// skipPlain returns the offset in content that is n bytes after another one, where CRLF counts as one byte. same means that
// there is no CRLF.
func skipPlain(content string, from, n int, same bool) int {
	if same {
		return from + n
	}
	for n > 0 {
		// The search stops after n bytes, because a long line would be searched for every match. One additional byte detects
		// CRLF.
		start, end := nextEOL(content[from:min(from+n+1, len(content))])
		if n <= start || start == end {
			return from + n
		}
		n -= start + 1
		from += end
	}
	return from
}
