package fs

import (
	"bytes"
	"context"
	"math"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/grep"
)

const (
	shownRunes  = 250 // most characters of a line in an answer
	leadRunes   = 60  // of these, characters before a match that is far from the beginning
	lineMembers = 48  // bytes of the JSON of a line beside its text; TextContent has fewer
)

// page is an answer that is being filled.
type page struct {
	*contentSearch
	result *SearchContentResult
	left   int       // matching lines, or files, that may be added
	last   *position // position of the last added line or file
	full   bool      // another line or file did not fit
	window window
}

// show fills the answer from the files with matches, in order. more means that further files follow.
func (s *contentSearch) show(ctx context.Context, hits []found, more bool, r *SearchContentResult) {
	p := &page{contentSearch: s, result: r, left: s.MaxResults}
	for _, hit := range hits {
		if s.OutputMode == modeContent {
			p.addMatches(ctx, hit)
		} else {
			p.addFile(hit)
		}
		if p.full = p.full || ctx.Err() != nil; p.full {
			break
		}
	}
	if more && !p.full {
		p.full, p.last = true, &position{file: hits[len(hits)-1], line: math.MaxInt}
	}
	if p.full && p.last != nil {
		r.NextCursor = s.question.Cursor(p.last.String())
	}
	r.Truncated = r.Incomplete || p.full
}

// addFile adds a file without its lines.
func (p *page) addFile(hit found) {
	cost := headingCost(hit)
	if p.left == 0 || cost+cursorRoom(hit) > p.room && p.last != nil {
		p.full = true
		return
	}
	p.left--
	p.room -= cost
	p.result.Files = append(p.result.Files, FileMatches{Path: hit.path, Matches: hit.matches, Unsaved: hit.unsaved})
	p.last = &position{file: hit, line: math.MaxInt}
}

// headingCost returns the bytes that a file takes beside its lines.
func headingCost(hit found) int { return entryMembers/2 + jsonLen(hit.path) + 2*len(hit.unsaved) }

// cursorRoom returns the bytes of a cursor after a file, which holds the path in base64.
func cursorRoom(hit found) int { return 2 * len(hit.path) }

// addMatches adds the matching lines of a file with their context. A file that can no longer be read adds nothing.
func (p *page) addMatches(ctx context.Context, hit found) {
	file, err := p.files.root.Open(ctx, hit.path)
	if err != nil {
		return
	}
	defer file.Close()
	w := &p.window
	if p.open(w, file, hit.reading, p.Context) != nil {
		return
	}
	behind := p.after.lastShownLine(hit)
	e := &excerpt{page: p, hit: hit, lastEarlier: behind, shown: behind}
	for w.next(ctx) {
		e.next = w.from
		for m := range p.matcher.LinesContext(ctx, w.piece()) {
			if !e.add(m) {
				p.full = true
				return
			}
		}
		e.flush(w.line + tally(w.piece()).lines(w.piece()))
	}
}

// excerpt is the part of the answer for one file.
type excerpt struct {
	*page
	hit         found
	file        *FileMatches // nil until the first line is added
	lastEarlier int          // last line of earlier answers
	shown       int          // last line that is shown or that earlier answers contain
	next        int          // offset in the window of the line after shown, while context is added
	contextEnd  int          // last context line after a match
}

// add adds a match with the context before it. It returns false if there is no room.
func (e *excerpt) add(m grep.Match) bool {
	w := &e.window
	line, at := w.line+m.Line-1, w.from+m.Start
	if line+m.Lines-1 <= e.lastEarlier {
		return true
	}
	e.flush(line)
	from, to := m.First()
	from, to = from+w.from, to+w.from
	before := e.before(line, at)
	for n := range m.Lines {
		end, next := lineAfter(w.buf, at)
		if line+n > e.lastEarlier {
			text := cutLine(w.buf[at:end], from-at, to-at)
			if !e.addMatch(before, MatchLine{Line: line + n, Text: text}) {
				return false
			}
			before, e.next = nil, next
		}
		at = next
	}
	e.contextEnd = e.shown + e.Context
	return true
}

// addMatch adds a matching line and the context before it, if there is room. The first line of an answer is always added.
func (e *excerpt) addMatch(before []MatchLine, match MatchLine) bool {
	cost := lineCost(match)
	if e.file == nil {
		cost += headingCost(e.hit)
	}
	for _, line := range before {
		cost += lineCost(line)
	}
	switch {
	case e.left == 0 || cost+cursorRoom(e.hit) > e.room && e.last != nil:
		return false
	case cost > e.room:
		before = nil
	}
	if e.file == nil {
		e.result.Files = append(e.result.Files, FileMatches{Path: e.hit.path, Matches: e.hit.matches, Unsaved: e.hit.unsaved})
		e.file = &e.result.Files[len(e.result.Files)-1]
	}
	e.file.Lines = append(append(e.file.Lines, before...), match)
	e.room -= cost
	e.left--
	e.shown = match.Line
	e.last = &position{file: e.hit, line: match.Line}
	return true
}

// before returns the context before the line that begins at an offset in the window.
func (e *excerpt) before(line, at int) []MatchLine {
	var lines []MatchLine
	for n := line - 1; n > max(e.shown, line-1-e.Context) && at > 0; n-- {
		start := lineBefore(e.window.buf, at)
		end, _ := lineAfter(e.window.buf, start)
		lines = append(lines, MatchLine{Line: n, Text: cutLine(e.window.buf[start:end], 0, 0), Context: true})
		at = start
	}
	for i, j := 0, len(lines)-1; i < j; i, j = i+1, j-1 {
		lines[i], lines[j] = lines[j], lines[i]
	}
	return lines
}

// flush adds the context after the last match, up to a line. If there is no room, the context is omitted.
func (e *excerpt) flush(line int) {
	for e.file != nil && e.shown < min(e.contextEnd, line-1) {
		end, next := lineAfter(e.window.buf, e.next)
		l := MatchLine{Line: e.shown + 1, Text: cutLine(e.window.buf[e.next:end], 0, 0), Context: true}
		if e.room -= lineCost(l); e.room < 0 {
			e.contextEnd = 0
			return
		}
		e.file.Lines = append(e.file.Lines, l)
		e.shown, e.next = l.Line, next
	}
}

// lineCost returns the bytes of a line in JSON.
func lineCost(l MatchLine) int { return lineMembers + jsonLen(l.Text) }

// jsonLen returns the length of a string in JSON.
func jsonLen(s string) int {
	n := len(s)
	for _, c := range []byte(s) {
		switch {
		case c == '"', c == '\\', c == '\t':
			n++
		case c < ' ':
			n += len(`\u0000`) - 1
		}
	}
	return n
}

// cutLine returns the text of a line. Of a long line it returns the part around the first match, which is the range from, to.
func cutLine(line []byte, from, to int) string {
	if len(line) <= shownRunes || utf8.RuneCount(line) <= shownRunes {
		return strings.ToValidUTF8(string(line), "\uFFFD")
	}
	start := 0
	if from = min(max(from, 0), len(line)); utf8.RuneCount(line[:min(max(to, from), len(line))]) > shownRunes {
		start = from
		for range leadRunes {
			_, size := utf8.DecodeLastRune(line[:start])
			start -= size
		}
	}
	end := start
	for range shownRunes {
		_, size := utf8.DecodeRune(line[end:])
		end += size
	}
	var b bytes.Buffer
	if start > 0 {
		b.WriteString("…")
	}
	b.Write(bytes.ToValidUTF8(line[start:end], []byte("\uFFFD")))
	if end < len(line) {
		b.WriteString("…")
	}
	return b.String()
}
