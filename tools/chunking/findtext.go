package chunking

import (
	"cmp"
	"context"
	"crypto/sha256"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/chunking/index"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/internal/cursor"
	"github.com/dougu-go/dougu/tools/internal/plural"
	"github.com/dougu-go/dougu/tools/internal/textfile"
	"github.com/dougu-go/dougu/tools/source"
)

// FindTextArgs are the arguments of find_text.
type FindTextArgs struct {
	// Text is searched in each line, regardless of letter case unless it has a capital.
	Text string `json:"text" jsonschema:"minLength=1"`
	// Regex makes Text a regular expression in RE2 syntax.
	Regex bool `json:"regex,omitempty" jsonschema:"default=false"`
	// Path is a glob for the paths of files.
	Path string `json:"path,omitempty" jsonschema:"description=Glob for files"`
	// MaxResults limits the number of chunks. Default: 20.
	MaxResults int `json:"maxResults,omitempty" jsonschema:"minimum=1,maximum=1000,default=20"`
	// Cursor is NextCursor of an earlier result.
	Cursor string `json:"cursor,omitempty"`
}

// TextResult is the result of find_text.
type TextResult struct {
	// Chunks are the innermost chunks around matching lines: sources first, then tests,
	// examples and generated code; by path and position.
	Chunks []TextHit `json:"chunks"`
	// NextCursor is the cursor of the next page, if there is one.
	NextCursor string `json:"nextCursor,omitempty"`
	// Note describes an empty result and files that were not searched.
	Note string `json:"note,omitempty"`
}

// TextHit is a chunk with matching lines. Entry has no ID for lines outside of all chunks.
type TextHit struct {
	Entry
	FilePath string `json:"filePath"`
	// Lines are the first three matching lines, Count is the number of all.
	Lines []TextLine `json:"lines"`
	Count int        `json:"count"`
}

// TextLine is a matching line, at most 160 bytes of it.
type TextLine struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

const (
	defaultTextHits = 20
	maxHitLines     = 3
	maxHitLine      = 160 // bytes
	// textBatch is the number of files that are read before the number of hits is compared with the limit.
	textBatch = 128
	// textTime limits the reading of files in one call.
	textTime = 15 * time.Second
)

// FindText implements the tool find_text. It reads the analyzed files, with the unsaved
// text of editors.
func (c *Chunks) FindText(ctx context.Context, args FindTextArgs) (TextResult, error) {
	limit, err := results(cmp.Or(args.MaxResults, defaultTextHits))
	if err != nil {
		return TextResult{}, err
	}
	if args.Path != "" && !doublestar.ValidatePattern(args.Path) {
		return TextResult{}, invalid("Write it with *, ?, [a-z], {a,b} and **.", "the pattern %s is malformed", quote(args.Path))
	}
	if args.Text == "" {
		return TextResult{}, invalid("Give the text to find.", "the text is empty")
	}
	matcher, err := grep.Compile(args.Text, grep.Options{Literal: !args.Regex})
	if err != nil {
		return TextResult{}, grep.WithAdvice(err, "leave regex out", "")
	}
	question := cursor.NewListID("text", args.Text, strconv.FormatBool(args.Regex), args.Path)
	after, err := offset(question, args.Cursor)
	if err != nil {
		return TextResult{}, err
	}
	snapshot, err := c.indexed(ctx)
	if err != nil {
		return TextResult{}, err
	}
	if snapshot.Len() == 0 {
		return TextResult{}, problem(codeNotAnalyzed, "Call analyze_project first.", "no project has been analysed")
	}
	files := textFiles(snapshot, index.Query{PathGlob: args.Path})
	found, err := c.findText(ctx, matcher, files, after+limit)
	if err != nil {
		return TextResult{}, err
	}
	r := TextResult{Chunks: fitHits(found.hits[min(after, len(found.hits)):min(after+limit, len(found.hits))], c.limits.Answer)}
	if next := after + len(r.Chunks); next < len(found.hits) {
		r.NextCursor = question.Cursor(strconv.Itoa(next))
	}
	short := c.shortener()
	for i := range r.Chunks {
		if e := &r.Chunks[i].Entry; e.ID != "" {
			e.short = short.of(e.ID)
			c.recordShort(ctx, e.short, e.ID)
		}
	}
	r.Note = found.note(len(files))
	if missing := c.missing(); missing != "" && len(r.Chunks) == 0 {
		r.Note += "; " + missing
	}
	return r, nil
}

// textFiles returns the files of a snapshot that q selects, in the order of the result.
func textFiles(snapshot *index.Snapshot, q index.Query) []*index.File {
	var primary, secondary []*index.File
	for _, f := range snapshot.Files() {
		switch {
		case !q.Includes(f):
		case index.Secondary(f.Path):
			secondary = append(secondary, f)
		default:
			primary = append(primary, f)
		}
	}
	return append(primary, secondary...)
}

// textSearch is the state of a call of find_text.
type textSearch struct {
	hits   []TextHit
	unread int // files that could not be read
	late   int // files that were not read within textTime
}

// note describes what was not searched, or the extent of a search without hits.
func (s *textSearch) note(files int) string {
	var notes []string
	if len(s.hits) == 0 {
		notes = append(notes, number(files-s.unread-s.late)+" indexed files were searched")
	}
	if s.unread > 0 {
		notes = append(notes, plural.Count(s.unread, "file")+" could not be read")
	}
	if s.late > 0 {
		notes = append(notes, plural.Count(s.late, "file")+" not searched in time: narrow path")
	}
	return strings.Join(notes, "; ")
}

// findText searches files in their order until more than most chunks match.
func (c *Chunks) findText(ctx context.Context, matcher *grep.Matcher, files []*index.File, most int) (s *textSearch, err error) {
	s = new(textSearch)
	read := func(ctx context.Context, f *index.File) ([]TextHit, error) { return c.textHits(ctx, matcher, f) }
	s.late, err = scan(ctx, files, func() bool { return len(s.hits) > most }, read, func(hits []TextHit, failed error) {
		s.hits = append(s.hits, hits...)
		if failed != nil {
			s.unread++
		}
	})
	return s, err
}

// scan reads files concurrently and adds the results in the order of the files, until enough returns true. late is the number of files
// that were not read within textTime.
func scan[T any](ctx context.Context, files []*index.File, enough func() bool, read func(context.Context, *index.File) (T, error), add func(T, error)) (late int, err error) {
	deadline := time.Now().Add(textTime)
	for len(files) > 0 && !enough() {
		if time.Now().After(deadline) {
			return len(files), nil
		}
		batch := files[:min(textBatch, len(files))]
		files = files[len(batch):]
		found, failed := make([]T, len(batch)), make([]error, len(batch))
		workers := min(runtime.GOMAXPROCS(0), len(batch))
		var work group.Group
		for w := range workers {
			work.Go(func() {
				for i := w; i < len(batch) && ctx.Err() == nil; i += workers {
					found[i], failed[i] = read(ctx, batch[i])
				}
			})
		}
		work.Wait()
		if ctx.Err() != nil {
			return 0, ctx.Err()
		}
		for i := range batch {
			add(found[i], failed[i])
		}
	}
	return 0, nil
}

// textHits returns the chunks of a file with matching lines, in the order of the first match.
func (c *Chunks) textHits(ctx context.Context, matcher *grep.Matcher, f *index.File) ([]TextHit, error) {
	src, info, err := c.root.ReadFile(ctx, f.Path, source.MaxSource)
	if err != nil || !matcher.Candidate(src) {
		return nil, err
	}
	text, err := textfile.Decode(src, textfile.Auto)
	if err != nil {
		return nil, err
	}
	content := []byte(text.Content)
	var hits []TextHit
	byChunk := make(map[int]int) // index in hits
	var chunks []source.Chunk
	for m := range matcher.LinesContext(ctx, content) {
		if hits == nil {
			if f, chunks, err = c.chunksOf(ctx, f, src); err != nil {
				return nil, err
			}
		}
		at := innermostAt(chunks, int32(m.Line))
		n, ok := byChunk[at]
		if !ok {
			n = len(hits)
			byChunk[at] = n
			hits = append(hits, TextHit{FilePath: info.Path})
			if at >= 0 {
				hits[n].Entry = entry(f, at, &chunks[at], 0)
			}
		}
		h := &hits[n]
		if h.Count++; len(h.Lines) < maxHitLines {
			h.Lines = append(h.Lines, TextLine{Line: m.Line, Text: truncate.Line(strings.TrimSpace(string(content[m.Start:m.End])), maxHitLine)})
		}
	}
	return hits, nil
}

// chunksOf returns the chunks of a file with the content src: the indexed ones, unless the file has changed.
func (c *Chunks) chunksOf(ctx context.Context, f *index.File, src []byte) (*index.File, []source.Chunk, error) {
	if sha256.Sum256(src) != f.Hash {
		now, _, err := c.index.ReadFile(ctx, f.Path, f.Language)
		if err != nil {
			return nil, nil, err
		}
		f = now
	}
	parsed, err := f.Parsed()
	if err != nil {
		return nil, nil, err
	}
	return f, parsed.Chunks, nil
}

// innermostAt returns the index of the shortest chunk with a line, or -1.
func innermostAt(chunks []source.Chunk, line int32) int {
	best := -1
	for i := range chunks {
		c := &chunks[i]
		if c.StartLine <= line && line <= c.EndLine && (best < 0 || c.End-c.Start < chunks[best].End-chunks[best].Start) {
			best = i
		}
	}
	return best
}

// fitHits returns the first hits that fit in room bytes, at least one.
func fitHits(hits []TextHit, room int) []TextHit {
	for i := range hits {
		room -= hits[i].size() + len(hits[i].FilePath)
		for _, l := range hits[i].Lines {
			room -= len(l.Text) + 24
		}
		if room < 0 && i > 0 {
			return hits[:i]
		}
	}
	return slices.Clip(hits)
}

// TextContent returns the hits, grouped by file: the short ID of each chunk, its lines, and the lines with the text.
func (r TextResult) TextContent() string {
	var b strings.Builder
	if len(r.Chunks) == 0 {
		b.WriteString("[not found")
	} else {
		b.WriteString("[" + number(len(r.Chunks)) + " chunks")
	}
	if r.Note != "" {
		b.WriteString("; " + r.Note)
	}
	b.WriteString("]\n")
	file := ""
	for i := range r.Chunks {
		h := &r.Chunks[i]
		if h.FilePath != file {
			file = h.FilePath
			b.WriteString(file + "\n")
		}
		if h.ID != "" {
			b.WriteString(" " + h.handle() + " " + h.lines() + "\n")
		} else {
			b.WriteString(" [outside of chunks]\n")
		}
		for _, l := range h.Lines {
			b.WriteString("  " + strconv.Itoa(l.Line) + ": " + l.Text + "\n")
		}
		if more := h.Count - len(h.Lines); more > 0 {
			b.WriteString("  … " + number(more) + " more lines\n")
		}
	}
	if r.NextCursor != "" {
		b.WriteString("[more: cursor=" + r.NextCursor + "]\n")
	}
	return b.String()
}
