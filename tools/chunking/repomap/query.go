package repomap

import (
	"math"
	"math/bits"
	"slices"
	"strings"
)

// maxTerms limits the words of a query that count.
const maxTerms = 32

// terms are the stems of the words of a query.
type terms []string

// parseTerms returns the terms of a query.
func parseTerms(query string) terms {
	var found terms
	ignored := stopWords()
	for word := range words(query) {
		if slices.Contains(ignored, word) {
			continue
		}
		if s := stem(word); len(s) > 1 && !slices.Contains(found, s) && len(found) < maxTerms {
			found = append(found, s)
		}
	}
	return found
}

// stopWords returns words of questions that name nothing in a project.
func stopWords() []string {
	return strings.Fields("a an and are as at be by can code do does for from function functions get go happens has have how in into is it its main of on one or out put file files class method that the their them there these this to up used uses using was way what when where which who why will with work works")
}

// words returns the words of a text or of a compound name, in lower case.
func words(text string) func(func(string) bool) {
	return func(yield func(string) bool) {
		begin := -1
		flush := func(end int) bool {
			ok := begin < 0 || yield(strings.ToLower(text[begin:end]))
			begin = -1
			return ok
		}
		for i := 0; i < len(text); i++ {
			c := text[i]
			upper := 'A' <= c && c <= 'Z'
			switch {
			case !upper && !('a' <= c && c <= 'z') && !('0' <= c && c <= '9') && c < 0x80:
				if !flush(i) {
					return
				}
				continue
			case begin < 0:
				begin = i
			case upper && (isLower(text[i-1]) || i+1 < len(text) && isLower(text[i+1])):
				if !flush(i) {
					return
				}
				begin = i
			}
		}
		flush(len(text))
	}
}

func isLower(c byte) bool { return 'a' <= c && c <= 'z' }

// stem returns a word in lower case without its ending, so that "routed", "routing" and
// "router" are equal.
func stem(word string) string {
	for range 2 {
		for _, ending := range []string{"ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate", "ions", "ion", "ings", "ing", "ers", "er", "ors", "or", "ies", "ied", "ed", "es", "s", "e", "y"} {
			rest, ok := strings.CutSuffix(word, ending)
			if !ok || len(rest) < 3 || ending == "s" && strings.HasSuffix(rest, "s") {
				continue
			}
			word = rest
			break
		}
	}
	return word
}

// match is the terms that a name contains, as bits, and their part of its words.
type match struct {
	terms uint32
	part  float32
}

// match compares the words of a name with the terms.
func (t terms) match(name string) match {
	var m match
	count := 0
	for word := range words(name) {
		count++
		if len(word) < 2 || !slices.ContainsFunc(t, func(s string) bool { return s[:2] == word[:2] }) {
			continue
		}
		if at := slices.Index(t, stem(word)); at >= 0 {
			m.terms |= 1 << at
		}
	}
	if count > 0 {
		m.part = float32(bits.OnesCount32(m.terms)) / float32(count)
	}
	return m
}

// Weights of the places in which a term is found.
const (
	termName      = 3
	termContainer = 1.5
	termPath      = 1
	termBody      = 0.5
	saturation    = 2
)

// relevant returns the relevance of the nodes to a query, by the words of their names,
// their enclosing types, their paths, and the names that they use. It is nil if none is
// relevant.
func (s *spreading) relevant(query string) []float64 {
	t := parseTerms(query)
	if len(t) == 0 {
		return nil
	}
	names := make([]match, len(s.texts))
	for i, text := range s.texts {
		names[i] = t.match(text)
	}
	found := make([]float32, len(t)*len(s.places)) // by place and term
	of := func(place int) []float32 { return found[place*len(t) : (place+1)*len(t)] }
	for i := range s.names {
		m := t.match(s.names[i].text)
		begin, end := s.placesOf(i)
		for at := begin; at < end; at++ {
			add(of(int(at)), m.terms, termName*(0.4+0.6*m.part))
		}
	}
	for i := range s.places {
		if outer := s.places[i].outer; outer >= 0 {
			c := t.match(s.files[s.places[outer].file].Symbol(int(s.places[outer].chunk)).Name)
			add(of(i), c.terms, termContainer*(0.4+0.6*c.part))
		}
	}
	for i, f := range s.files {
		m := t.match(f.Path)
		base := t.match(baseName(f.Path))
		for _, at := range s.placeOf[s.starts[i]:s.starts[i+1]] {
			if at >= 0 {
				add(of(int(at)), m.terms, termPath/2)
				add(of(int(at)), base.terms, termPath)
			}
		}
		for _, u := range s.contents[i].uses {
			if m := names[u.name]; m.terms != 0 {
				if at := s.node(i, u.owner); int(at) < len(s.places) {
					add(of(int(at)), m.terms, termBody*m.part*float32(math.Sqrt(float64(u.count))))
				}
			}
		}
	}
	idf := t.rarity(found)
	all := 0.0
	for k := range t {
		all += idf[k]
	}
	if all == 0 {
		return nil
	}
	values := make([]float64, len(s.places)+len(s.files))
	for i := range s.places {
		sum, covered := 0.0, 0.0
		for k := range t {
			if f := float64(of(i)[k]); f > 0 {
				sum += idf[k] * f / (f + saturation)
				covered += idf[k] * min(f/termName, 1)
			}
		}
		values[i] = sum * math.Sqrt(covered/all) * math.Sqrt(float64(s.places[i].weight))
	}
	return values
}

// add adds a value for each of the terms.
func add(to []float32, terms uint32, value float32) {
	for ; terms != 0; terms &= terms - 1 {
		to[bits.TrailingZeros32(terms)] += value
	}
}

// rarity returns the weight of each term: rare words tell more.
func (t terms) rarity(found []float32) []float64 {
	idf := make([]float64, len(t))
	for k := range t {
		n := 0
		for at := k; at < len(found); at += len(t) {
			if found[at] >= 1 {
				n++
			}
		}
		if n > 0 {
			idf[k] = math.Log(1 + float64(len(found)/len(t))/float64(n))
		}
	}
	return idf
}
