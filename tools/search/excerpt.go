package search

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/token"
)

const (
	minExcerpt = 600  // bytes of a result, if there are many
	maxExcerpt = 4000 // if there are few
	// maxOpened bounds the bytes of files that are held for one answer.
	maxOpened = 64 << 20
)

const (
	wholeLines   = 40 // a piece with so many lines is shown whole, if it is not too long
	excerptLines = 20 // of a longer one so many are
	maxLine      = 500
	maxWanted    = 64 // groups of a query that are looked for
)

// Document is a piece of a file that was found: a function, a type, a section.
type Document struct {
	Path      string `json:"path"`
	StartLine int    `json:"startLine"`
	EndLine   int    `json:"endLine"`
	Kind      string `json:"kind"`
	// Name is that of a declaration, with what it belongs to, or the headings of a section.
	Name      string `json:"name,omitempty"`
	Signature string `json:"signature,omitempty"`
	Language  string `json:"language,omitempty"`
	// Score is from 0 to 1, the greatest of an answer to other words being no measure for this one.
	Score float64 `json:"score"`
	// Why says what spoke for it besides its words, or against it.
	Why        string    `json:"why,omitempty"`
	ModifiedAt time.Time `json:"modifiedAt,omitzero"`
	// Content are the lines from ContentStart to ContentEnd, those that fit best if the piece is long, as they are in the file now.
	Content      string `json:"content,omitempty"`
	ContentStart int    `json:"contentStart,omitempty"`
	ContentEnd   int    `json:"contentEnd,omitempty"`
	// Note says that the piece has changed, or was found without the index.
	Note string `json:"note,omitempty"`
}

// page is the part of the hits of a question that an answer shows.
type page struct {
	results []Document
	end     int      // hits before the next page
	notes   []string // on hits that are left out

	s       *Search
	q       *question
	search  *excerpts
	files   map[string]*opened
	held    int
	room    int             // bytes of the answer that are left
	gone    int             // files that are not there any more, or cannot be read
	lost    int             // pieces that are not in their file any more
	changed map[string]bool // files that are not what is indexed
}

// opened is a file as it is now.
type opened struct {
	text     []byte
	modified time.Time
	stale    bool
	pieces   []index.Piece // if it is stale
	err      error
}

// showPage shows the hits behind the cursor of a question, as many as its limit and its room allow, one at least. Files that have changed
// are indexed anew in the background. The error is that of the context.
func (s *Search) showPage(ctx context.Context, q *question, hits []hit) (*page, error) {
	p := &page{end: q.after, s: s, q: q, search: newExcerpts(q), files: make(map[string]*opened), room: q.room, changed: make(map[string]bool)}
	for _, h := range hits[q.after:] {
		if len(p.results) == q.limit {
			break
		}
		shown, ok, err := p.show(ctx, h)
		if err != nil {
			return nil, err
		}
		if ok && !p.fits(shown) && len(p.results) > 0 {
			break
		}
		p.end++
		if ok {
			p.results = append(p.results, shown)
		}
	}
	p.noteOmissions()
	if changed := p.stale(); len(changed) > 0 {
		s.renew(changed)
	}
	return p, nil
}

// show makes a result of a hit; ok is false if there is nothing to show any more. The error is that of the context.
func (p *page) show(ctx context.Context, h hit) (d Document, ok bool, err error) {
	f := p.open(ctx, h)
	if ctx.Err() != nil {
		return d, false, fmt.Errorf("reading what was found: %w", context.Cause(ctx))
	}
	if f.err != nil {
		p.gone++
		return d, false, nil
	}
	piece := h.piece
	if f.stale {
		if piece, ok = find(f.pieces, h.piece); !ok {
			p.lost++
			return d, false, nil
		}
		h.lines = nil
	}
	if !p.q.quoted(f.text, piece) {
		return d, false, nil
	}
	d = Document{
		Path: h.file.Path, StartLine: int(piece.StartLine), EndLine: int(piece.EndLine), Kind: piece.Kind, Name: fullName(piece), Signature: piece.Signature,
		Language: h.file.Language, Score: math.Floor(h.score*1000) / 1000, Why: h.why, ModifiedAt: f.modified.UTC(),
	}
	if f.stale {
		d.Note = "changed since it was indexed"
	} else if h.from.live {
		d.Note = "not indexed yet"
	}
	if p.q.content {
		room := min(max(p.q.room/p.q.limit, minExcerpt), maxExcerpt)
		e := p.search.of(f.text, piece, h.lines, room)
		d.Content, d.ContentStart, d.ContentEnd = e.text, e.start, e.end
	}
	return d, true, nil
}

// fits takes the room of a result; it tells whether there is enough.
func (p *page) fits(d Document) bool {
	p.room -= len(d.text()) + 1
	return p.room >= 0
}

// text is a result as a model reads it.
func (d Document) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d-%d %s", d.Path, d.StartLine, d.EndLine, d.Kind)
	if d.Name != "" {
		b.WriteString(" " + d.Name)
	}
	fmt.Fprintf(&b, " (%.2f)", d.Score)
	if d.Note != "" {
		b.WriteString(" [" + d.Note + "]")
	}
	switch {
	case d.Content == "" && d.Signature != "":
		b.WriteString("\n" + d.Signature)
	case d.Content == "":
	case d.ContentStart == d.StartLine && d.ContentEnd == d.EndLine:
		b.WriteString("\n" + d.Content)
	default:
		if d.ContentStart > d.StartLine && d.Signature != "" {
			b.WriteString("\n" + d.Signature)
		}
		fmt.Fprintf(&b, "\n[lines %d-%d]\n%s", d.ContentStart, d.ContentEnd, d.Content)
	}
	return b.String()
}

// open reads the file of a hit, once for an answer.
func (p *page) open(ctx context.Context, h hit) *opened {
	if f := p.files[h.file.Path]; f != nil {
		return f
	}
	f := &opened{}
	f.text, f.modified, f.err = h.from.read(ctx, h.file.Path)
	switch {
	case h.from.live:
	case f.err != nil:
		p.changed[h.file.Path] = security.CodeOf(f.err) == security.FileNotFound
	case !current(f, h):
		f.stale, p.changed[h.file.Path] = true, true
		f.pieces, f.err = p.s.cut(ctx, h.file.Path, f.text)
	}
	if p.held += len(f.text); p.held <= maxOpened {
		p.files[h.file.Path] = f
	}
	return f
}

// current tells whether a file is what was indexed.
func current(f *opened, h hit) bool {
	if sha256.Sum256(f.text) == h.file.Hash {
		return true
	}
	// The text of a document that is not its content has no hash that is known.
	if !sameTime(f.modified, h.file.ModTime) || int64(len(f.text)) == h.file.Size {
		return false
	}
	r := h.piece.Range
	if r.Start < 0 || r.End < r.Start || int(r.End) > len(f.text) {
		return false
	}
	return bytes.Count(f.text[:r.Start], []byte("\n"))+1 == int(h.piece.StartLine)
}

// sameTime tells whether a file has the time that was noted of it: plugins note one that is a nanosecond earlier where a later change
// might have the same.
func sameTime(now, noted time.Time) bool {
	return now.Equal(noted) || now.Equal(noted.Add(1))
}

// find finds a piece among those of a file that has changed: that of the same kind and name which is nearest.
func find(pieces []index.Piece, was index.Piece) (index.Piece, bool) {
	if was.Name == "" && was.Kind != "file" {
		return index.Piece{}, false // what has no name cannot be told apart
	}
	same := slices.Collect(func(yield func(index.Piece) bool) {
		for _, p := range pieces {
			if p.Kind == was.Kind && p.Name == was.Name && p.Container == was.Container && !yield(p) {
				return
			}
		}
	})
	if len(same) == 0 {
		return index.Piece{}, false
	}
	return slices.MinFunc(same, func(a, b index.Piece) int {
		return cmp.Compare(distance(a, was), distance(b, was))
	}), true
}

func distance(a, b index.Piece) int32 { return max(a.StartLine-b.StartLine, b.StartLine-a.StartLine) }

// noteOmissions notes how many hits are left out, and why.
func (p *page) noteOmissions() {
	if p.gone > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d results are left out: their files are gone or cannot be read", p.gone))
	}
	if p.lost > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d results are left out: their files have changed and do not have them any more", p.lost))
	}
}

// stale are the files that have changed since they were indexed.
func (p *page) stale() []string {
	maps.DeleteFunc(p.changed, func(_ string, changed bool) bool { return !changed })
	return slices.Sorted(maps.Keys(p.changed))
}

// quoted tells whether a piece has all parts of the query that are in quotes.
func (q *question) quoted(text []byte, piece index.Piece) bool {
	if q.exact != nil || len(q.words.Phrases) == 0 {
		return true
	}
	own := flat(piece.Container+" "+piece.Name) + "\n" + flat(ownText(text, piece))
	for _, phrase := range q.words.Phrases {
		if !strings.Contains(own, flat(phrase)) {
			return false
		}
	}
	return true
}

// flat is a text in lower case with single spaces.
func flat(text string) string { return strings.Join(strings.Fields(strings.ToLower(text)), " ") }

// ownText is what belongs to a piece alone.
func ownText(text []byte, piece index.Piece) string {
	var b strings.Builder
	for _, own := range piece.Own {
		if own.Start >= 0 && own.Start <= own.End && int(own.End) <= len(text) {
			b.Write(text[own.Start:own.End])
			b.WriteByte('\n')
		}
	}
	return b.String()
}

// fullName is the name of a piece with what it belongs to.
func fullName(p index.Piece) string {
	separator := "."
	if p.Kind == "section" {
		separator = " > "
	}
	switch {
	case p.Container == "":
		return truncate.Line(p.Name, 200)
	case p.Name == "":
		return truncate.Line(p.Container, 200)
	}
	return truncate.Line(p.Container+separator+p.Name, 200)
}

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
