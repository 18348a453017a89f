package textfile

import (
	"iter"
	"strings"
)

// Matches finds text in content, where any line end of the one matches any of the other, so that what a model read or
// wrote with LF is found in a file with CRLF or with mixed line ends. It yields the start and end of each place in
// content, in order and without overlaps; a line end of content is never split. The empty text is found nowhere.
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

// skipPlain answers the offset in content that is n bytes behind another one, a CRLF counting as one byte. If same is
// set there is no CRLF.
func skipPlain(content string, from, n int, same bool) int {
	if same {
		return from + n
	}
	for n > 0 {
		// Look no further than n, or a long line is searched once a match. One byte more tells a CRLF.
		start, end := nextEOL(content[from:min(from+n+1, len(content))])
		if n <= start || start == end {
			return from + n
		}
		n -= start + 1
		from += end
	}
	return from
}
