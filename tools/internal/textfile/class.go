package textfile

import "sync"

// class is a kind of character that indicates the language of a text.
type class uint8

const (
	classSymbol class = iota // anything that is in none of the others
	classASCII
	classKana
	classPunctuation // of Japanese
	classFullWidth   // Latin letters and digits as wide as kanji
	classSchool      // kanji that every Japanese reader knows
	classKanji       // common kanji, of the first level
	classRareKanji
	classHalfKana
	classLowHalf // half-width katakana up to ｿ; only counted
	classPrivate // of the private use area
	classMalformed
	numClasses
)

// classWeights are the weights of the classes for the likelihood that a text is Japanese. halfKanaRun weighs half-width
// katakana.
var classWeights = [numClasses]int{
	classSymbol:      1,
	classKana:        6,
	classPunctuation: 4,
	classFullWidth:   4,
	classSchool:      4,
	classKanji:       1,
	classRareKanji:   -3,
	classPrivate:     -6,
	classMalformed:   -40,
}

func (c class) isKanji() bool { return c == classSchool || c == classKanji || c == classRareKanji }

// classTable returns the class of each character of the basic plane. It is created at first use.
var classTable = sync.OnceValue(func() *[1 << 16]class {
	t := new([1 << 16]class)
	set := func(first, last rune, c class) {
		for r := first; r <= last; r++ {
			t[r] = c
		}
	}
	set(0, 0x7F, classASCII)
	set(0x80, 0x80, classMalformed) // no text has it
	set(0x3000, 0x301F, classPunctuation)
	set('ぁ', 'ヾ', classKana)
	set(0xFF01, 0xFF5E, classFullWidth)
	set(firstHalfKana, lastHalfKana, classHalfKana)
	set(0xE000, 0xF8FF, classPrivate)
	set(0x4E00, 0x9FFF, classRareKanji)
	set(0xF900, 0xFAFF, classRareKanji)
	set('々', '々', classKanji)
	for code := jis0208(firstLevelRow, 0); code < jis0208(secondLevelRow, 0); code++ {
		if r := jisCharset().runes[code]; r != 0 && code&0x80 != 0 {
			t[r] = classKanji
		}
	}
	for _, r := range schoolKanji {
		t[r] = classSchool
	}
	return t
})

// The rows of JIS X 0208, as seven bits, at which the two levels of kanji begin.
const (
	firstLevelRow  = 0x30
	secondLevelRow = 0x50
)
