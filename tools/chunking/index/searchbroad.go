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
	if len(words) > 1 {
		if hits, total = s.searchWords(q, words, len(words)); total > 0 {
			return hits, total, ByParts
		}
	}
	if hits, total = s.searchSpelling(q, strings.Join(words, "")); total > 0 {
		return hits, total, BySpelling
	}
	if len(words) > 2 {
		if hits, total = s.searchWords(q, words, (len(words)+1)/2); total > 0 {
			return hits, total, BySomeParts
		}
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

// each calls score for the chunks that kinds, language and glob select, and returns the best hits by the scores above 0.
func (s *Snapshot) each(q Query, score func(f *File, i int) int) ([]Hit, int) {
	q.Text = ""
	all := newSearch(q)
	pieces := s.pieces()
	parts := make([]search, len(pieces))
	parallel(len(pieces), 1, func(n int) {
		part := *all
		for _, f := range pieces[n] {
			if !q.Includes(f) {
				continue
			}
			demotion := unknownPath
			for i, k := range f.names.keys {
				if part.kinds>>(k>>kindShift)&1 == 0 {
					continue
				}
				value := score(f, i)
				if value <= 0 {
					continue
				}
				if demotion == unknownPath {
					demotion = pathDemotion(f.Path)
				}
				part.total++
				if r := rankOf(value, demotion+kindDemotion(source.Kind(k>>kindShift))); r >= part.floor {
					part.hits = append(part.hits, Hit{f, i, value, r})
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
	}
	all.cut(all.limit)
	return all.hits, all.total
}

// searchWords returns the chunks that contain at least least of the words, at least one of them in the name.
func (s *Snapshot) searchWords(q Query, words []string, least int) ([]Hit, int) {
	keys := make([]uint64, len(words))
	stems := make([]string, len(words))
	size := 0
	for i, w := range words {
		stems[i] = stem(w)
		keys[i] = keyOf(stems[i]) &^ keyForeign
		size += len(w)
	}
	return s.each(q, func(f *File, i int) int {
		name, named, inName, found := "", false, 0, 0
		var missing [maxWords]bool
		for n, w := range stems {
			if f.names.keys[i]&keys[n] == keys[n] {
				if !named {
					name, named = f.name(i), true
				}
				if containsFolded(name, w) {
					inName++
					continue
				}
			}
			missing[n] = true
		}
		if inName == 0 {
			return 0
		}
		if found = inName; found < len(words) {
			container := f.container(i)
			for n, w := range stems {
				if missing[n] && (containsFolded(container, w) || containsFolded(f.Path, w)) {
					found++
				}
			}
		}
		if found < least {
			return 0
		}
		return 100*(1+3*inName/len(words)) + nearness(len(name), size)*found/len(words)
	})
}

// containsFolded reports whether text contains low, which is in lower case, regardless of the case of ASCII letters.
func containsFolded(text, low string) bool {
	for i := 0; i+len(low) <= len(text); i++ {
		if lower(text[i]) == low[0] && hasFoldedPrefix(text[i:], low) {
			return true
		}
	}
	return false
}

// searchSpelling returns the chunks whose name, without case and underscores, has the fewest edits from word: at most one for
// each four characters, and at most three.
func (s *Snapshot) searchSpelling(q Query, word string) ([]Hit, int) {
	most := min(len(word)/4, 3)
	if most == 0 || len(word) > 64 {
		return nil, 0
	}
	const shared = uint64(1) << 36 // the underscore
	key := keyOf(word) & keyChars &^ shared
	return s.each(q, func(f *File, i int) int {
		k := f.names.keys[i] & keyChars &^ shared
		if bits.OnesCount64(k&^key) > most || bits.OnesCount64(key&^k) > most {
			return 0
		}
		name := f.name(i)
		if len(name) < len(word)-most || len(name) > len(word)+most+strings.Count(name, "_") {
			return 0
		}
		distance := nearest.Distance(strings.ReplaceAll(strings.ToLower(name), "_", ""), word)
		if distance > most {
			return 0
		}
		return 100*(4-distance) + nearness(len(name), len(word))
	})
}
