package token

import "unicode/utf8"

// maxRun is the length in bytes of a run of letters and digits from which on its
// parts are not looked for: no person has written it.
const maxRun = 256

// part is a part of a name, in the text and in the folded whole. Letters is where
// its digits begin, or 0.
type part struct{ start, end, from, to, letters int }

// name yields the words of a name.
func (s *Scanner) name(text []byte, start, end int, yield func(Word) bool) bool {
	s.split(text, start, min(end, start+maxRun))
	whole, parts := s.folded, s.parts
	if len(whole) < 2 && !s.Singles || len(whole) == 0 {
		return true
	}
	if len(parts) == 1 {
		return s.emit(cut(whole), Plain, start, end, yield) && s.letters(parts[0], yield)
	}
	if !s.emit(cut(whole), Whole, start, end, yield) {
		return false
	}
	if encoded := len(whole) >= 24 && len(parts)*3 > len(whole); encoded {
		return true
	}
	for _, p := range parts {
		if p.to-p.from < 2 {
			continue
		}
		if !s.emit(cut(whole[p.from:p.to]), Part, p.start, p.end, yield) || !s.letters(p, yield) {
			return false
		}
	}
	return true
}

// letters yields a part without the digits at its end.
func (s *Scanner) letters(p part, yield func(Word) bool) bool {
	if p.letters-p.from < 2 {
		return true
	}
	digits := p.to - p.letters
	return s.emit(cut(s.folded[p.from:p.letters]), Part, p.start, p.end-digits, yield)
}

// split folds a name and finds its parts. A part is, in short, upper case letters,
// lower case letters and digits, in this order.
func (s *Scanner) split(text []byte, start, end int) {
	s.folded, s.parts = s.folded[:0], s.parts[:0]
	p := part{start: start}
	before, numeric := under, false // the class before; whether the part begins with a digit
	for at := start; at < end; {
		c, size := classes[text[at]], 1
		if c == lower && before&letter != 0 { // as most do, the rest of a part
			from := at
			for at < end && classes[text[at]] == lower {
				at++
			}
			s.folded = append(s.folded, text[from:at]...)
			before = lower
			continue
		}
		var r rune
		if c == wide {
			r, size = utf8.DecodeRune(text[at:end])
			if c = classOf(r); c == mark || c == gap {
				if c = before; c == under { // a mark of nothing
					at += size
					continue
				}
			}
		}
		if c == under || ends(before, c, numeric, text[at+size:end]) {
			s.close(p, at)
			p = part{start: at, from: len(s.folded)}
			if before = under; c == under {
				p.start = at + size
			}
		}
		switch {
		case before == under:
			numeric = c == digit
		case c == digit && before != digit && !numeric:
			p.letters = len(s.folded)
		}
		switch {
		case size > 1:
			s.folded = utf8.AppendRune(s.folded, fold(r))
		case c == upper:
			s.folded = append(s.folded, text[at]+'a'-'A')
		case c != under:
			s.folded = append(s.folded, text[at])
		}
		before = c
		at += size
	}
	s.close(p, end)
}

// close ends a part, unless nothing is in it.
func (s *Scanner) close(p part, end int) {
	if p.to = len(s.folded); p.to > p.from {
		p.end = end
		s.parts = append(s.parts, p)
	}
}

// ends says that a part ends before a character of class c; rest comes after it.
func ends(before, c class, numeric bool, rest []byte) bool {
	switch {
	case c == upper && before == lower:
		return true
	case c == upper && before == upper:
		return begins(rest) && !(rest[0] == 's' && !begins(rest[1:])) // URLs
	case c&letter != 0 && before == digit:
		return !numeric || c == upper && begins(rest)
	}
	return false
}

// begins says that a text begins with a lower case letter of ASCII.
func begins(text []byte) bool { return len(text) > 0 && classes[text[0]] == lower }
