package search

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/ignore"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/search/document"
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/segment"
)

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
	if len(gaps) == 0 {
		return nil, nil
	}
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
