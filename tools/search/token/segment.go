package token

import (
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxSegment is how many bytes are normalised at once.
const maxSegment = 4 << 10

// segment yields the words up to the next character or wrong byte that is in none,
// and answers where that is, or -1 to end. It goes on one character at least.
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
		goesOn, more := open && next == to, true
		switch {
		case kind == gap:
		case kind == pair:
			last := 0
			if last, more = s.pairs(buf, at, next, goesOn, yield); more && goesOn && s.place(last) > start {
				return s.place(last)
			}
		case goesOn && s.place(at) > start:
			return s.place(at) // once more, from here
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

// reach is where a segment ends, whether only because it is long, and whether all of
// it is known to be normalised.
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
		normal = normal && usual(r)
		end += size
	}
	return end, false, normal
}

// separates says that a character is one of those between words that are frequent in
// Japanese and Chinese, so that what is around them is looked at by itself.
func separates(r rune) bool {
	switch {
	case r < 0x3000:
		return false
	case r < 0xFF00:
		return r <= 0x3002 || 0x3008 <= r && r <= 0x3011
	}
	return 0xFF01 <= r && r <= 0xFF0F || 0xFF1A <= r && r <= 0xFF20 || 0xFF3B <= r && r <= 0xFF3E || 0xFF5B <= r && r <= 0xFF65
}

// usual says that a character is one of those of Japanese and Chinese that are
// normalised already, whatever is next to them but marks.
func usual(r rune) bool {
	return 0x4E00 <= r && r <= 0x9FFF || 0x3041 <= r && r <= 0x3096 || 0x30A1 <= r && r <= 0x30FC
}

// place is the place in the text of one in the normalised segment.
func (s *Scanner) place(at int) int {
	if s.places == nil {
		return at + int(s.base)
	}
	return int(s.places[at])
}

// normalise brings a segment into its normal form, with the place of each byte.
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

// span is the longest run of one kind: pair, inWord, or gap. It answers where it
// ends, its kind, and the classes in it.
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

// pairs yields the words of a run without spaces, and answers where its last
// character is. In a run that goes on that is no word.
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
	if goesOn && s.place(last) > s.place(start) {
		return last, true
	}
	return last, s.emit(text[last:end], Last, last, end, yield)
}
