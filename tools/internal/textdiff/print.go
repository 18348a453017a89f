package textdiff

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// printer writes hunks until Options.MaxBytes is reached.
type printer struct {
	options Options
	out     strings.Builder
	old     string
	at      int  // the offset in old up to which lines are counted
	lines   int  // the number of lines in old up to at
	more    int  // the difference in lines between the new and the old text up to at
	removed int  // removed lines omitted because of the limit
	added   int  // added lines omitted because of the limit
	shown   bool // a change was written
}

func (p *printer) line(parts ...string) {
	for _, s := range parts {
		p.out.WriteString(s)
	}
	p.out.WriteByte('\n')
}

// reserved is the number of bytes kept for the last line of a cut diff.
const reserved = 80

// room is how many bytes may still be written.
func (p *printer) room() int {
	if p.options.MaxBytes <= 0 {
		return int(^uint(0) >> 2)
	}
	return p.options.MaxBytes - reserved - p.out.Len()
}

// hunks writes blocks, a hunk for each group of them.
func (p *printer) hunks(blocks []block) {
	context := p.options.context()
	for len(blocks) > 0 && p.room() > 0 {
		n := group(p.old, blocks, context)
		p.hunk(blocks[:n], context)
		blocks = blocks[n:]
	}
	for _, b := range blocks {
		p.removed += linesIn(p.old[b.start:b.end])
		p.added += linesIn(b.new)
	}
	if p.removed+p.added > 0 {
		p.line(fmt.Sprintf("[diff cut: %d more lines removed, %d added]", p.removed, p.added))
	}
}

// hunk writes one hunk.
func (p *printer) hunk(blocks []block, context int) {
	first, last := before(p.old, blocks[0].start, context), behind(p.old, blocks[len(blocks)-1].end, context)
	p.lines += strings.Count(p.old[p.at:first], "\n")
	p.at = first
	was, more := linesIn(p.old[first:last]), 0
	for _, b := range blocks {
		more += linesIn(b.new) - linesIn(p.old[b.start:b.end])
	}
	from, to := p.lines+max(p.options.OldFirst-1, 0), p.lines+p.more+max(p.options.NewFirst-1, 0)
	p.line("@@ -", span(from, was), " +", span(to, was+more), " @@")
	p.more += more
	at := first
	for _, b := range blocks {
		p.equal(p.old[at:b.start])
		p.block(b)
		at = b.end
	}
	p.equal(p.old[at:last])
}

// span is the line number and count of a hunk, as patch(1) reads them.
func span(before, count int) string {
	switch count {
	case 0:
		return fmt.Sprintf("%d,0", before)
	case 1:
		return fmt.Sprint(before + 1)
	}
	return fmt.Sprintf("%d,%d", before+1, count)
}

func (p *printer) equal(text string) {
	for _, line := range splitLines(text) {
		if p.room() <= 0 {
			return
		}
		p.write(" ", line, line)
	}
}

// block writes removed and added lines. If both do not fit, each gets half of the remaining bytes.
func (p *printer) block(b block) {
	was, now := splitLines(p.old[b.start:b.end]), splitLines(b.new)
	room := p.room()
	p.removed += p.side("-", was, now, room-min(room/2, len(b.new)+2*len(now)))
	p.added += p.side("+", now, was, p.room())
	p.shown = true
}

// side writes lines of one side up to the limit, but at least one line of the diff. It returns the number of omitted lines.
func (p *printer) side(sign string, lines, others []string, room int) (left int) {
	end := p.out.Len() + room
	for i, line := range lines {
		if p.out.Len() >= end && (i > 0 || p.shown) {
			return len(lines) - i
		}
		other := ""
		if len(lines) == len(others) {
			other = others[i]
		}
		p.write(sign, line, other)
	}
	return 0
}

// write writes a line, and of a long one the part where it begins to differ from the other.
func (p *printer) write(sign, line, other string) {
	text, ended := strings.CutSuffix(line, "\n")
	limit := p.options.MaxLine
	if p.options.MaxBytes > 0 && (limit <= 0 || limit > p.options.MaxBytes/4) {
		limit = max(p.options.MaxBytes/4, 40)
	}
	p.line(sign, excerpt(text, other, limit))
	if !ended {
		p.line(`\ No newline at end of file`)
	}
}

// excerpt cuts a line down to about limit bytes, 0 being no limit.
func excerpt(line, other string, limit int) string {
	if limit <= 0 || len(line) <= limit {
		return line
	}
	from := 0
	for from < len(line) && from < len(other) && line[from] == other[from] {
		from++
	}
	if from == len(line) {
		from = 0
	}
	from = runeStart(line, max(0, min(from-limit/4, len(line)-limit)))
	to := runeStart(line, min(from+limit, len(line)))
	out := line[from:to]
	if from > 0 {
		out = fmt.Sprintf("[%d bytes] …%s", from, out)
	}
	if to < len(line) {
		out += fmt.Sprintf("… [%d more bytes]", len(line)-to)
	}
	return out
}

// runeStart is the last place at or before i where a character begins.
func runeStart(s string, i int) int {
	for i > 0 && i < len(s) && !utf8.RuneStart(s[i]) {
		i--
	}
	return i
}
