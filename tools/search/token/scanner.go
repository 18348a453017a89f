package token

import (
	"iter"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// MaxWord is the length in bytes at which a word is cut.
const MaxWord = 64

// Kind says where a word comes from.
type Kind uint8

// The kinds.
const (
	Plain  Kind = iota // a word of one part
	Whole              // a name of several parts, without what is between them
	Part               // a part of the Whole before it, or a Plain one without its digits
	Number             // begins with a digit
	Pair               // two characters of a script that is written without spaces
	Last               // the last character of such a run
)

// Word is a word of a text.
type Word struct {
	// Text is the normalised word. It is valid until the loop goes on, and must not
	// be changed.
	Text []byte
	Kind Kind
	// Start and End are its place in the text.
	Start, End int32
}

// Scanner finds the words of texts, one text at a time. It allocates nothing per
// word or text once it has grown. The zero value is ready; it must not be used from
// two goroutines at once, nor in a loop over its own words.
type Scanner struct {
	// Singles asks for words of one ASCII letter or digit as well.
	Singles bool

	folded []byte
	parts  []part
	form   norm.Iter
	normal []byte  // a segment in the form NFKC
	places []int32 // of each byte of normal in the text; nil if it is the text
	base   int32   // what is added to a place otherwise
}

// Words are the words of a text of less than 2 GiB, in order. Bytes that are not
// UTF-8 are between words.
func (s *Scanner) Words(text []byte) iter.Seq[Word] {
	return func(yield func(Word) bool) { s.scan(text, yield) }
}

func (s *Scanner) scan(text []byte, yield func(Word) bool) {
	for at := 0; at < len(text); {
		seen := classes[text[at]]
		if seen == gap {
			at++
			continue
		}
		start := at
		if seen != wide {
			at++
			for at < len(text) && classes[text[at]]&inWord != 0 {
				seen |= classes[text[at]]
				at++
			}
		}
		if at < len(text) && text[at] >= utf8.RuneSelf && at-start <= maxRun {
			if at = s.segment(text, start, yield); at < 0 {
				return
			}
			continue
		}
		if classes[text[start]] == digit {
			at = number(text, at)
		}
		s.places, s.base = nil, 0
		if !s.run(text, start, at, seen, yield) {
			return
		}
	}
}

// number is where a number ends that may go on after a point.
func number(text []byte, at int) int {
	for at+1 < len(text) && text[at] == '.' && classes[text[at+1]] == digit {
		for at++; at < len(text) && classes[text[at]]&(letter|digit) != 0; at++ {
		}
	}
	return at
}

// run yields the words of text[start:end], which is of classes that make up words.
func (s *Scanner) run(text []byte, start, end int, seen class, yield func(Word) bool) bool {
	if seen&under != 0 {
		for start < end && text[start] == '_' {
			start++
		}
		for start < end && text[end-1] == '_' {
			end--
		}
	}
	if end-start < 2 && (!s.Singles || start == end) {
		return true
	}
	switch {
	case seen == lower && text[start] < utf8.RuneSelf: // so are all
		return s.emit(text[start:min(end, start+MaxWord)], Plain, start, end, yield)
	case classes[text[start]] == digit:
		s.folded = appendFolded(s.folded[:0], text[start:min(end, start+MaxWord)])
		return s.emit(cut(s.folded), Number, start, end, yield)
	}
	return s.name(text, start, end, yield)
}

// emit yields a word, whose places are told in the normalised text.
func (s *Scanner) emit(word []byte, kind Kind, start, end int, yield func(Word) bool) bool {
	if s.places == nil {
		return yield(Word{word, kind, int32(start) + s.base, int32(end) + s.base})
	}
	return yield(Word{word, kind, s.places[start], s.places[end]})
}

// appendFolded appends a text in lower case, without underscores.
func appendFolded(dst, text []byte) []byte {
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c >= utf8.RuneSelf:
			r, size := utf8.DecodeRune(text[i:])
			if i == 0 || text[i-1] != '_' || classOf(r) != mark {
				dst = utf8.AppendRune(dst, fold(r))
			}
			i += size
			continue
		case classes[c] == upper:
			dst = append(dst, c+'a'-'A')
		case c != '_':
			dst = append(dst, c)
		}
		i++
	}
	return dst
}

// cut shortens a word to MaxWord bytes.
func cut(word []byte) []byte {
	if len(word) <= MaxWord {
		return word
	}
	end := MaxWord
	for end > 0 && !utf8.RuneStart(word[end]) {
		end--
	}
	return word[:end]
}
