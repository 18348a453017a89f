package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/grep"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/plugin"
	"github.com/dougu-go/dougu/tools/search/rank"
	"github.com/dougu-go/dougu/tools/search/segment"
)

// gap is a plugin whose index does not have all files as they are now.
type gap struct {
	*documents
	reason string // continues a sentence that begins with "the index"
	// compare says that files in the index may have changed since.
	compare bool
	// err is the error of an index that does not answer; nil for an index that answers.
	err error
}

// gaps are the plugins whose index is missing, being built, empty, damaged, or could not be brought up to date.
func (s *Search) gaps() []gap {
	var all []gap
	for _, d := range s.documents {
		if g, ok := d.gap(); ok {
			all = append(all, g)
		}
	}
	return all
}

func (d *documents) gap() (g gap, ok bool) {
	status := d.Status()
	g = gap{documents: d}
	switch {
	case status.State == plugin.Failed:
		g.reason, g.compare = "could not be brought up to date", true
		if status.Error != "" {
			g.reason += " (" + truncate.Line(status.Error, 200) + ")"
		}
	case status.State == plugin.Building && status.Total > 0:
		g.reason = fmt.Sprintf("is being built (%d of %d files are read)", status.Done, status.Total)
	case status.State == plugin.Building:
		g.reason = "is being built"
	case status.State == plugin.Empty:
		g.reason = "has not been built"
	case d.damaged.Load():
		g.reason, g.compare = "was damaged and is being repaired", true
	case status.Files == 0:
		g.reason = "has no files"
	default:
		return g, false
	}
	return g, true
}

// has reports whether the index has a file as it is now.
func (g *gap) has(ctx context.Context, e *security.WalkEntry) bool {
	if g.err != nil {
		return false
	}
	known, ok, err := g.Index().Lookup(ctx, e.Path())
	if err != nil || !ok || !g.compare {
		return err == nil && ok
	}
	info, err := e.Info(ctx)
	return err == nil && info.Size == known.Size && sameTime(info.ModTime, known.ModTime)
}

// describeGaps names the missing parts.
func describeGaps(gaps []gap) string {
	var reasons []string
	for _, g := range gaps {
		reasons = append(reasons, g.reason)
	}
	return "the index " + strings.Join(reasons, ", and the index of another plugin ")
}

// widen adds the plugins whose index has failed to the gaps, and has these indexes repaired in the background.
func (s *Search) widen(gaps []gap, failed []failure) []gap {
	var all []gap
	broken := make(map[*documents]bool)
	for _, f := range failed {
		if d := f.from.of; d != nil && !broken[d] {
			broken[d] = true
			all = append(all, gap{documents: d, reason: "does not answer (" + truncate.Line(f.err.Error(), 200) + ")", err: f.err})
			s.repair(d)
		}
	}
	for _, g := range gaps {
		if !broken[g.documents] {
			all = append(all, g)
		}
	}
	return all
}

// failedGap is the error of the first gap that has one.
func failedGap(gaps []gap) error {
	for _, g := range gaps {
		if g.err != nil {
			return g.err
		}
	}
	return nil
}

// repair has a plugin look for files that its index has lost. The plugin counts as damaged while it looks; a failed look is
// repeated with the next query that fails.
func (s *Search) repair(d *documents) {
	if d.damaged.Swap(true) || s.life.Err() != nil {
		return
	}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, renewTime)
		defer cancel()
		_, err := d.Refresh(ctx, plugin.RefreshOptions{})
		d.damaged.Store(false)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("a search index that does not answer was not repaired", "plugin", d.name, "error", err)
		}
	})
}

const (
	liveEntries = 200_000
	liveWorkers = 4
	// liveWords is how many of the files that fit best are taken for a question of words, liveExact how many for an exact text; with
	// at most liveBytes.
	liveWords = 64
	liveExact = 300
	liveBytes = 16 << 20
)

// fill looks through the files that the index lacks, and makes an index of the files that have most of the words of a question; nil if
// there are none. It is to be closed. The notice names the files that were searched.
func (s *Search) fill(ctx context.Context, q *question, gaps []gap, all *found) (*collection, error) {
	wanted, err := q.liveWords()
	if err != nil {
		return nil, err
	}
	if q.mode == modeSemantic || len(wanted) == 0 {
		all.notice = describeGaps(gaps) + ": the files that it lacks were not searched"
		return nil, nil
	}
	most := liveWords
	if q.exact != nil {
		most = liveExact
	}
	l, err := s.live(ctx, wanted, most, q.filter, gaps)
	if err != nil {
		return nil, err
	}
	all.live = l.read
	src, err := l.source(ctx)
	all.notice = describeGaps(gaps) + ": " + l.describe()
	return src, err
}

// live looks through the files that the index lacks, and takes the ones that fit best.
func (s *Search) live(ctx context.Context, wanted []liveWord, most int, filter index.Filter, gaps []gap) (*live, error) {
	l := &live{s: s, wanted: wanted, most: most, ignored: ignore.Parse([]byte(strings.Join(s.options.Ignore, "\n")))}
	var err error
	if l.filter, err = (index.Filter{Paths: filter.Paths}).Matcher(); err != nil {
		return nil, invalid("Give a directory such as src/, a file, or a glob such as src/**/*.ts.", "the path is malformed: %v", err)
	}
	limited, cancel := context.WithTimeout(ctx, s.options.LiveTime)
	defer cancel()
	for _, g := range gaps {
		l.gap = g
		for _, dir := range covered(g.Status().Covered) {
			l.walk(limited, dir)
		}
	}
	if ctx.Err() != nil {
		return nil, fmt.Errorf("searching files that are not indexed: %w", context.Cause(ctx))
	}
	l.full = l.full || limited.Err() != nil
	return l, nil
}

// describe names the files that were searched.
func (l *live) describe() string {
	text := fmt.Sprintf("the %d files that it lacks were searched as they are now", l.read)
	switch {
	case l.read == 0 && l.gap.err != nil:
		text = "its files were not searched"
	case l.read == 0 && !l.full:
		text = "there are no files that it lacks"
	case l.full:
		text = fmt.Sprintf("%d of the files that it lacks were searched as they are now, not all of them: narrow the search with filters.path", l.read)
	}
	if l.cut {
		text += fmt.Sprintf("; there was time for %d of %d files that fit", len(l.texts), len(l.taken))
	}
	return text
}

// covered are directories to walk: all, if a plugin names none.
func covered(dirs []string) []string {
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// live looks through files for one question.
type live struct {
	s       *Search
	wanted  []liveWord
	most    int
	filter  *index.Matcher
	ignored *ignore.Rules
	gap     gap       // that is walked
	buffers sync.Pool // of *[]byte

	mu    sync.Mutex
	read  int  // files
	held  int  // bytes
	full  bool // not all files were read, or not all that fit were taken
	cut   bool // not all that were taken are in the index
	taken []liveFile
	texts map[string]liveFile
}

// liveFile is a file that fits.
type liveFile struct {
	path     string
	content  []byte // as it was read, then the text
	modified time.Time
	points   int
}

// walk takes the files below a directory. What cannot be read is left out, as it is from an index.
func (l *live) walk(ctx context.Context, dir string) {
	stats, err := l.s.root.Walk(ctx, dir, security.WalkOptions{MaxEntries: liveEntries, Workers: liveWorkers}, func(e *security.WalkEntry) error {
		switch {
		case l.ignored.Match(path.Clean(e.Path()), e.Kind == security.Directory) == ignore.Ignored:
			if e.Kind == security.Directory {
				return fs.SkipDir
			}
			return nil
		case e.Kind != security.RegularFile || !l.filter.File(index.Known{Path: e.Path()}) || l.gap.has(ctx, e):
			return ctx.Err()
		}
		return l.take(ctx, e)
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	l.full = l.full || stats.Full || err != nil && !errors.Is(err, context.DeadlineExceeded) && security.CodeOf(err) != security.FileNotFound
}

// take reads a file and keeps it if it fits better than others.
func (l *live) take(ctx context.Context, e *security.WalkEntry) error {
	buf, ok := l.buffers.Get().(*[]byte)
	if !ok {
		buf = new([]byte)
	}
	defer l.buffers.Put(buf)
	content, err := e.ReadFile(ctx, *buf, int(min(l.s.limits.MaxFile, document.MaxText)))
	if err != nil {
		return ctx.Err()
	}
	*buf = content
	points := 0
	for i := range l.wanted {
		points += l.wanted[i].points(e.Path(), content)
	}
	f := liveFile{path: e.Path(), points: points}
	if points > 0 {
		info, err := e.Info(ctx)
		if err != nil {
			return ctx.Err()
		}
		f.content, f.modified = append([]byte(nil), content...), info.ModTime
	}
	l.add(f)
	return nil
}

func (l *live) add(f liveFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.read++; f.points == 0 {
		return
	}
	l.taken = append(l.taken, f)
	l.held += len(f.content)
	if len(l.taken) >= 2*l.most || l.held > liveBytes {
		l.thin()
	}
}

// thin drops the files that fit least.
func (l *live) thin() {
	slices.SortFunc(l.taken, func(a, b liveFile) int {
		return cmp.Or(cmp.Compare(b.points, a.points), strings.Compare(a.path, b.path))
	})
	l.held = 0
	for i, f := range l.taken {
		if l.held += len(f.content); i == l.most || l.held > liveBytes {
			l.held -= len(f.content)
			l.taken, l.full = l.taken[:i], true
			return
		}
	}
}

// source makes an index of the taken files, in memory; nil if there are none.
func (l *live) source(ctx context.Context) (*collection, error) {
	if len(l.taken) == 0 {
		return nil, nil
	}
	l.thin()
	made := segment.NewMemory()
	closing := func() { made.Close(context.WithoutCancel(ctx)) }
	if err := l.fill(ctx, made); err != nil {
		closing()
		return nil, fmt.Errorf("searching files that are not indexed: %w", err)
	}
	return &collection{index: made, read: l.text, live: true, close: closing, guard: newGuard("files", codeIndexUnavailable, l.s.options.Timeout, BreakerOptions{})}, nil
}

// fill cuts the files and puts them into an index.
func (l *live) fill(ctx context.Context, to index.Index) error {
	w, err := to.Begin(ctx, index.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	l.texts = make(map[string]liveFile, len(l.taken))
	end := time.Now().Add(l.s.options.LiveTime / 2)
	for _, taken := range l.taken {
		if l.cut = time.Now().After(end) && len(l.texts) > 0; l.cut {
			break
		}
		f, err := document.Cut(ctx, taken.path, taken.content, document.Options{Parsers: l.s.options.Parsers})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // it is none that would be indexed
		}
		f.Hash, f.Size, f.ModTime = sha256.Sum256(taken.content), int64(len(taken.content)), taken.modified
		if err := w.Put(ctx, f); err != nil {
			return err
		}
		l.texts[f.Path] = liveFile{path: f.Path, content: f.Text, modified: taken.modified}
	}
	return w.Commit(ctx)
}

// text is that of a file that was taken.
func (l *live) text(_ context.Context, path string) ([]byte, time.Time, error) {
	f, ok := l.texts[path]
	if !ok {
		return nil, time.Time{}, fs.ErrNotExist
	}
	return f.content, f.modified, nil
}

// cut makes the pieces of a file that is not, or no longer, what is indexed.
func (s *Search) cut(ctx context.Context, path string, text []byte) ([]index.Piece, error) {
	f, err := document.Cut(ctx, path, text, document.Options{Parsers: s.options.Parsers, MaxText: len(text) + 1})
	return f.Pieces, err
}

// maxLiveWords is how many words of a question are looked for in files that are not indexed.
const maxLiveWords = 12

// liveWord is a word of a question, or its exact text, as it is looked for in files.
type liveWord struct {
	text    string // in lower case; empty for a regular expression
	matcher *grep.Matcher
}

// liveWords are what files are looked through for; none if the question has no word.
func (q *question) liveWords() ([]liveWord, error) {
	if q.exact != nil {
		return []liveWord{{matcher: q.exact.matcher}}, nil
	}
	counts := rank.Parse(q.text).Words() // without what everybody asks with
	var wanted []liveWord
	for _, g := range q.words.Groups {
		var forms []string
		for _, word := range append([]string{g.Whole}, g.Parts...) {
			if word != "" && slices.Contains(counts, word) {
				forms = append(forms, regexp.QuoteMeta(strings.TrimSuffix(word, "*")))
			}
		}
		if len(forms) == 0 || len(wanted) == maxLiveWords {
			continue
		}
		m, err := grep.Compile(strings.Join(append(forms, regexp.QuoteMeta(g.Text)), "|"), grep.Options{Case: grep.Insensitive})
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, liveWord{strings.ToLower(g.Text), m})
	}
	return wanted, nil
}

// points are how much a file has of a word: in its text, and in its path.
func (w *liveWord) points(path string, content []byte) int {
	points := 0
	if w.matcher.Candidate(content) && (w.matcher.Match(content) || !utf8.Valid(content)) {
		points += 4
	}
	if w.text != "" && strings.Contains(strings.ToLower(path), w.text) {
		points += 2
	}
	return points
}
