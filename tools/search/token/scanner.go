package token

import (
	"iter"
	"unicode"
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
	// Start and End are the offsets of the word in the text, in bytes.
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
	places []int32 // offset in the text of each byte of normal; nil if the words are read from the text itself
	base   int32   // added to an offset if places is nil
}

// Words returns the words of a text of less than 2 GiB, in order. Bytes that are not
// UTF-8 separate words.
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

// number returns the end of a number at offset at, including parts after points.
func number(text []byte, at int) int {
	for at+1 < len(text) && text[at] == '.' && classes[text[at+1]] == digit {
		for at++; at < len(text) && classes[text[at]]&(letter|digit) != 0; at++ {
		}
	}
	return at
}

// run yields the words of text[start:end], which consists of letters, digits and
// underscores. seen is the union of their classes.
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
	case seen == lower && text[start] < utf8.RuneSelf: // all bytes are ASCII
		return s.emit(text[start:min(end, start+MaxWord)], Plain, start, end, yield)
	case classes[text[start]] == digit:
		s.folded = appendFolded(s.folded[:0], text[start:min(end, start+MaxWord)])
		return s.emit(cut(s.folded), Number, start, end, yield)
	}
	return s.name(text, start, end, yield)
}

// emit yields a word. start and end are offsets in the normalized segment, or in the
// text if places is nil; emit converts them.
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

// maxSegment is the number of bytes that are normalized at once. A longer text without
// gaps is split into several segments.
const maxSegment = 4 << 10

// segment yields the words of one segment: the text from start to the next gap, at most
// about maxSegment bytes. It returns the offset at which the scan continues, after start,
// or -1 if the loop over the words has ended. If the segment was cut at maxSegment, a
// word may continue after it. segment then returns the offset of its last word or pair,
// and the next call reads that again with the text after it.
func (s *Scanner) segment(text []byte, start int, yield func(Word) bool) int {
	end, open, normal := reach(text, start)
	if end == start {
		_, size := utf8.DecodeRune(text[start:])
		return start + size
	}
	buf, at, to := text, start, end
	s.places, s.base = nil, 0
	if !normal && !norm.NFKC.IsNormal(text[start:end]) {
		s.normalise(text[start:end], start)
		buf, at, to = s.normal, 0, len(s.normal)
	}
	for at < to {
		next, kind, seen := span(buf[:to], at)
		goesOn, more := open && next == to, true // goesOn: the word may continue after the segment
		switch {
		case kind == gap:
		case kind == pair:
			last := 0
			if last, more = s.pairs(buf, at, next, goesOn, yield); more && goesOn && s.originalOffset(last) > start {
				return s.originalOffset(last)
			}
		case goesOn && s.originalOffset(at) > start:
			return s.originalOffset(at) // the next segment begins with this word
		default:
			more = s.run(buf, at, next, seen, yield)
		}
		if !more {
			return -1
		}
		at = next
	}
	return end
}

// reach returns the end of the segment at start. open reports that the segment was cut at
// maxSegment, and normal that it is certainly normalized already.
func reach(text []byte, start int) (end int, open, normal bool) {
	normal = true
	for end = start; end < len(text) && classes[text[end]] != gap; {
		if end-start >= maxSegment {
			return end, true, normal
		}
		if text[end] < utf8.RuneSelf {
			end++
			continue
		}
		r, size := utf8.DecodeRune(text[end:])
		if r == utf8.RuneError && size == 1 || separates(r) {
			break
		}
		normal = normal && isNormalized(r)
		end += size
	}
	return end, false, normal
}

// separates reports whether a rune is a frequent Japanese or Chinese punctuation mark or
// space. A segment ends before it.
func separates(r rune) bool {
	switch {
	case r < 0x3000:
		return false
	case r < 0xFF00:
		return r <= 0x3002 || 0x3008 <= r && r <= 0x3011
	}
	return 0xFF01 <= r && r <= 0xFF0F || 0xFF1A <= r && r <= 0xFF20 || 0xFF3B <= r && r <= 0xFF3E || 0xFF5B <= r && r <= 0xFF65
}

// isNormalized reports whether a Japanese or Chinese rune is already normalized, unless a
// combining mark follows.
func isNormalized(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FC
}

// originalOffset returns the offset in the text for an offset in the normalized segment.
func (s *Scanner) originalOffset(at int) int {
	if s.places == nil {
		return at + int(s.base)
	}
	return int(s.places[at])
}

// normalise sets normal to the normalized segment, and places to the offset of each byte.
func (s *Scanner) normalise(segment []byte, start int) {
	s.normal, s.places = s.normal[:0], s.places[:0]
	s.form.Init(norm.NFKC, segment)
	for !s.form.Done() {
		place := int32(start + s.form.Pos())
		for _, c := range s.form.Next() {
			s.normal = append(s.normal, c)
			s.places = append(s.places, place)
		}
	}
	s.places = append(s.places, int32(start+len(segment)))
}

// span finds the longest run of characters of one kind at an offset. The kind is pair,
// inWord or gap (a class, not a Kind of words). span returns the end of the run, its kind
// and the union of the classes in it.
func span(text []byte, at int) (next int, kind, seen class) {
	for next = at; next < len(text); {
		c, size := classes[text[next]], 1
		if c == wide {
			var r rune
			r, size = utf8.DecodeRune(text[next:])
			c = classOf(r)
		}
		k := c
		switch {
		case c == mark:
			k = kind // of what it belongs to
		case c&inWord != 0:
			k = inWord
		}
		if next > at && k != kind {
			break
		}
		kind, seen = k, seen|c
		next += size
	}
	return next, kind, seen
}

// pairs yields the words of a run without spaces, and returns the offset of its last
// character. That character is also a word, unless the run continues (goesOn).
func (s *Scanner) pairs(text []byte, start, end int, goesOn bool, yield func(Word) bool) (last int, more bool) {
	last = start
	_, size := utf8.DecodeRune(text[start:end])
	for at := start + size; at < end; {
		_, size = utf8.DecodeRune(text[at:end])
		if !s.emit(text[last:at+size], Pair, last, at+size, yield) {
			return last, false
		}
		last, at = at, at+size
	}
	if goesOn && s.originalOffset(last) > s.originalOffset(start) {
		return last, true
	}
	return last, s.emit(text[last:end], Last, last, end, yield)
}

// class is the role of a character in a word. Values are bits that can be combined.
type class uint8

const (
	gap   class = 0 // between words
	lower class = 1 << iota
	upper
	digit
	under
	wide // a byte that is not ASCII
	pair // a character of a script without spaces
	mark // belongs to the character before
)

const letter = lower | upper

// inWord is the union of the classes in words of letters and digits.
const inWord = letter | digit | under | mark

var classes = func() (c [256]class) {
	for b := range c {
		switch {
		case 'a' <= b && b <= 'z':
			c[b] = lower
		case 'A' <= b && b <= 'Z':
			c[b] = upper
		case '0' <= b && b <= '9':
			c[b] = digit
		case b == '_':
			c[b] = under
		case b >= 0x80:
			c[b] = wide
		}
	}
	return c
}()

// classOf returns the class of a character.
func classOf(r rune) class {
	switch {
	case r < 0x80:
		return classes[r]
	case paired(r):
		return pair
	case r == unicode.ReplacementChar:
		return gap
	case unicode.IsUpper(r) || unicode.IsTitle(r):
		return upper
	case unicode.IsLetter(r):
		return lower
	case unicode.IsDigit(r):
		return digit
	case unicode.IsMark(r):
		return mark
	}
	return gap
}

// paired reports whether words with a character are split into pairs: characters of
// scripts without spaces, and Hangul, because Korean words have endings.
func paired(r rune) bool {
	switch {
	case r < 0x0E01:
		return false
	case r < 0x1100:
		return r <= 0x0E4E && r != 0x0E3F || 0x0E81 <= r && r <= 0x0EDF || 0x1000 <= r && r <= 0x109F
	case r < 0x3005:
		return r <= 0x11FF || 0x1780 <= r && r <= 0x17D3
	case r < 0x3400:
		return r <= 0x3007 || 0x3021 <= r && r <= 0x3029 || 0x3031 <= r && r <= 0x3035 || r == 0x303B ||
			0x3041 <= r && r <= 0x309F && r != 0x309B && r != 0x309C ||
			0x30A1 <= r && r <= 0x31FF && r != 0x30FB && (r <= 0x318E || r >= 0x31A0)
	case r < 0xAC00:
		return r <= 0x4DBF || 0x4E00 <= r && r <= 0x9FFF
	case r < 0x20000:
		return r <= 0xD7A3 || 0xF900 <= r && r <= 0xFAFF
	}
	return r <= 0x3FFFD
}

// fold returns the lower case of a character. The final sigma becomes the other one.
func fold(r rune) rune {
	if r == 'ς' {
		return 'σ'
	}
	return unicode.ToLower(r)
}
