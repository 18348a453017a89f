package index

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/nearest"
	"github.com/dougu-go/dougu/tools/source"
)

// Step is the kind of search that found the hits of Snapshot.SearchBroadly.
type Step uint8

// Steps, in the order in which SearchBroadly tries them.
const (
	ByName      Step = iota // the name, or its beginning
	BySubstring             // the query is inside the names
	ByParts                 // all words of the query are in the name, the container or the path
	BySomeParts             // most words are
	BySpelling              // a name with few other characters
	ByLetters               // the characters of the query, in order
)

// SearchBroadly returns the chunks that match q like Search, and the search that found them. It
// also takes several words, and finds names that are spelled differently.
func (s *Snapshot) SearchBroadly(q Query) (hits []Hit, total int, step Step) {
	words := queryWords(q.Text)
	if !strings.ContainsFunc(strings.TrimSpace(q.Text), isSpace) || strings.Contains(q.Text, "(") {
		hits, total = s.Search(q)
		switch {
		case q.Text == "" || len(hits) > 0 && hits[0].Score >= scoreWord:
			return hits, total, ByName
		case len(hits) > 0 && hits[0].Score >= scoreInside:
			return hits, total, BySubstring
		case len(hits) > 0 && hits[0].Score >= goodInitials:
			return hits, total, ByLetters
		}
	}
	letters, lettersTotal := hits, total
	var some []Hit
	someTotal := 0
	if len(words) > 1 {
		var all bool
		if some, someTotal, all = s.searchWords(q, words); all {
			return some, someTotal, ByParts
		}
	}
	if hits, total = s.searchSpelling(q, strings.Join(words, "")); total > 0 {
		return hits, total, BySpelling
	}
	if someTotal > 0 {
		return some, someTotal, BySomeParts
	}
	return letters, lettersTotal, ByLetters
}

// goodInitials is the score of a name from whose word beginnings most characters of the query are.
const goodInitials = scoreFuzzy + 55

func isSpace(r rune) bool { return r == ' ' || r == '\t' || r == '\n' || r == ',' }

// maxWords limits the words of a query.
const maxWords = 12

// fillers are words of questions that say nothing about a name.
var fillers = []string{"a", "an", "and", "are", "class", "code", "do", "does", "for", "func", "function", "how", "in", "is", "it", "method", "of", "on", "or", "that", "the", "to", "type", "what", "where", "which", "with"}

// queryWords returns the words of a query in lower case, without fillers unless nothing
// else is left. A name in camel case or with underscores is several words.
func queryWords(text string) []string {
	var all []string
	start, previous := -1, rune(0)
	end := func(at int) {
		if start >= 0 && at > start {
			all = append(all, strings.ToLower(text[start:at]))
		}
		start = -1
	}
	for i, r := range text {
		switch letter := r >= utf8.RuneSelf || r < utf8.RuneSelf && headCodes[r] != headOther || '0' <= r && r <= '9'; {
		case !letter:
			end(i)
		case start < 0:
			start = i
		case startsWord(previous, r) && !('0' <= r && r <= '9'), upperBeforeLower(text, i):
			end(i)
			start = i
		}
		previous = r
	}
	end(len(text))
	if kept := slices.DeleteFunc(slices.Clone(all), func(w string) bool { return slices.Contains(fillers, w) }); len(kept) > 0 {
		all = kept
	}
	return all[:min(len(all), maxWords)]
}

// upperBeforeLower reports whether the last capital of several begins a word at i: the P of HTTPPush.
func upperBeforeLower(text string, i int) bool {
	return i > 0 && i+1 < len(text) && 'A' <= text[i] && text[i] <= 'Z' && 'A' <= text[i-1] && text[i-1] <= 'Z' && 'a' <= text[i+1] && text[i+1] <= 'z'
}

// stem returns a word without a common ending, so that "parsing" finds parse.
func stem(word string) string {
	for _, ending := range []string{"ing", "ed", "es", "er", "s"} {
		if rest, ok := strings.CutSuffix(word, ending); ok && len(rest) >= 4 {
			return rest
		}
	}
	return word
}

// matcher selects chunks. Each goroutine has a matcher of its own.
type matcher interface {
	// candidates appends the chunks of f that may match, by their keys and the beginnings of their names.
	candidates(f *File, to []candidate) []candidate
	// score returns the score of a candidate of the file of the last call of candidates, or 0.
	score(f *File, c candidate) int
}

// candidate is a chunk that a matcher looks at.
type candidate struct {
	at        int
	in, mayBe uint // bit sets of the words that are in the name, and of those that may be; for wordSearch
}

// preferred is added to the score of a chunk that precedes all chunks without it. Those are then only alternatives to such chunks.
const preferred = 10_000

// each returns the best hits of a matcher among the chunks that kinds, language and glob select, the number of chunks with a score,
// and the number of the preferred ones.
func (s *Snapshot) each(q Query, newMatcher func() matcher) (hits []Hit, total, best int) {
	q.Text = ""
	all := newSearch(q)
	pieces := s.pieces()
	parts := make([]search, len(pieces))
	preferences := make([]int, len(pieces))
	parallel(len(pieces), 1, func(n int) {
		part, m, preferences := *all, newMatcher(), &preferences[n]
		var some []candidate
		for _, f := range pieces[n] {
			if !q.Includes(f) {
				continue
			}
			demotion := unknownPath
			some = m.candidates(f, some[:0])
			for _, c := range some {
				kind := source.Kind(f.names.keys[c.at] >> kindShift)
				if part.kinds>>kind&1 == 0 {
					continue
				}
				value := m.score(f, c)
				if value <= 0 {
					continue
				}
				if demotion == unknownPath {
					demotion = pathDemotion(f.Path)
				}
				part.total++
				if value >= preferred {
					*preferences++
				}
				if r := rankOf(value, demotion+kindDemotion(kind)); r >= part.floor {
					part.hits = append(part.hits, Hit{f, c.at, value, r})
				}
				if len(part.hits) >= 4*part.limit+64 {
					part.cut(part.limit)
				}
			}
		}
		parts[n] = part
	})
	for i := range parts {
		all.hits = append(all.hits, parts[i].hits...)
		all.total += parts[i].total
		best += preferences[i]
	}
	all.cut(all.limit)
	return all.hits, all.total, best
}

// wordSearch matches chunks with at least least of the words in name, container and path, at least one of them in the name. It prefers
// those with all words.
type wordSearch struct {
	words []searchedWord
	least int
	size  int // of all words, in bytes

	// Bit sets of words, for the file of the last call of candidates.
	lettersOf     []uint16 // by chunk: the words all of whose letters are in the name
	inPath        uint     // valid if readPath
	inContainer   uint     // of the chunk readContainer, whose neighbours often have the same; -1 for none
	readPath      bool
	readContainer int
}

type searchedWord struct {
	stem     string
	key      uint64
	patterns []uint64 // of stem; see patterns
}

func newWordSearch(words []string) *wordSearch {
	search := &wordSearch{least: len(words), readContainer: -1}
	if len(words) > 2 {
		search.least = (len(words) + 1) / 2
	}
	for _, w := range words {
		stem := stem(w)
		search.words = append(search.words, searchedWord{stem, keyOf(stem) &^ keyForeign, patterns(stem)})
		search.size += len(w)
	}
	return search
}

// searchWords returns the chunks that contain all words, at least one of them in the name. If there are none, it returns those with at
// least half of the words, of three or more, and all is false.
func (s *Snapshot) searchWords(q Query, words []string) (hits []Hit, total int, all bool) {
	hits, total, best := s.each(q, func() matcher { return newWordSearch(words) })
	if best == 0 {
		return hits, total, false
	}
	hits = hits[:min(len(hits), best)]
	for i := range hits {
		hits[i].Score -= preferred
	}
	return hits, best, true
}

func (w *wordSearch) candidates(f *File, to []candidate) []candidate {
	w.readPath, w.readContainer = false, -1
	keys := f.names.keys
	w.lettersOf = append(w.lettersOf[:0], make([]uint16, len(keys))...)
	letters := w.lettersOf[:len(keys)]
	for n := range w.words {
		key, bit := w.words[n].key, uint16(1)<<n
		for i, k := range keys {
			if k&key == key {
				letters[i] |= bit
			}
		}
	}
	for i, all := range letters {
		if all == 0 {
			continue
		}
		c := candidate{at: i}
		for rest := uint(all); rest != 0; rest &= rest - 1 {
			in, sure := false, false
			if patterns := w.words[bits.TrailingZeros(rest)].patterns; patterns != nil && keys[i]&keyForeign == 0 {
				in, sure = f.names.heads[i].contains(patterns)
			}
			switch bit := rest & -rest; {
			case in:
				c.in |= bit
			case !sure:
				c.mayBe |= bit
			}
		}
		if c.in|c.mayBe != 0 {
			to = append(to, c)
		}
	}
	return to
}

func (w *wordSearch) score(f *File, c candidate) int {
	found, size := c.in, f.names.heads[c.at].len()
	if c.mayBe != 0 || size == headSize {
		name := f.name(c.at)
		size = len(name)
		for n := range w.words {
			if c.mayBe>>n&1 != 0 && containsFolded(name, w.words[n].stem) {
				found |= 1 << n
			}
		}
	}
	inName := bits.OnesCount(found)
	if inName == 0 {
		return 0
	}
	if inName < len(w.words) {
		found |= w.wordsInPath(f)
	}
	if bits.OnesCount(found) < len(w.words) {
		found |= w.wordsInContainer(f, c.at)
	}
	count := bits.OnesCount(found)
	if count < w.least {
		return 0
	}
	value := 100*(1+3*inName/len(w.words)) + nearness(size, w.size)*count/len(w.words)
	if count == len(w.words) {
		value += preferred
	}
	return value
}

// wordsInPath returns the bit set of the words in the path of the file of the last call of candidates.
func (w *wordSearch) wordsInPath(f *File) uint {
	if !w.readPath {
		w.inPath, w.readPath = w.wordsIn(f.Path), true
	}
	return w.inPath
}

// wordsInContainer returns the bit set of the words in the container of a chunk of that file.
func (w *wordSearch) wordsInContainer(f *File, i int) uint {
	if w.readContainer < 0 || !f.sameContainer(w.readContainer, i) {
		w.inContainer, w.readContainer = w.wordsIn(f.container(i)), i
	}
	return w.inContainer
}

func (w *wordSearch) wordsIn(text string) (found uint) {
	for n := range w.words {
		if containsFolded(text, w.words[n].stem) {
			found |= 1 << n
		}
	}
	return found
}

// containsFolded reports whether text contains low, which is in lower case, regardless of the case of ASCII letters.
func containsFolded(text, low string) bool {
	for i := 0; i+len(low) <= len(text); i++ {
		// The bit 0x20 is the case of a letter. Of other bytes, hasFoldedPrefix decides.
		if text[i]|0x20 == low[0]|0x20 && hasFoldedPrefix(text[i:], low) {
			return true
		}
	}
	return false
}

// maxSpelled limits the length of a name whose spelling is compared, in bytes.
const maxSpelled = 64

// spellingSearch matches chunks whose name, without case and underscores, has at most most edits from word.
type spellingSearch struct {
	word string
	key  uint64
	most int
}

// keyUnderscore is the bit of the underscore in a key.
const keyUnderscore = uint64(1) << 36

// searchSpelling returns the chunks whose name, without case and underscores, has the fewest edits from word: at most one for
// each four characters, and at most three.
func (s *Snapshot) searchSpelling(q Query, word string) ([]Hit, int) {
	most := min(len(word)/4, 3)
	if most == 0 || len(word) > maxSpelled {
		return nil, 0
	}
	hits, total, _ := s.each(q, func() matcher { return newSpellingSearch(word, most) })
	return hits, total
}

func newSpellingSearch(word string, most int) *spellingSearch {
	return &spellingSearch{word, keyOf(word) & keyChars &^ keyUnderscore, most}
}

func (w *spellingSearch) candidates(f *File, to []candidate) []candidate {
	for i, k := range f.names.keys {
		chars := k & keyChars &^ keyUnderscore
		if bits.OnesCount64(chars&^w.key) > w.most || bits.OnesCount64(w.key&^chars) > w.most {
			continue
		}
		if size := f.names.heads[i].len(); size+w.most < len(w.word) && size < headSize || k&keyUnderscore == 0 && size > len(w.word)+w.most {
			continue
		}
		to = append(to, candidate{at: i})
	}
	return to
}

func (w *spellingSearch) score(f *File, c candidate) int {
	name := f.name(c.at)
	if len(name) < len(w.word)-w.most || len(name) > len(w.word)+w.most+strings.Count(name, "_") {
		return 0
	}
	distance := nearest.Distance(strings.ReplaceAll(strings.ToLower(name), "_", ""), w.word)
	if distance > w.most {
		return 0
	}
	return 100*(4-distance) + nearness(len(name), len(w.word))
}
