package textfile

// Weights of half-width katakana for the likelihood of Japanese, on the scale of scoreJapanese.
const (
	weightHalfKana    = 1  // in a row
	weightFrequent    = 1  // on top, for the commonest of them
	weightVoiced      = 4  // a voice mark behind a syllable that takes it
	weightShiftedHalf = 3  // with its single shift in front
	weightShiftedRow  = 7  // the same from the third in a row on
	weightLoneHalf    = -5 // between other characters
	weightOddHalf     = -4 // a voice mark or small kana where it cannot stand
)

// halfKanaRun weighs half-width katakana that follow one another.
type halfKanaRun struct {
	n, score int
	last     rune
}

func (h *halfKanaRun) add(r rune, size int) {
	switch {
	case !h.allows(r):
		h.score += weightOddHalf
	case size > 1 && h.n >= 2:
		h.score += weightShiftedRow
	case size > 1:
		h.score += weightShiftedHalf
	case isVoiceMark(r):
		h.score += weightVoiced
	case r == 'ﾝ' || r == 'ｽ' || r == 'ﾄ' || r == 'ﾙ' || 'ｧ' <= r && r <= 'ｰ':
		h.score += weightHalfKana + weightFrequent
	case r > '･':
		h.score += weightHalfKana
	}
	h.n++
	h.last = r
}

func isVoiceMark(r rune) bool { return r == 'ﾞ' || r == 'ﾟ' }

// allows reports whether a character can follow the last one: a voice mark follows a syllable with a voiced form, a small kana
// or a long vowel follows a syllable.
func (h *halfKanaRun) allows(r rune) bool {
	switch {
	case r == 'ﾞ':
		return 'ｶ' <= h.last && h.last <= 'ﾄ' || 'ﾊ' <= h.last && h.last <= 'ﾎ' || h.last == 'ｳ'
	case r == 'ﾟ':
		return 'ﾊ' <= h.last && h.last <= 'ﾎ'
	case r == 'ｯ' || r == 'ｰ':
		return 'ｧ' <= h.last && h.last != r
	case 'ｧ' <= r && r <= 'ｮ':
		return 'ｱ' <= h.last && h.last != 'ﾝ'
	case r == 'ﾝ':
		return 'ｧ' <= h.last && h.last != r
	}
	return true
}

// end returns the weight of the run and starts a new run.
func (h *halfKanaRun) end() int {
	score := h.score
	if h.n == 1 && score < weightShiftedHalf {
		score = weightLoneHalf
	}
	*h = halfKanaRun{}
	return score
}
