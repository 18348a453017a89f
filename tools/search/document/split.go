package document

import (
	"bytes"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/search/index"
)

// What one piece may have of its own.
const (
	maxLines = 200
	maxBytes = 16 << 10
)

// room is how much more a piece may have of its own.
type room struct{ lines, bytes int }

func (r *room) take(text []byte) {
	r.lines -= bytes.Count(text, lineFeed) + 1
	r.bytes -= len(text)
}

func (r *room) has(text []byte) bool {
	return len(text) <= r.bytes && bytes.Count(text, lineFeed) < r.lines
}

// cut adds a piece to others, as several ones if it is too long.
func (t *tree) cut(all []index.Piece, p index.Piece) []index.Piece {
	left := t.most
	for _, s := range p.Own {
		left.take(t.text[s.Start:s.End])
	}
	if left.lines >= 0 && left.bytes >= 0 {
		return append(all, p)
	}
	if p.Signature == "" && p.Name != "" {
		p.Signature = firstLine(t.text[p.Own[0].Start:p.Own[0].End])
	}
	left = t.most
	var own []index.Span
	for _, s := range p.Own {
		for s.Start < s.End {
			if text := t.text[s.Start:s.End]; left.has(text) {
				left.take(text)
				own = append(own, s)
				break
			}
			size := 0
			if left.lines > t.most.lines/2 && left.bytes > t.most.bytes/2 {
				size = left.place(t.text[s.Start:s.End])
			}
			if size > 0 {
				own = t.append(own, index.Span{Start: s.Start, End: s.Start + int32(size)})
			}
			s.Start += int32(size)
			all, own, left = part(all, p, own), nil, t.most
		}
	}
	return part(all, p, own)
}

// append adds a span without what is blank around it, if anything is left.
func (t *tree) append(own []index.Span, s index.Span) []index.Span {
	if s = trim(t.text, s); s.Start == s.End {
		return own
	}
	return append(own, s)
}

// part adds a part of a piece to others, unless there is nothing in it.
func part(all []index.Piece, p index.Piece, own []index.Span) []index.Piece {
	if len(own) == 0 {
		return all
	}
	p.Own = own
	p.Range = index.Span{Start: own[0].Start, End: own[len(own)-1].End}
	return append(all, p)
}

// place is where a text is best cut that does not fit: in front of a line that
// follows a blank one and is indented the least.
func (r *room) place(text []byte) int {
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
	end := min(r.bytes, len(text)) // a line that is too long by itself
	for back := 1; back < utf8.UTFMax && end-back > 0; back++ {
		if utf8.RuneStart(text[end]) {
			break
		}
		end--
	}
	return end
}
