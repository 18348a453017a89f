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

// gap describes a plugin whose index does not contain the current version of all files.
type gap struct {
	*documents
	reason string // completes a sentence that begins with "the index"
	// compare is true if indexed files may be outdated, so that their size and time must be compared.
	compare bool
	// err is the error of an index that failed during the query; nil for a working index.
	err error
}

// gaps returns the plugins whose index is missing, being built, empty, under repair, or not updated because of an error.
func (s *Search) gaps() []gap {
	var all []gap
	for _, d := range s.documents {
		if g, ok := d.gap(); ok {
			all = append(all, g)
		}
	}
	return all
}

// gap returns the gap of the plugin's index; ok is false for a complete index.
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
		g.reason = fmt.Sprintf("is being built (%d of %d %s have been read)", status.Done, status.Total, d.unit())
	case status.State == plugin.Building:
		g.reason = "is being built"
	case status.State == plugin.Empty:
		g.reason = "has not been built"
	case d.repairing.Load():
		g.reason, g.compare = "was damaged and is being repaired", true
	case status.Files == 0 && d.external == nil:
		g.reason = "has no files"
	default:
		return g, false
	}
	return g, true
}

// unit returns what the plugin indexes.
func (d *documents) unit() string {
	if d.external != nil {
		return "documents"
	}
	return "files"
}

// has reports whether the index contains the current version of a file.
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

// describeGaps returns the beginning of a sentence that names the gaps.
func describeGaps(gaps []gap) string {
	var reasons []string
	for _, g := range gaps {
		reasons = append(reasons, g.reason)
	}
	return "the index " + strings.Join(reasons, ", and the index of another plugin ")
}

// splitGaps separates the gaps of external plugins, whose documents cannot be read without an index, from those with files.
func splitGaps(gaps []gap) (external, files []gap) {
	for _, g := range gaps {
		if g.external != nil {
			external = append(external, g)
		} else {
			files = append(files, g)
		}
	}
	return external, files
}

// describeExternalGaps returns one line for each gap.
func describeExternalGaps(gaps []gap) string {
	var lines []string
	for _, g := range gaps {
		lines = append(lines, fmt.Sprintf("the index of %s %s: its documents that are not indexed were not searched", g.name, g.reason))
	}
	return strings.Join(lines, "\n")
}

// addFailedSources returns gaps with an entry for each plugin whose index failed, and starts the repair of these indexes.
func (s *Search) addFailedSources(gaps []gap, failed []failure) []gap {
	var all []gap
	broken := make(map[*documents]bool)
	for _, f := range failed {
		if d := f.source.documents; d != nil && !broken[d] {
			broken[d] = true
			all = append(all, gap{documents: d, reason: "failed (" + truncate.Line(f.err.Error(), 200) + ")", err: f.err})
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

// failedGap returns the error of the first gap that has one.
func failedGap(gaps []gap) error {
	for _, g := range gaps {
		if g.err != nil {
			return g.err
		}
	}
	return nil
}

// repair refreshes the index of a plugin in the background after a failed query. The index counts as a gap until the refresh
// ends. A failed refresh is repeated after the next failed query.
func (s *Search) repair(d *documents) {
	if d.repairing.Swap(true) || s.life.Err() != nil {
		return
	}
	s.work.Go(func() {
		ctx, cancel := context.WithTimeout(s.life, refreshTimeout)
		defer cancel()
		_, err := d.Refresh(ctx, plugin.RefreshOptions{})
		d.repairing.Store(false)
		if err != nil && ctx.Err() == nil {
			s.log.Warn("repairing a failed search index failed", "plugin", d.name, "error", err)
		}
	})
}

const (
	liveEntries = 200_000 // directory entries visited per walk
	liveWorkers = 4       // concurrent file reads
	// liveWords and liveExact limit the files selected for a word query and an exact query; liveBytes limits their total size.
	liveWords = 64
	liveExact = 300
	liveBytes = 16 << 20
)

// searchGaps reads the files that the index lacks and builds a temporary index of the best matching ones. It returns nil if no
// file matches. The caller closes the collection. all.notice describes the searched files.
func (s *Search) searchGaps(ctx context.Context, q *documentQuery, gaps []gap, all *hitList) (*collection, error) {
	wanted, err := q.scanWords()
	if err != nil {
		return nil, err
	}
	outside, gaps := splitGaps(gaps)
	notice := describeExternalGaps(outside)
	if len(gaps) == 0 {
		all.notice = notice
		return nil, nil
	}
	if notice != "" {
		notice += "\n"
	}
	if q.mode == modeSemantic || len(wanted) == 0 {
		all.notice = notice + describeGaps(gaps) + ": the files that it lacks were not searched"
		return nil, nil
	}
	limit := liveWords
	if q.exact != nil {
		limit = liveExact
	}
	l, err := s.scanGaps(ctx, wanted, limit, q.filter, gaps)
	if err != nil {
		return nil, err
	}
	all.live = l.filesRead
	src, err := l.source(ctx)
	all.notice = notice + describeGaps(gaps) + ": " + l.describe()
	return src, err
}

// scanGaps reads the files that the indexes lack, within Options.LiveScanTimeout, and selects the maxFiles files that contain
// most of the wanted words. The error is that of ctx or of a malformed filter.
func (s *Search) scanGaps(ctx context.Context, wanted []scanWord, maxFiles int, filter index.Filter, gaps []gap) (*liveScan, error) {
	l := &liveScan{s: s, wanted: wanted, maxFiles: maxFiles, ignored: ignore.Parse([]byte(strings.Join(s.options.Ignore, "\n")))}
	var err error
	if l.filter, err = (index.Filter{Paths: filter.Paths, Exclude: filter.Exclude}).Matcher(); err != nil {
		return nil, invalid("Give a directory such as src/, a file, or a glob such as src/**/*.ts.", "the path is malformed: %v", err)
	}
	limited, cancel := context.WithTimeout(ctx, s.options.LiveScanTimeout)
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
	l.incomplete = l.incomplete || limited.Err() != nil
	return l, nil
}

// describe returns a clause that names the searched files.
func (l *liveScan) describe() string {
	text := fmt.Sprintf("the %d files that it lacks were searched directly", l.filesRead)
	switch {
	case l.filesRead == 1 && !l.incomplete:
		text = "the file that it lacks was searched directly"
	case l.filesRead == 0 && l.gap.err != nil:
		text = "its files were not searched"
	case l.filesRead == 0 && !l.incomplete:
		text = "there are no files that it lacks"
	case l.incomplete:
		text = fmt.Sprintf("%d of the files that it lacks were searched directly, not all of them: narrow the search with filters.path", l.filesRead)
	}
	if l.unindexed {
		text += fmt.Sprintf("; time was left for %d of %d matching files", len(l.texts), len(l.taken))
	}
	return text
}

// covered returns the directories to walk: dirs, or the project directory if dirs is empty.
func covered(dirs []string) []string {
	if len(dirs) == 0 {
		return []string{"."}
	}
	return dirs
}

// liveScan reads the files that indexes lack for one query, and selects the best matching ones.
type liveScan struct {
	s        *Search
	wanted   []scanWord // words or pattern of the query
	maxFiles int        // files to select
	filter   *index.Matcher
	ignored  *ignore.Rules // from Options.Ignore
	gap      gap           // the gap whose files are being walked
	buffers  sync.Pool     // of *[]byte

	mu         sync.Mutex
	filesRead  int                 // files read
	heldBytes  int                 // bytes of taken
	incomplete bool                // whether files were not read, or matching files were dropped
	unindexed  bool                // whether the time ended before all taken files were indexed
	taken      []liveFile          // matching files
	texts      map[string]liveFile // indexed files, by path
}

// liveFile is a file that matches the query.
type liveFile struct {
	path     string
	content  []byte // bytes of the file; in liveScan.texts the decoded text
	modified time.Time
	points   int // amount of matching words; see scanWord.points
}

// walk reads the files below a directory that the index lacks. Unreadable files are omitted, as they are from an index.
func (l *liveScan) walk(ctx context.Context, dir string) {
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
	l.incomplete = l.incomplete || stats.Full || err != nil && !errors.Is(err, context.DeadlineExceeded) && security.CodeOf(err) != security.FileNotFound
}

// take reads a file and adds it with its points. It returns the error of ctx only.
func (l *liveScan) take(ctx context.Context, e *security.WalkEntry) error {
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
	l.addFile(f)
	return nil
}

// addFile counts a file, and keeps it if it has points.
func (l *liveScan) addFile(f liveFile) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.filesRead++; f.points == 0 {
		return
	}
	l.taken = append(l.taken, f)
	l.heldBytes += len(f.content)
	if len(l.taken) >= 2*l.maxFiles || l.heldBytes > liveBytes {
		l.dropWorst()
	}
}

// dropWorst sorts the taken files by points and drops the last ones until the limits of files and bytes hold.
func (l *liveScan) dropWorst() {
	slices.SortFunc(l.taken, func(a, b liveFile) int {
		return cmp.Or(cmp.Compare(b.points, a.points), strings.Compare(a.path, b.path))
	})
	l.heldBytes = 0
	for i, f := range l.taken {
		if l.heldBytes += len(f.content); i == l.maxFiles || l.heldBytes > liveBytes {
			l.heldBytes -= len(f.content)
			l.taken, l.incomplete = l.taken[:i], true
			return
		}
	}
}

// source returns a temporary in-memory index of the taken files; nil if there are none.
func (l *liveScan) source(ctx context.Context) (*collection, error) {
	if len(l.taken) == 0 {
		return nil, nil
	}
	l.dropWorst()
	made := segment.NewMemory()
	closing := func() { made.Close(context.WithoutCancel(ctx)) }
	if err := l.indexFiles(ctx, made); err != nil {
		closing()
		return nil, fmt.Errorf("searching files that are not indexed: %w", err)
	}
	return &collection{index: made, read: l.readText, live: true, close: closing, guard: newGuard("files", codeIndexUnavailable, l.s.options.Timeout, BreakerOptions{})}, nil
}

// indexFiles splits the taken files into pieces and writes them to an index, within half of Options.LiveScanTimeout.
func (l *liveScan) indexFiles(ctx context.Context, to index.Index) error {
	w, err := to.Begin(ctx, index.WriteOptions{})
	if err != nil {
		return err
	}
	defer w.Abort()
	l.texts = make(map[string]liveFile, len(l.taken))
	end := time.Now().Add(l.s.options.LiveScanTimeout / 2)
	for _, taken := range l.taken {
		if l.unindexed = time.Now().After(end) && len(l.texts) > 0; l.unindexed {
			break
		}
		f, err := document.Cut(ctx, taken.path, taken.content, document.Options{Parsers: l.s.options.Parsers})
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			continue // binary and damaged files are not indexed either
		}
		f.Hash, f.Size, f.ModTime = sha256.Sum256(taken.content), int64(len(taken.content)), taken.modified
		if err := w.Put(ctx, f); err != nil {
			return err
		}
		l.texts[f.Path] = liveFile{path: f.Path, content: f.Text, modified: taken.modified}
	}
	return w.Commit(ctx)
}

// readText returns the text of an indexed file and its modification time.
func (l *liveScan) readText(_ context.Context, path string) ([]byte, time.Time, error) {
	f, ok := l.texts[path]
	if !ok {
		return nil, time.Time{}, fs.ErrNotExist
	}
	return f.content, f.modified, nil
}

// cut splits the current text of a file into pieces. known is its indexed version; the format of an external document is that of
// this version.
func (s *Search) cut(ctx context.Context, src *collection, known index.Known, path string, text []byte) ([]index.Piece, error) {
	o := document.Options{Parsers: s.options.Parsers, MaxText: len(text) + 1}
	if src.documents != nil && src.documents.external != nil {
		o.Language = known.Language
	}
	f, err := document.Cut(ctx, path, text, o)
	return f.Pieces, err
}

// maxScanWords limits the words of a query that are searched in files without an index.
const maxScanWords = 12

// scanWord is a word of a query, or its exact pattern, prepared for a search in files.
type scanWord struct {
	text    string // in lower case; empty for a regular expression
	matcher *grep.Matcher
}

// scanWords returns the words or the pattern to search in files; none if the query has no words.
func (q *documentQuery) scanWords() ([]scanWord, error) {
	if q.exact != nil {
		return []scanWord{{matcher: q.exact.matcher}}, nil
	}
	counts := rank.Parse(q.text).Words() // without stop words
	var wanted []scanWord
	for _, g := range q.words.Groups {
		var forms []string
		for _, word := range append([]string{g.Whole}, g.Parts...) {
			if word != "" && slices.Contains(counts, word) {
				forms = append(forms, regexp.QuoteMeta(strings.TrimSuffix(word, "*")))
			}
		}
		if len(forms) == 0 || len(wanted) == maxScanWords {
			continue
		}
		m, err := grep.Compile(strings.Join(append(forms, regexp.QuoteMeta(g.Text)), "|"), grep.Options{Case: grep.Insensitive})
		if err != nil {
			return nil, err
		}
		wanted = append(wanted, scanWord{strings.ToLower(g.Text), m})
	}
	return wanted, nil
}

// points returns 4 if the content matches, plus 2 if the path contains the word.
func (w *scanWord) points(path string, content []byte) int {
	points := 0
	if w.matcher.Candidate(content) && (w.matcher.Match(content) || !utf8.Valid(content)) {
		points += 4
	}
	if w.text != "" && strings.Contains(strings.ToLower(path), w.text) {
		points += 2
	}
	return points
}
