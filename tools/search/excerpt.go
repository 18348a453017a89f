package search

import (
	"bytes"
	"math/bits"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	wholeLines   = 40 // a piece with so many lines is shown whole, if it is not too long
	excerptLines = 20 // of a longer one so many are
	maxLine      = 500
	maxWanted    = 64 // groups of a query that are looked for
)

// excerpts choose the lines of pieces that say most about a question. They serve one goroutine.
type excerpts struct {
	wanted   map[string]uint64 // groups, as bits, by word
	prefixes map[string]uint64
	scanner  token.Scanner
}

// excerpt are lines of a piece, in order and without a gap.
type excerpt struct {
	text       string
	start, end int // lines
}

func newExcerpts(q *question) *excerpts {
	x := &excerpts{wanted: make(map[string]uint64), prefixes: make(map[string]uint64), scanner: token.Scanner{Singles: true}}
	if q.exact != nil {
		return x
	}
	counts := make(map[string]bool) // words that everybody asks with do not
	for _, word := range rank.Parse(q.text).Words() {
		counts[word] = true
	}
	for i, g := range q.words.Groups[:min(len(q.words.Groups), maxWanted)] {
		for _, word := range append([]string{g.Whole}, g.Parts...) {
			if word != "" && counts[word] {
				x.want(word, 1<<i)
			}
		}
	}
	return x
}

// want looks for a word, or its beginning.
func (x *excerpts) want(word string, group uint64) {
	if prefix, ok := strings.CutSuffix(word, "*"); ok {
		x.prefixes[prefix] |= group
		return
	}
	x.wanted[word] |= group
	for _, form := range token.Forms(word) {
		x.wanted[form] |= group
	}
}

// of chooses lines of a piece, of at most so many bytes. matches are lines of the file that it is about, if they are known.
func (x *excerpts) of(text []byte, piece index.Piece, matches []int, room int) excerpt {
	from, to := int(max(piece.Range.Start, 0)), min(int(piece.Range.End), len(text))
	if from >= to {
		return excerpt{}
	}
	// Whole lines: what stands before a declaration in its line belongs to what is shown.
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	body := text[from:to]
	lines := bytes.Split(bytes.TrimRight(body, "\r\n"), []byte("\n"))
	first, count := 0, len(lines)
	if len(body) > room || count > wholeLines {
		scores := x.scores(text, from, lines, piece)
		for _, n := range matches {
			if at := n - int(piece.StartLine); at >= 0 && at < len(lines) {
				scores[at] |= 1 << (maxWanted - 1)
			}
		}
		first, count = bestLines(lines, scores, room)
	}
	return excerpt{text: joined(lines[first : first+count]), start: int(piece.StartLine) + first, end: int(piece.StartLine) + first + count - 1}
}

// scores are the groups of the query that each line has, of what belongs to the piece alone.
func (x *excerpts) scores(text []byte, from int, lines [][]byte, piece index.Piece) []uint64 {
	scores := make([]uint64, len(lines))
	if len(x.wanted)+len(x.prefixes) == 0 {
		return scores
	}
	starts := make([]int, len(lines))
	for i, at := 0, from; i < len(lines); i++ {
		starts[i] = at
		at += len(lines[i]) + 1
	}
	line := 0
	for _, own := range piece.Own {
		if own.Start < 0 || own.End < own.Start || int(own.End) > len(text) {
			continue
		}
		for w := range x.scanner.Words(text[own.Start:own.End]) {
			place := int(own.Start + w.Start)
			for line+1 < len(lines) && starts[line+1] <= place {
				line++
			}
			scores[line] |= x.groups(w)
		}
	}
	return scores
}

// groups are those that a word is of.
func (x *excerpts) groups(w token.Word) uint64 {
	found := x.wanted[string(w.Text)]
	for prefix, bit := range x.prefixes {
		if bytes.HasPrefix(w.Text, []byte(prefix)) {
			found |= bit
		}
	}
	return found
}

// bestLines are the first and the number of the lines that have most of the query: the most groups, then the most lines with any, then
// the earliest.
func bestLines(lines [][]byte, scores []uint64, room int) (first, count int) {
	best := -1
	for start := range lines {
		if start > 0 && scores[start] == 0 {
			continue // what begins at a line with something is as good
		}
		n, size, groups, hits := 0, 0, uint64(0), 0
		for start+n < len(lines) && n < excerptLines {
			size += min(len(lines[start+n]), maxLine) + 1
			if size > room && n > 0 {
				break
			}
			groups |= scores[start+n]
			if scores[start+n] != 0 {
				hits++
			}
			n++
		}
		if value := bits.OnesCount64(groups)*1000 + hits; value > best {
			best, first, count = value, start, n
		}
	}
	return before(lines, scores, first, count, room)
}

// before moves a window back a little, to show what leads to its first line, as far as nothing is lost at its end.
func before(lines [][]byte, scores []uint64, first, count, room int) (int, int) {
	size := 0
	for _, line := range lines[first : first+count] {
		size += min(len(line), maxLine) + 1
	}
	for range 3 {
		last := first + count - 1
		if first == 0 {
			break
		}
		more := min(len(lines[first-1]), maxLine) + 1
		if count == excerptLines || size+more > room {
			if count < 2 || scores[last] != 0 {
				break
			}
			size -= min(len(lines[last]), maxLine) + 1
			count--
		}
		if size+more > room {
			break
		}
		first, count, size = first-1, count+1, size+more
	}
	return first, count
}

// joined puts lines together, the long ones cut.
func joined(lines [][]byte) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
		}
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > maxLine {
			b.WriteString(strings.ToValidUTF8(string(line[:maxLine]), "") + "…")
			continue
		}
		b.WriteString(strings.ToValidUTF8(string(line), "\ufffd"))
	}
	return b.String()
}
