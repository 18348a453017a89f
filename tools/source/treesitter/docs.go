package treesitter

import (
	"bytes"
	"sort"
)

// trivia holds the comments of a text and finds the documentation of a declaration: the comments
// directly before it, on lines of their own, without an empty line between.
type trivia struct {
	src      []byte
	comments []span
	from     []int // for each comment, the index of the first comment of its block, or -1
}

func newTrivia(src []byte, comments []span) *trivia {
	t := &trivia{src: src, comments: comments, from: make([]int, len(comments))}
	for i := range comments {
		c := &comments[i]
		c.end = c.start + int32(len(bytes.TrimRight(src[c.start:c.end], " \t\r\n")))
		switch {
		case i > 0 && t.from[i-1] >= 0 && comments[i-1].end <= c.start && oneLineFeed(src[comments[i-1].end:c.start]):
			t.from[i] = t.from[i-1]
		case ownLine(src, c.start):
			t.from[i] = i
		default:
			t.from[i] = -1
		}
	}
	return t
}

// before returns the documentation of the declaration that begins at an offset.
func (t *trivia) before(at int32) span {
	i := sort.Search(len(t.comments), func(i int) bool { return t.comments[i].start >= at }) - 1
	if i < 0 || t.from[i] < 0 || t.comments[i].end > at || !oneLineFeed(t.src[t.comments[i].end:at]) {
		return none
	}
	return span{t.comments[t.from[i]].start, t.comments[i].end}
}

// skip is the end of the blanks and comments at a position.
func (t *trivia) skip(at int32) int32 {
	i := sort.Search(len(t.comments), func(i int) bool { return t.comments[i].start >= at })
	for int(at) < len(t.src) {
		switch c := t.src[at]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f':
			at++
		case i < len(t.comments) && t.comments[i].start == at && t.comments[i].end > at:
			at = t.comments[i].end
			i++
		default:
			return at
		}
	}
	return at
}

// trim returns the end of the text between two offsets without blanks and comments at its end.
func (t *trivia) trim(start, end int32) int32 {
	i := sort.Search(len(t.comments), func(i int) bool { return t.comments[i].start >= end }) - 1
	for end > start {
		switch c := t.src[end-1]; {
		case c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f':
			end--
		case i >= 0 && t.comments[i].end == end && t.comments[i].start > start:
			end = t.comments[i].start
			i--
		default:
			return end
		}
	}
	return end
}

// oneLineFeed reports whether there are only blanks and at most one line feed in a gap.
func oneLineFeed(gap []byte) bool {
	if len(bytes.TrimLeft(gap, " \t\r\f\v\n")) > 0 {
		return false
	}
	return bytes.Count(gap, []byte("\n")) <= 1
}

// ownLine reports whether only blanks stand before a position in its line.
func ownLine(src []byte, at int32) bool {
	before := bytes.TrimRight(src[:at], " \t\r\f\v\ufeff")
	return len(before) == 0 || before[len(before)-1] == '\n'
}
