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
	minExcerpt = 600  // bytes of content per result, if there are many results
	maxExcerpt = 4000 // bytes of content per result, if there are few results
	// maxHeldBytes limits the text of files that are kept in memory during one call.
	maxHeldBytes = 64 << 20
)

const (
	maxFirstLines = 24  // lines shown of the first result of a query
	maxLaterLines = 8   // lines shown of every other result
	maxNextLines  = 6   // lines shown of the second and third result with Options.CompactResults
	maxRestLines  = 2   // lines shown of the results after them with Options.CompactResults
	maxLine       = 500 // bytes of a line
	maxGroups     = 64  // word groups of a query that are considered
)

// Document is a result of searchDocuments: a function, a type or a section of a file.
type Document struct {
	// Path is the path of the file in the project, or of a document of another source: wiki:/Deploy/Rollback.
	Path string `json:"path"`
	// Title and URL are the name and the web page of a document that is not a file of the project; empty for files.
	Title string `json:"title,omitempty"`
	URL   string `json:"url,omitempty"`
	// StartLine and EndLine are the first and last line of the piece, from 1.
	StartLine int `json:"startLine"`
	EndLine   int `json:"endLine"`
	// Kind is the kind of declaration, "section" or "file"; see index.Piece.
	Kind string `json:"kind"`
	// Name is the declared name with its container, or the headings of a section.
	Name string `json:"name,omitempty"`
	// Signature is the declaration in one line.
	Signature string `json:"signature,omitempty"`
	Language  string `json:"language,omitempty"`
	// Score is the relevance from 0 to 1. Scores of different queries are not comparable.
	Score float64 `json:"score"`
	// Why names the criteria besides the words that raised or lowered the rank.
	Why        string    `json:"why,omitempty"`
	ModifiedAt time.Time `json:"modifiedAt,omitzero"`
	// Content is the current text of the lines from ContentStart to ContentEnd: all lines of a short piece, the best matching
	// lines of a long one. The first result of a query has up to 24 lines, every other one up to 8, or fewer with
	// Options.CompactResults. Content is empty if an
	// earlier result of the call contains its lines.
	Content      string `json:"content,omitempty"`
	ContentStart int    `json:"contentStart,omitempty"`
	ContentEnd   int    `json:"contentEnd,omitempty"`
	// Note says that the file has changed since it was indexed, or is not indexed yet.
	Note string `json:"note,omitempty"`

	shownAbove bool // an earlier result of the call contains the lines
	compact    bool // Options.CompactResults
}

// page builds the results of one call from the hits behind the cursor.
type page struct {
	results []Document
	end     int      // index of the first hit of the next page
	notes   []string // remarks on omitted hits

	s          *Search
	q          *documentQuery
	excerpts   *excerpter
	files      map[string]*openFile
	shown      map[string][]excerpt // lines shown so far, by path
	heldBytes  int                  // bytes of text in files
	roomLeft   int                  // bytes left for results
	unreadable int                  // hits omitted because their files are deleted or unreadable
	missing    int                  // hits omitted because the changed file no longer contains the piece
	// changed holds the files whose text differs from the indexed one, by path. The value is false if the file was only
	// unreadable.
	changed map[string]bool
}

// openFile is the current version of a file.
type openFile struct {
	text     []byte
	modified time.Time
	stale    bool          // whether the text differs from the indexed one
	pieces   []index.Piece // pieces of the current text; only if stale
	err      error
}

// showPage renders the hits behind the cursor of q, up to the limits of q but at least one. Changed files are indexed again in
// the background. The error is that of ctx.
func (s *Search) showPage(ctx context.Context, q *documentQuery, hits []hit) (*page, error) {
	p := &page{end: q.after, s: s, q: q, excerpts: newExcerpter(q), files: make(map[string]*openFile), shown: make(map[string][]excerpt), roomLeft: q.maxBytes, changed: make(map[string]bool)}
	for _, h := range hits[q.after:] {
		if len(p.results) == q.limit {
			break
		}
		shown, ok, err := p.render(ctx, h)
		if err != nil {
			return nil, err
		}
		if ok && !p.takeRoom(shown) && len(p.results) > 0 {
			break
		}
		p.end++
		if ok {
			p.results = append(p.results, shown)
			p.shown[shown.Path] = append(p.shown[shown.Path], excerpt{start: shown.ContentStart, end: shown.ContentEnd})
		}
	}
	p.noteOmissions()
	if changed := p.stalePaths(); len(changed) > 0 {
		s.refreshStale(changed)
	}
	return p, nil
}

// render returns the result for a hit. ok is false if the piece no longer exists or does not contain the quoted phrases. The
// error is that of ctx.
func (p *page) render(ctx context.Context, h hit) (d Document, ok bool, err error) {
	f := p.openFile(ctx, h)
	if ctx.Err() != nil {
		return d, false, fmt.Errorf("reading the search results: %w", context.Cause(ctx))
	}
	if f.err != nil {
		p.unreadable++
		return d, false, nil
	}
	piece := h.piece
	if f.stale {
		if piece, ok = findPiece(f.pieces, h.piece); !ok {
			p.missing++
			return d, false, nil
		}
		h.lines = nil
	}
	if !h.isTemplate && !p.q.matchesPhrases(f.text, piece) {
		return d, false, nil
	}
	d = Document{
		Path: h.file.Path, StartLine: int(piece.StartLine), EndLine: int(piece.EndLine), Kind: piece.Kind, Name: fullName(piece), Signature: piece.Signature,
		Language: h.file.Language, Score: math.Floor(h.score*1000) / 1000, Why: h.why, ModifiedAt: f.modified.UTC(),
		compact: p.s.options.CompactResults,
	}
	if from := h.source.documents; from != nil && from.external != nil {
		page, _ := from.external.Describe(d.Path)
		d.Title, d.URL = truncate.Line(page.Title, 200), page.URL
	}
	if f.stale {
		d.Note = "changed since it was indexed"
	} else if h.source.live {
		d.Note = "not indexed yet"
	}
	if p.q.content {
		maxBytes := min(max(p.q.maxBytes/p.q.limit, minExcerpt), maxExcerpt)
		e := p.excerpts.excerpt(f.text, piece, h.lines, p.maxLines(), maxBytes)
		if d.shownAbove = slices.ContainsFunc(p.shown[d.Path], e.isWithin); !d.shownAbove {
			d.Content, d.ContentStart, d.ContentEnd = e.text, e.start, e.end
		}
	}
	return d, true, nil
}

// maxLines returns the maximum number of lines shown of the next result.
func (p *page) maxLines() int {
	switch rank := p.q.after + len(p.results); {
	case rank == 0:
		return maxFirstLines
	case !p.s.options.CompactResults:
		return maxLaterLines
	case rank <= 2:
		return maxNextLines
	}
	return maxRestLines
}

// takeRoom subtracts the size of d from the room left, and reports whether it fits.
func (p *page) takeRoom(d Document) bool {
	p.roomLeft -= len(d.text()) + 1
	return p.roomLeft >= 0
}

// text returns the text form of d for a model.
func (d Document) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d-%d %s", d.Path, d.StartLine, d.EndLine, d.Kind)
	if d.Name != "" {
		b.WriteString(" " + d.Name)
	}
	if !d.compact {
		fmt.Fprintf(&b, " (%.2f)", d.Score)
	}
	if d.Note != "" {
		b.WriteString(" [" + d.Note + "]")
	}
	if d.URL != "" {
		b.WriteString("\n" + d.URL)
	}
	switch {
	case d.shownAbove:
		b.WriteString(" [shown above]")
	case d.Content == "" && d.Signature != "":
		b.WriteString("\n" + d.Signature)
	case d.Content == "":
	case d.ContentStart == d.StartLine && d.ContentEnd == d.EndLine:
		b.WriteString("\n" + d.Content)
	default:
		if !d.compact && d.ContentStart > d.StartLine && d.Signature != "" && !strings.Contains(d.Content, d.Signature) {
			b.WriteString("\n" + d.Signature)
		}
		fmt.Fprintf(&b, "\n[lines %d-%d]\n%s", d.ContentStart, d.ContentEnd, d.Content)
	}
	return b.String()
}

// openFile reads the file of a hit and compares it with the index. The result is kept for the rest of the call, up to
// maxHeldBytes.
func (p *page) openFile(ctx context.Context, h hit) *openFile {
	if f := p.files[h.file.Path]; f != nil {
		return f
	}
	f := &openFile{}
	f.text, f.modified, f.err = h.source.read(ctx, h.file.Path)
	switch {
	case h.source.live:
	case f.err != nil:
		p.changed[h.file.Path] = security.CodeOf(f.err) == security.FileNotFound
	case !isCurrent(f, h):
		f.stale, p.changed[h.file.Path] = true, true
		f.pieces, f.err = p.s.cut(ctx, h.source, h.file, h.file.Path, f.text)
	}
	if p.heldBytes += len(f.text); p.heldBytes <= maxHeldBytes {
		p.files[h.file.Path] = f
	}
	return f
}

// isCurrent reports whether the text of f is the indexed version of the file of h.
func isCurrent(f *openFile, h hit) bool {
	if sha256.Sum256(f.text) == h.file.Hash {
		return true
	}
	// The hash is that of the file's content, which differs from the text of a converted document. Time, size and the line of
	// the piece decide there.
	if !sameTime(f.modified, h.file.ModTime) || int64(len(f.text)) == h.file.Size {
		return false
	}
	r := h.piece.Range
	if r.Start < 0 || r.End < r.Start || int(r.End) > len(f.text) {
		return false
	}
	return bytes.Count(f.text[:r.Start], []byte("\n"))+1 == int(h.piece.StartLine)
}

// sameTime reports whether a modification time equals an indexed one. Plugins record a time one nanosecond earlier if a later
// change could have the same time.
func sameTime(now, noted time.Time) bool {
	return now.Equal(noted) || now.Equal(noted.Add(1))
}

// findPiece returns the piece of a changed file that has the kind, name and container of was. Of several it returns the
// nearest.
func findPiece(pieces []index.Piece, was index.Piece) (index.Piece, bool) {
	if was.Name == "" && was.Kind != "file" {
		return index.Piece{}, false // pieces without a name cannot be identified
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

// noteOmissions adds a note for each group of omitted hits.
func (p *page) noteOmissions() {
	if p.unreadable > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d results are omitted: their files are deleted or unreadable", p.unreadable))
	}
	if p.missing > 0 {
		p.notes = append(p.notes, fmt.Sprintf("%d results are omitted: their files have changed and no longer contain them", p.missing))
	}
}

// stalePaths returns the sorted paths of files that have changed since they were indexed.
func (p *page) stalePaths() []string {
	maps.DeleteFunc(p.changed, func(_ string, changed bool) bool { return !changed })
	return slices.Sorted(maps.Keys(p.changed))
}

// matchesPhrases reports whether a piece contains all quoted parts of the query.
func (q *documentQuery) matchesPhrases(text []byte, piece index.Piece) bool {
	if q.exact != nil || len(q.words.Phrases) == 0 {
		return true
	}
	own := normalizeSpace(piece.Container+" "+piece.Name) + "\n" + normalizeSpace(ownText(text, piece))
	for _, phrase := range q.words.Phrases {
		if !strings.Contains(own, normalizeSpace(phrase)) {
			return false
		}
	}
	return true
}

// normalizeSpace returns text in lower case with single spaces.
func normalizeSpace(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(text)), " ")
}

// ownText returns the text of a piece without the pieces within it.
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

// fullName returns the name of a piece with its container, at most 200 bytes.
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

// excerpter selects the lines of pieces that match a query best. It is not safe for concurrent use.
type excerpter struct {
	wanted   map[string]uint64 // bit set of the query's groups, by word
	prefixes map[string]uint64 // the same for words that end with "*"
	scanner  token.Scanner
}

// excerpt is a run of consecutive lines of a piece.
type excerpt struct {
	text       string
	start, end int // line numbers in the file, from 1
}

// isWithin reports whether all lines of e are lines of other.
func (e excerpt) isWithin(other excerpt) bool { return other.start <= e.start && e.end <= other.end }

func newExcerpter(q *documentQuery) *excerpter {
	x := &excerpter{wanted: make(map[string]uint64), prefixes: make(map[string]uint64), scanner: token.Scanner{Singles: true}}
	if q.exact != nil {
		return x
	}
	counts := make(map[string]bool) // words of the query that are not stop words
	for _, word := range rank.Parse(q.text).Words() {
		counts[word] = true
	}
	for i, g := range q.words.Groups[:min(len(q.words.Groups), maxGroups)] {
		for _, word := range append([]string{g.Whole}, g.Parts...) {
			if word != "" && counts[word] {
				x.addWord(word, 1<<i)
			}
		}
	}
	return x
}

// addWord adds a word, or a prefix that ends with "*", and its inflected forms to the wanted words.
func (x *excerpter) addWord(word string, group uint64) {
	if prefix, ok := strings.CutSuffix(word, "*"); ok {
		x.prefixes[prefix] |= group
		return
	}
	x.wanted[word] |= group
	for _, form := range token.Forms(word) {
		x.wanted[form] |= group
	}
}

// excerpt selects lines of a piece, at most maxLines and maxBytes bytes. Lines in matches are line numbers of the
// file; without them the words of the query decide.
func (x *excerpter) excerpt(text []byte, piece index.Piece, matches []int, maxLines, maxBytes int) excerpt {
	from, to := int(max(piece.Range.Start, 0)), min(int(piece.Range.End), len(text))
	if from >= to {
		return excerpt{}
	}
	// Complete lines: text before the declaration in its first line is shown as well.
	from = bytes.LastIndexByte(text[:from], '\n') + 1
	body := text[from:to]
	lines := bytes.Split(bytes.TrimRight(body, "\r\n"), []byte("\n"))
	first, count := 0, len(lines)
	if len(body) > maxBytes || count > maxLines {
		scores := make([]uint64, len(lines))
		if len(matches) == 0 {
			scores = x.scoreLines(text, from, lines, piece)
		}
		for _, n := range matches {
			if at := n - int(piece.StartLine); at >= 0 && at < len(lines) {
				scores[at] |= 1 << (maxGroups - 1)
			}
		}
		first, count = bestLines(lines, scores, maxLines, maxBytes)
	}
	return excerpt{text: joinLines(lines[first : first+count]), start: int(piece.StartLine) + first, end: int(piece.StartLine) + first + count - 1}
}

// scoreLines returns the query groups that occur in each line, as bit sets. Only the piece's own text counts.
func (x *excerpter) scoreLines(text []byte, from int, lines [][]byte, piece index.Piece) []uint64 {
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
			scores[line] |= x.matchedGroups(w)
		}
	}
	return scores
}

// matchedGroups returns the bit set of the groups that contain a word.
func (x *excerpter) matchedGroups(w token.Word) uint64 {
	found := x.wanted[string(w.Text)]
	for prefix, bit := range x.prefixes {
		if bytes.HasPrefix(w.Text, []byte(prefix)) {
			found |= bit
		}
	}
	return found
}

// bestLines returns the first line and the length of the best window: most groups, then most lines with matches, then earliest.
func bestLines(lines [][]byte, scores []uint64, maxLines, room int) (first, count int) {
	best := -1
	for start := range lines {
		if start > 0 && scores[start] == 0 {
			continue // a window that begins at a matching line is at least as good
		}
		n, size, groups, hits := 0, 0, uint64(0), 0
		for start+n < len(lines) && n < maxLines {
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
	return extendBack(lines, scores, first, count, maxLines, room)
}

// extendBack moves a window up to three lines back to show its context, as long as no matching line leaves it at the end.
func extendBack(lines [][]byte, scores []uint64, first, count, maxLines, room int) (int, int) {
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
		if count == maxLines || size+more > room {
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

// joinLines joins lines with line feeds, and cuts each to maxLine bytes.
func joinLines(lines [][]byte) string {
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
