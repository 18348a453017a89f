package index

import (
	"cmp"
	"math/bits"
	"path"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/dougu-go/dougu/tools/source"
)

// Query selects the chunks that Search returns. The zero value selects all chunks.
type Query struct {
	// Text is a name or part of a name, compared without case: "push", "pushAll", "pa".
	// A container may precede the last dot: "Stack.push". The name of the directory or
	// file also counts as container: "json.Marshal". Labels may follow, also
	// incomplete: "push(_:at:)", "push(_:". Empty: every name matches.
	Text string
	// Kinds limits the hits to these kinds. Empty: all kinds.
	Kinds []source.Kind
	// Callable limits the hits to functions and other callable kinds; see
	// source.Kind.Callable.
	Callable bool
	// Language limits the hits to files of one language. Empty: all languages.
	Language source.Language
	// PathGlob is a pattern for file paths, in which "**" matches any number of
	// directories. A pattern without a slash is compared with the last element of the
	// path. Empty: all files. A malformed pattern matches no file.
	PathGlob string
	// Limit is the maximum number of hits. Default: DefaultLimit; values above MaxLimit
	// count as MaxLimit.
	Limit int
}

// DefaultLimit and MaxLimit are the default and the maximum of Query.Limit.
const (
	DefaultLimit = 50
	MaxLimit     = 10_000
)

// Hit is a chunk that matches a Query.
type Hit struct {
	File  *File
	Chunk int // index of the chunk; see File.Symbol and File.Parsed
	// Score grows with the quality of the match. The base is 600 for the exact name,
	// 500 if only the case differs, 400 for a prefix, 300 for the prefix of a word, 200
	// for a substring and 100 for characters in order. Up to 99 are added for a close
	// match. A container that matches badly reduces the score.
	Score int

	rank int // see rankOf
}

// Search returns the chunks that match q, best first. Hits with the same base score are
// sorted by declaration and file, then by score, length of the name, path and position:
// functions and types precede values, and sources precede tests, examples, generated code
// and type declarations of JavaScript. total is the number of all matches, also beyond
// the limit.
func (s *Snapshot) Search(q Query) (hits []Hit, total int) {
	w := newSearch(q)
	if w.glob != "" && !doublestar.ValidatePattern(w.glob) {
		return nil, 0
	}
	pieces := s.pieces()
	parts := make([]search, len(pieces))
	parallel(len(pieces), 1, func(i int) {
		part := *w // a copy: concurrent writes to a shared one are slow
		for _, f := range pieces[i] {
			if q.Language == "" || f.Language == q.Language {
				part.file(f)
			}
		}
		parts[i] = part
	})
	for i := range parts {
		w.hits = append(w.hits, parts[i].hits...)
		w.total += parts[i].total
	}
	w.cut(w.limit)
	return w.hits, w.total
}

// pieceChunks is the minimum number of chunks for one more concurrent search.
const pieceChunks = 50_000

// pieces divides the files into parts of about equal numbers of chunks, at most one per
// processor.
func (s *Snapshot) pieces() [][]*File {
	n := min(runtime.GOMAXPROCS(0), s.chunks/pieceChunks+1)
	pieces := make([][]*File, 0, n)
	from, chunks := 0, 0
	for i, f := range s.files {
		if chunks += f.Len(); len(pieces) < n-1 && chunks >= s.chunks/n {
			pieces = append(pieces, s.files[from:i+1])
			from, chunks = i+1, 0
		}
	}
	return append(pieces, s.files[from:])
}

// search is the state of one Search, or of one concurrent part of it.
type search struct {
	name      needle
	container string // "" without a container in the query
	labels    string
	kinds     uint64 // bit set of source.Kind
	glob      string
	limit     int
	bare      bool // the query is an ASCII name without container and labels

	hits  []Hit
	floor int // lowest rank in the full result list; an equal hit must have a name shorter than short
	short int
	total int
}

func newSearch(q Query) *search {
	w := &search{limit: q.Limit, glob: q.PathGlob}
	if w.limit <= 0 {
		w.limit = DefaultLimit
	}
	w.limit = min(w.limit, MaxLimit)
	for _, k := range q.Kinds {
		w.kinds |= 1 << k
	}
	if len(q.Kinds) == 0 {
		w.kinds = 1<<(source.Module+1) - 1
	}
	for k := source.Invalid; q.Callable && k <= source.Module; k++ {
		if !k.IsCallable() {
			w.kinds &^= 1 << k
		}
	}
	text := strings.TrimSpace(q.Text)
	if at := strings.IndexByte(text, '('); at > 0 {
		text, w.labels = text[:at], strings.ReplaceAll(text[at:], " ", "")
	}
	if at := strings.LastIndexByte(text, '.'); at >= 0 && at+1 < len(text) {
		text, w.container = text[at+1:], strings.Trim(text[:at], ".")
	}
	w.name = newNeedle(text)
	w.bare = w.name.ascii && w.container == "" && w.labels == "" && (len(text) != 1 || w.name.key < 1<<keyShared)
	return w
}

// file searches the chunks of a file. Keys and heads exclude most names without a look
// at the name.
func (w *search) file(f *File) {
	key, open, secondary := w.name.key, w.glob == "", unknownPath
	for i, k := range f.names.keys {
		if k&key != key || w.kinds>>(k>>kindShift)&1 == 0 {
			continue
		}
		late := w.bare && k&keyForeign == 0 && w.cannotRank(k, &f.names.heads[i])
		score := scoreFuzzy
		if !late {
			score = w.score(f, i)
		} else if !w.fits(f, i) {
			continue
		}
		if score <= scoreNothing {
			continue
		}
		if !open && !w.admits(f.Path) {
			return
		}
		open = true
		w.total++
		if late || rankOf(score, 0) < w.floor {
			continue
		}
		if secondary == unknownPath {
			secondary = pathDemotion(f.Path)
		}
		rank := rankOf(score, secondary+kindDemotion(source.Kind(k>>kindShift)))
		if rank > w.floor || rank == w.floor && len(f.name(i)) < w.short { // files come in order
			w.hits = append(w.hits, Hit{f, i, score, rank})
			if len(w.hits) >= 4*w.limit+64 {
				w.cut(w.limit)
			}
		}
	}
}

// fits reports whether an ASCII name contains the characters of the needle in order.
// The name must contain all of them.
func (w *search) fits(f *File, i int) bool {
	if len(w.name.low) <= 1 {
		return true
	}
	if w.name.patterns != nil {
		if fits, sure := f.names.heads[i].has(w.name.patterns); sure {
			return fits
		}
	}
	return w.name.scoreLow(f.name(i)) != scoreNothing
}

// cannotRank reports, from key and head alone, that an ASCII name cannot enter the
// result list. It still counts towards the total.
func (w *search) cannotRank(k uint64, h *beginning) bool {
	switch {
	case w.name.low == "": // the shortest are the best
		return w.floor >= rankOf(scoreFuzzy, 0) && bits.OnesCount64(k&keyChars) >= w.short
	case w.floor < rankBase(scorePrefix):
		return false
	case k&firstMask != w.name.first:
		return true
	}
	return w.floor >= rankBase(scoreFolded) && k&keyChars != w.name.key || (h[0]^w.name.begin)&w.name.beginMask != 0
}

// admits reports whether a path matches the glob.
func (w *search) admits(name string) bool {
	return w.glob == "" || matchesGlob(w.glob, name)
}

// Includes reports whether Language and PathGlob select the file. PathGlob must be
// valid.
func (q Query) Includes(f *File) bool {
	return (q.Language == "" || f.Language == q.Language) && (q.PathGlob == "" || matchesGlob(q.PathGlob, f.Path))
}

// matchesGlob compares a path with a pattern; one without a slash is compared with the last name.
func matchesGlob(pattern, name string) bool {
	if !strings.Contains(pattern, "/") {
		name = path.Base(name)
	}
	return doublestar.MatchUnvalidated(pattern, name)
}

// cut sorts the hits and keeps the best n.
func (w *search) cut(n int) {
	slices.SortFunc(w.hits, func(a, b Hit) int {
		if by := cmp.Compare(b.rank, a.rank); by != 0 {
			return by
		}
		if by := cmp.Compare(len(a.File.name(a.Chunk)), len(b.File.name(b.Chunk))); by != 0 {
			return by
		}
		return cmp.Or(strings.Compare(a.File.Path, b.File.Path), cmp.Compare(a.Chunk, b.Chunk))
	})
	if len(w.hits) >= n {
		w.hits = w.hits[:n]
		last := w.hits[n-1]
		w.floor, w.short = last.rank, len(last.File.name(last.Chunk))
	}
}

// score returns the score of a chunk, or 0 if name, container or labels do not match.
func (w *search) score(f *File, i int) int {
	floor := scoreNothing
	if w.floor >= rankBase(scorePrefix) {
		floor = scorePrefix
	}
	score := w.name.score(f.name(i), floor)
	if score == scoreNothing {
		return 0
	}
	if w.container != "" {
		lack, ok := w.containerPenalty(f, f.container(i))
		if !ok {
			return 0
		}
		score -= lack
	}
	if w.labels == "" {
		return score
	}
	switch labels := f.labels(i); {
	case w.labels == labels, w.labels == "()" && labels == "":
		return score
	case strings.HasPrefix(labels, w.labels):
		return score - 30
	}
	return 0
}

// containerPenalty returns the points to subtract for an inexact container. ok is false
// if it does not match.
func (w *search) containerPenalty(f *File, container string) (int, bool) {
	if container != "" {
		at := len(container) - len(w.container)
		switch {
		case at < 0:
		case at == 0 || container[at-1] == '.':
			if container[at:] == w.container {
				return 0, true
			}
			if strings.EqualFold(container[at:], w.container) {
				return 10, true
			}
		}
		last := container[strings.LastIndexByte(container, '.')+1:]
		if len(last) > len(w.container) && strings.EqualFold(last[:len(w.container)], w.container) {
			return 40, true
		}
	}
	dir, base := path.Split(f.Path)
	stem := strings.TrimSuffix(base, path.Ext(base))
	if strings.EqualFold(stem, w.container) || strings.EqualFold(path.Base(dir), w.container) {
		return 20, true
	}
	return 0, false
}
