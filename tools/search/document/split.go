package document

import (
	"bytes"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of the own text of one piece.
const (
	maxLines = 200
	maxBytes = 16 << 10
)

// budget is the remaining size of a piece.
type budget struct{ lines, bytes int }

// take subtracts the size of text.
func (r *budget) take(text []byte) {
	r.lines -= bytes.Count(text, lineFeed) + 1
	r.bytes -= len(text)
}

// fits reports whether text fits into the budget.
func (r *budget) fits(text []byte) bool {
	return len(text) <= r.bytes && bytes.Count(text, lineFeed) < r.lines
}

// cut appends p to all, split into several pieces if it is too long.
func (t *tree) cut(all []index.Piece, p index.Piece) []index.Piece {
	left := t.limits
	for _, s := range p.Own {
		left.take(t.text[s.Start:s.End])
	}
	if left.lines >= 0 && left.bytes >= 0 {
		return append(all, p)
	}
	if p.Signature == "" && p.Name != "" {
		p.Signature = firstLine(t.text[p.Own[0].Start:p.Own[0].End])
	}
	left = t.limits
	var own []index.Span
	for _, s := range p.Own {
		for s.Start < s.End {
			if text := t.text[s.Start:s.End]; left.fits(text) {
				left.take(text)
				own = append(own, s)
				break
			}
			size := 0
			if left.lines > t.limits.lines/2 && left.bytes > t.limits.bytes/2 {
				size = left.splitPoint(t.text[s.Start:s.End])
			}
			if size > 0 {
				own = t.appendSpan(own, index.Span{Start: s.Start, End: s.Start + int32(size)})
			}
			s.Start += int32(size)
			all, own, left = appendPart(all, p, own), nil, t.limits
		}
	}
	return appendPart(all, p, own)
}

// appendSpan appends a span without surrounding blanks, unless it is empty.
func (t *tree) appendSpan(own []index.Span, s index.Span) []index.Span {
	if s = trim(t.text, s); s.Start == s.End {
		return own
	}
	return append(own, s)
}

// appendPart appends a piece with the given own spans, unless there are none.
func appendPart(all []index.Piece, p index.Piece, own []index.Span) []index.Piece {
	if len(own) == 0 {
		return all
	}
	p.Own = own
	p.Range = index.Span{Start: own[0].Start, End: own[len(own)-1].End}
	return append(all, p)
}

// splitPoint returns the best offset at which to split a text that does not fit: before the least indented line that follows a
// blank line.
func (r *budget) splitPoint(text []byte) int {
	best, least := 0, 0
	at, lines := 0, 0
	blank := false
	for at < len(text) && lines < r.lines {
		line := text[at:]
		if end := bytes.IndexByte(line, '\n'); end >= 0 {
			line = line[:end+1]
		}
		if at+len(line) > r.bytes {
			break
		}
		indent := len(line) - len(bytes.TrimLeft(line, " \t\r\n"))
		empty := indent == len(line)
		if blank && !empty && lines >= r.lines/2 && (best == 0 || indent <= least) {
			best, least = at, indent
		}
		at, lines, blank = at+len(line), lines+1, empty
	}
	switch {
	case best > 0:
		return best
	case at > 0:
		return at
	}
	end := min(r.bytes, len(text)) // the first line alone is too long
	for back := 1; back < utf8.UTFMax && end-back > 0; back++ {
		if utf8.RuneStart(text[end]) {
			break
		}
		end--
	}
	return end
}
