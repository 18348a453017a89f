package textfile

// scoreJapanese returns how likely b is Japanese text in an encoding. The scale is arbitrary; a score of zero or less means no.
// The weights were chosen so that Japanese paragraphs, words and lines of half-width katakana, and Western, Russian, Korean and
// Chinese text are classified correctly if their length permits.
func scoreJapanese(b []byte, cut bool, c codec) int {
	var (
		score   int
		prev    rune // the character in front, 0 at the start
		half    halfKanaRun
		mix     mixture
		classes = classTable()
	)
	for i := 0; i < len(b); {
		r, size, _ := c.decode(0, b[i:])
		if r == short {
			if !cut {
				score += classWeights[classMalformed]
			}
			break
		}
		class := classMalformed
		if r >= 0 {
			class = classes[r]
		}
		mix[class]++
		if class == classHalfKana {
			half.add(r, size)
			if r < 'ﾀ' {
				mix[classLowHalf]++
			}
		} else {
			score += half.end() + classWeights[class]
			if class.isKanji() {
				score += weighPlace(prev, b[i:i+size], b[i+size:])
			}
		}
		prev = r
		i += size
	}
	if mix.isForeign(c) {
		return 0
	}
	return score + half.end()
}

// weightInWord comes on top for a kanji that stands where a Western word goes on.
const weightInWord = -6

// weighPlace judges where a kanji stands. The Western it’s and très read as a kanji behind a letter, with a letter as
// its second byte or behind it, and no Japanese around.
func weighPlace(prev rune, raw, next []byte) int {
	if !isLetter(prev) || len(next) > 0 && next[0] >= 0x80 {
		return 0
	}
	if last := rune(raw[len(raw)-1]); isLetter(last) || len(next) > 0 && isLetter(rune(next[0])) {
		return weightInWord
	}
	return 0
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

// mixture counts the characters of each class.
type mixture [numClasses]int

// isForeign detects long texts of other languages by their proportions: Korean in EUC-KR decodes to mostly rare kanji, and
// Russian to half-width katakana from the second half of the table.
func (m *mixture) isForeign(c codec) bool {
	if m[classKana] > 0 {
		return false
	}
	if _, euc := c.(eucJP); euc {
		kanji := m[classSchool] + m[classKanji] + m[classRareKanji]
		if kanji >= 8 && m[classSchool]*5 < kanji*2 {
			return true
		}
	}
	return m[classHalfKana] >= 20 && m[classLowHalf]*8 < m[classHalfKana]
}
