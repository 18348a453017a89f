package index

import (
	"unicode"
	"unicode/utf8"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// keyOf is the set of the characters of a name, in any case: 26 letters, ten
// digits, the underscore, and the rest shared out among 27 bits. A name can hold
// another's characters in their order only if its set holds the other's.
func keyOf(name string) uint64 {
	var key uint64
	for i := 0; i < len(name); i++ {
		c := name[i]
		if c >= utf8.RuneSelf {
			return key | keyOfRunes(name[i:])
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
			key |= 1 << (37 + uint(r)%27)
		}
	}
	return key
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
			keys[c] = 1 << (37 + c%27)
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

// keysOf are the keys of all chunks.
func keysOf(chunks []parse.Chunk) []uint64 {
	keys := make([]uint64, len(chunks))
	for i := range chunks {
		keys[i] = keyOf(chunks[i].Name)
	}
	return keys
}
