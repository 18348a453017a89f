package grep

import "math/bits"

// byteSet is a set of bytes.
type byteSet [4]uint64

func (s *byteSet) has(b byte) bool { return s[b>>6]>>(b&63)&1 != 0 }

// add adds the bytes from lo to hi.
func (s *byteSet) add(lo, hi byte) {
	for b := int(lo); b <= int(hi); b++ {
		s[b>>6] |= 1 << (b & 63)
	}
}

func (s *byteSet) len() int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// first and last return the smallest and the greatest byte of a set that is not empty.
func (s *byteSet) first() byte {
	i := 0
	for s[i] == 0 {
		i++
	}
	return byte(64*i + bits.TrailingZeros64(s[i]))
}

func (s *byteSet) last() byte {
	i := len(s) - 1
	for s[i] == 0 {
		i--
	}
	return byte(64*i + 63 - bits.LeadingZeros64(s[i]))
}

// single returns the byte of a set with one element.
func (s *byteSet) single() (byte, bool) {
	if s.len() != 1 {
		return 0, false
	}
	return s.first(), true
}

// within reports whether other contains all bytes of s.
func (s *byteSet) within(other *byteSet) bool {
	for i := range s {
		if s[i]&^other[i] != 0 {
			return false
		}
	}
	return true
}

// isWordByte reports whether b is an ASCII word character, as \w of RE2.
func isWordByte(b byte) bool {
	return 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z' || '0' <= b && b <= '9' || b == '_'
}

// alphabet groups bytes that all sets of a machine treat alike, so that its tables need one column per group.
type alphabet struct {
	class [256]uint8
	first []byte // one byte of each group
}

// newAlphabet returns the groups for sets.
func newAlphabet(sets []byteSet) alphabet {
	var a alphabet
	a.first = []byte{0}
	for i := range sets {
		a.split(&sets[i])
	}
	return a
}

// split divides the groups that s contains partly.
func (a *alphabet) split(s *byteSet) {
	var moved [256]int // new group of the bytes in s, plus 1
	var outside [256]bool
	for b := range 256 {
		if !s.has(byte(b)) {
			outside[a.class[b]] = true
		}
	}
	for b := range 256 {
		old := a.class[b]
		if !s.has(byte(b)) || !outside[old] {
			continue
		}
		if moved[old] == 0 {
			a.first = append(a.first, byte(b))
			moved[old] = len(a.first)
		}
		a.class[b] = uint8(moved[old] - 1)
	}
	for b := 255; b >= 0; b-- {
		a.first[a.class[b]] = byte(b)
	}
}
