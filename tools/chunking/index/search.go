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

// Query says what Search looks for.
type Query struct {
	// Text is a name or a part of one, in any case: "push", "pushAll", "pa". Before
	// the last dot the container is named: "Stack.push", for which the directory or
	// file may stand, "json.Marshal". Labels may follow, "push(_:at:)", also begun
	// ones, "push(_:". Empty finds everything.
	Text string
	// Kinds are those that are found; empty finds all.
	Kinds []source.Kind
	// Callable finds only functions and the like: see source.Kind.Callable.
	Callable bool
	// Language is that of the files; empty for all.
	Language source.Language
	// PathGlob is a pattern for the paths of files, where "**" stands for any
	// number of directories. One without a slash is compared with the last name.
	// Empty for all; a malformed one finds nothing.
	PathGlob string
	// Limit is the most hits; 0 is DefaultLimit, and MaxLimit is the most.
	Limit int
}

// Limits of Query.Limit.
const (
	DefaultLimit = 50
	MaxLimit     = 10_000
)

// Hit is a chunk that was found.
type Hit struct {
	File  *File
	Chunk int // its number in the file: see File.Symbol and File.Parsed
	// Score is larger the better the name fits: 600 for the same name, 500 if only
	// case differs, from 400 for its beginning, from 300 for the beginning of a
	// word in it, from 200 for a part, from 100 for characters in their order. Less
	// is subtracted from it for a container that fits badly.
	Score int
}

// Search finds chunks by name, the best first; of equal ones that with the
// shorter name, then by path and place. total counts all that fit.
func (s *Snapshot) Search(q Query) (hits []Hit, total int) {
	w := newSearch(q)
	if w.glob != "" && !doublestar.ValidatePattern(w.glob) {
		return nil, 0
	}
	pieces := s.pieces()
	parts := make([]search, len(pieces))
	parallel(len(pieces), 1, func(i int) {
		part := *w // they write to it all the time
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

// pieceChunks is how many chunks are searched before it is worth to share the work.
const pieceChunks = 50_000

// pieces shares the files out among the processors.
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

// search is one search.
type search struct {
	name      needle
	container string // "" if none is asked for
	labels    string
	kinds     uint64
	glob      string
	limit     int
	bare      bool // the name alone decides, and is ASCII

	hits  []Hit
	floor int // a hit with this score must have a shorter name than short to be among the best
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

// file looks through the chunks of a file. Most names are turned down, or counted,
// by their signs.
func (w *search) file(f *File) {
	key, open := w.name.key, w.glob == ""
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
		if !late && (score > w.floor || score == w.floor && len(f.name(i)) < w.short) { // files come in order
			w.hits = append(w.hits, Hit{f, i, score})
			if len(w.hits) >= 4*w.limit+64 {
				w.cut(w.limit)
			}
		}
	}
}

// fits says that a name of ASCII, which has all characters of the needle, has them
// in their order.
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

// cannotRank says by the signs that a name of ASCII cannot be among the best, if it fits.
func (w *search) cannotRank(k uint64, h *beginning) bool {
	switch {
	case w.name.low == "": // the shortest are the best
		return w.floor >= scoreFuzzy && bits.OnesCount64(k&keyChars) >= w.short
	case w.floor < scorePrefix:
		return false
	case k&firstMask != w.name.first:
		return true
	}
	return w.floor >= scoreFolded && k&keyChars != w.name.key || (h[0]^w.name.begin)&w.name.beginMask != 0
}

// admits compares a path with the glob.
func (w *search) admits(name string) bool {
	return w.glob == "" || matchesGlob(w.glob, name)
}

// Includes says that a search looks at a file.
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

// cut keeps the best hits, in order.
func (w *search) cut(n int) {
	slices.SortFunc(w.hits, func(a, b Hit) int {
		if by := cmp.Compare(b.Score, a.Score); by != 0 {
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
		w.floor, w.short = last.Score, len(last.File.name(last.Chunk))
	}
}

// score is that of the name, less what container and labels lack.
func (w *search) score(f *File, i int) int {
	score := w.name.score(f.name(i), w.floor)
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

// containerPenalty says how badly the container fits.
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
