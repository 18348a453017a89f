package index

import (
	"math/bits"
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/source"
)

// A key summarizes a name. Bits 0 to 36 stand for letters without case, digits and the
// underscore; the next 16 bits are shared by all other characters; keyForeign marks
// non-ASCII characters. A name can contain a needle only if its key has all bits of the
// needle's key. The key of a chunk also has the class of the first character and the
// kind.
const (
	keyShared  = 37
	keyForeign = 1 << 53
	keyChars   = keyForeign - 1
	firstShift = 54
	firstMask  = 31 << firstShift
	kindShift  = 59
	kindBits   = 64 - kindShift
)

// keyOf returns the character bits of a name, with keyForeign.
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

// keyOfChunk returns the complete key of a chunk.
func keyOfChunk(kind source.Kind, name string) uint64 {
	return keyOf(name) | firstOf(name) | uint64(kind)<<kindShift
}

// firstOf returns the class of the first character, without case. An ASCII name and its
// prefixes have the same class.
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

// fold returns one representative for all case variants of a letter.
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

// beginning encodes the first 24 bytes of a name with five bits each: 1 to 26 for ASCII
// letters without case, 27 for other bytes, 0 after the end.
type beginning [2]uint64

const (
	headChars = 12 // in each half
	headSize  = 2 * headChars
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

// len returns the length of the name in bytes, or headSize for a longer one.
func (h *beginning) len() int {
	if h[1] != 0 {
		return headChars + (bits.Len64(h[1])+4)/5
	}
	return (bits.Len64(h[0]) + 4) / 5
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

// patterns returns each letter of a needle, repeated for all positions of a head part;
// nil if a character is not an ASCII letter.
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

// places returns the highest bit of each position in part that equals the pattern.
func places(part, pattern uint64) uint64 {
	x := part ^ pattern
	return ^(x&headLows + headLows | x) & headHighs
}

// has reports whether an ASCII name contains the letters in order. sure is false if the
// head does not decide that. The name must contain all letters.
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

// contains reports whether an ASCII name contains the letters side by side. sure is false if the head does not decide that.
func (h *beginning) contains(patterns []uint64) (fits, sure bool) {
	first, second := uint64(headHighs), uint64(headHighs) // the places of the last letter found
	for i, p := range patterns {
		if i > 0 {
			first, second = first<<5, second<<5|first>>(5*(headChars-1))
		}
		first &= places(h[0], p)
		second &= places(h[1], p)
		if first|second == 0 {
			return false, h[1]>>(5*(headChars-1)) == 0
		}
	}
	return true, true
}
