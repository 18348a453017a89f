package index

import (
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// A key is what is known of a name without looking at it. The lowest bits are the
// set of its characters, in any case: 26 letters, ten digits, the underscore, and
// the rest shared out among 16 bits. A name can hold another's characters in their
// order only if its set holds the other's. One bit says that there are characters
// that are not ASCII. The key of a chunk also has the class of the first character
// and the kind.
const (
	keyShared  = 37
	keyForeign = 1 << 53
	keyChars   = keyForeign - 1
	firstShift = 54
	firstMask  = 31 << firstShift
	kindShift  = 59
	kindBits   = 64 - kindShift
)

// keyOf is the set of the characters, with keyForeign.
func keyOf(name string) uint64 {
	var key uint64
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			return key | keyForeign | keyOfRunes(name[i:])
		}
		key |= asciiKeys[c]
	}
	return key
}

func keyOfRunes(name string) uint64 {
	var key uint64
	for _, r := range name {
		r = fold(r)
		if r < utf8.RuneSelf {
			key |= asciiKeys[r]
		} else {
			key |= 1 << (keyShared + uint(r)%16)
		}
	}
	return key
}

// keyOfChunk is the whole key of a chunk.
func keyOfChunk(kind source.Kind, name string) uint64 {
	return keyOf(name) | firstOf(name) | uint64(kind)<<kindShift
}

// firstOf is the class of the first character: the same for two names of ASCII of
// which one begins with the other, in any case.
func firstOf(name string) uint64 {
	if name == "" {
		return 0
	}
	class := uint64(31)
	switch c := lower(name[0]); {
	case 'a' <= c && c <= 'z':
		class = uint64(c - 'a' + 1)
	case '0' <= c && c <= '9':
		class = 27
	case c == '_':
		class = 28
	}
	return class << firstShift
}

var asciiKeys = func() (keys [utf8.RuneSelf]uint64) {
	for c := range keys {
		switch {
		case 'a' <= c && c <= 'z':
			keys[c] = 1 << (c - 'a')
		case 'A' <= c && c <= 'Z':
			keys[c] = 1 << (c - 'A')
		case '0' <= c && c <= '9':
			keys[c] = 1 << (26 + c - '0')
		case c == '_':
			keys[c] = 1 << 36
		default:
			keys[c] = 1 << (keyShared + c%16)
		}
	}
	return keys
}()

// fold is the same for the forms of a letter that differ in case.
func fold(r rune) rune {
	switch {
	case 'A' <= r && r <= 'Z':
		return r + 'a' - 'A'
	case r < utf8.RuneSelf:
		return r
	}
	least := r
	for other := unicode.SimpleFold(r); other != r; other = unicode.SimpleFold(other) {
		least = min(least, other)
	}
	if 'A' <= least && least <= 'Z' {
		least += 'a' - 'A'
	}
	return least
}

// beginning holds the first characters of a name, five bits each: 1 to 26 for a letter
// of ASCII in any case, 27 for another byte, 0 behind the end.
type beginning [2]uint64

const (
	headChars = 12           // in each half
	headOnes  = 1<<60/31 | 1 // the lowest bit of each
	headLows  = headOnes * 15
	headHighs = headOnes * 16
	headOther = 27
)

func headOf(name string) (h beginning) {
	h[0] = headPart(name)
	if len(name) > headChars {
		h[1] = headPart(name[headChars:])
	}
	return h
}

func headPart(name string) (part uint64) {
	for i := min(len(name), headChars) - 1; i >= 0; i-- {
		part = part<<5 | uint64(headCodes[name[i]])
	}
	return part
}

var headCodes = func() (codes [256]uint8) {
	for c := range codes {
		codes[c] = headOther
		if low := lower(byte(c)); 'a' <= low && low <= 'z' {
			codes[c] = low - 'a' + 1
		}
	}
	return codes
}()

// patterns are what the letters of a needle are compared with in a head; nil if it
// has other characters.
func patterns(low string) []uint64 {
	var all []uint64
	for i := range len(low) {
		code := headCodes[low[i]]
		if code == headOther {
			return nil
		}
		all = append(all, uint64(code)*headOnes)
	}
	return all
}

// places are the highest bits of the characters in a part of a head that are those
// of a pattern.
func places(part, pattern uint64) uint64 {
	x := part ^ pattern
	return ^(x&headLows + headLows | x) & headHighs
}

// has says whether a name of ASCII, which has all the letters, has them in their
// order, if its head tells.
func (h *beginning) has(patterns []uint64) (fits, sure bool) {
	half, after := 0, ^uint64(0) // the characters that come after those that were found
	for i, p := range patterns {
		found := places(h[half], p) & after
		if found == 0 && half == 0 {
			half, after = 1, ^uint64(0)
			found = places(h[1], p)
		}
		if found == 0 {
			whole := h[1]>>(5*(headChars-1)) == 0
			last := i == len(patterns)-1 && places(h[0], p)|places(h[1], p) == 0 // it stands behind the head
			return !whole && last, whole || last
		}
		after = -((found & -found) << 1)
	}
	return true, true
}
