package search

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/index"
)

const (
	minExcerpt = 600  // bytes of a result, if there are many
	maxExcerpt = 4000 // if there are few
	// maxOpened bounds the bytes of files that are held for one answer.
	maxOpened = 64 << 20
)

// page shows hits of a question.
type page struct {
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

func (s *Search) newPage(q *question) *page {
	return &page{s: s, q: q, search: newExcerpts(q), files: make(map[string]*opened), room: q.room, changed: make(map[string]bool)}
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

// notes say what is missing.
func (p *page) notes() []string {
	var notes []string
	if p.gone > 0 {
		notes = append(notes, fmt.Sprintf("%d results are left out: their files are gone or cannot be read", p.gone))
	}
	if p.lost > 0 {
		notes = append(notes, fmt.Sprintf("%d results are left out: their files have changed and do not have them any more", p.lost))
	}
	return notes
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
