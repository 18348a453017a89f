package template

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	maxMessage = 4 << 10 // bytes of a message; the rest is ignored
	minWords   = 3       // words of a message
	maxRuns    = 8       // runs of each length
)

// Message is a normalized message. It is immutable, and safe for concurrent use.
type Message struct {
	text  []byte // lower case (ASCII), with single spaces
	lines []line
	plain bool            // whether the text has no sign of a message besides its words
	grams [1 << 10]uint64 // set of hashes of three adjacent letters in text
}

// line is a line of the message as pasted.
type line struct {
	start, end int // within Message.text
	weight     int // letters; see weigh
}

// Parse returns the message for a text. ok is false for texts that are no message: a question, a name, or fewer than three
// words. Text beyond 4 KiB is ignored.
func Parse(text string) (m *Message, ok bool) {
	if len(text) > maxMessage {
		text = text[:maxMessage]
	}
	text = escapes.ReplaceAllString(text, "")
	if isQuestion(text) {
		return nil, false
	}
	m = &Message{plain: !hasSign(text)}
	for one := range strings.Lines(text) {
		start := len(m.text)
		for word := range strings.FieldsSeq(one) {
			if len(m.text) > 0 {
				m.text = append(m.text, ' ')
			}
			m.text = appendLower(m.text, word)
		}
		if weight := weigh(m.text[start:]); weight > 0 {
			m.lines = append(m.lines, line{start, len(m.text), weight})
		}
	}
	for i := 2; i < len(m.text); i++ {
		h := gram(m.text[i-2], m.text[i-1], m.text[i])
		m.grams[h>>6] |= 1 << (h & 63)
	}
	words := 0
	for _, l := range m.lines {
		words += countWords(m.text[l.start:l.end])
	}
	return m, words >= minWords
}

// gram returns the hash of three bytes, of 16 bits.
func gram(a, b, c byte) uint32 {
	return (uint32(a)<<11 ^ uint32(b)<<6 ^ uint32(c)<<1 ^ uint32(c)>>5) & 0xFFFF
}

// hasGram reports whether the message may contain three adjacent letters.
func (m *Message) hasGram(a, b, c byte) bool {
	h := gram(a, b, c)
	return m.grams[h>>6]&(1<<(h&63)) != 0
}

// escapes are the sequences that color a text in a terminal.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*[A-Za-z]")

// isQuestion reports whether a text asks for something instead of reporting it.
func isQuestion(text string) bool {
	first, _, _ := strings.Cut(strings.ToLower(strings.TrimSpace(text)), " ")
	switch first {
	case "how", "what", "where", "which", "why", "when", "who", "does", "explain":
		return true
	}
	return false
}

// hasSign reports whether a text has marks or words that are typical of messages: digits, quotes, a colon, a path, "cannot".
func hasSign(text string) bool {
	return strings.ContainsAny(text, "0123456789:'\"`()[]{}<>/\\=\n«»「」『』") || signs.MatchString(text)
}

var signs = regexp.MustCompile(`(?i)\b(error|err|fail(ed|ure|s)?|cannot|can't|could|couldn't|unable|invalid|illegal|expected|unexpected|missing|` +
	`unknown|denied|must|mustn't|not|no|already|refused|exceed(s|ed)?|unsupported|required|requires|warn(ing)?|fatal|panic|exception|` +
	`deprecated|undefined|forbidden|timeout|timed|too|malformed|mismatch|abort(ed)?|overflow|bad|broken|corrupt(ed)?)\b|` +
	`できません|ません|失敗|エラー|不正|無効|必要|错误|失败|无法`)

// Words returns the words of the message for a word search, without quotes and other marks that have a meaning in queries.
func (m *Message) Words() string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("\"`«»「」", r) {
			return ' '
		}
		return r
	}, string(m.text))
}

// Runs returns texts of two and three words that follow each other in the message, without words that look like variable parts. A
// file with the template contains some of them.
func (m *Message) Runs() []string {
	var runs []string
	for length := 3; length > 1; length-- {
		most := len(runs) + maxRuns
		for _, l := range m.lines {
			words := bytes.Split(m.text[l.start:l.end], []byte(" "))
			for i := 0; i+length <= len(words) && len(runs) < most; i++ {
				if run := joinFixed(words[i : i+length]); run != "" {
					runs = append(runs, run)
				}
			}
		}
	}
	return runs
}

// joinFixed joins words without the marks at both ends. It returns "" if one of them looks like a variable part: it has digits,
// quotes or slashes.
func joinFixed(words [][]byte) string {
	for _, word := range words {
		if bytes.ContainsAny(word, "0123456789'\"`/\\") {
			return ""
		}
	}
	notLetter := func(r rune) bool { return !unicode.IsLetter(r) }
	first := bytes.TrimLeftFunc(words[0], notLetter)
	last := bytes.TrimRightFunc(words[len(words)-1], notLetter)
	if len(first) == 0 || len(last) == 0 || unicode.IsPunct(rune(first[len(first)-1])) && len(words) == 2 {
		return ""
	}
	run := string(first)
	for _, word := range words[1 : len(words)-1] {
		run += " " + string(word)
	}
	return run + " " + string(last)
}

// lineAt returns the line of the message that contains an offset.
func (m *Message) lineAt(at int) line {
	for _, l := range m.lines {
		if at < l.end {
			return l
		}
	}
	return m.lines[len(m.lines)-1]
}

// find returns the first occurrence of part in the message at or after an offset, or -1. left and right demand that no letter or
// digit adjoins the part there. Each comparison reduces *budget; without budget the result is -1.
func (m *Message) find(part []byte, from int, left, right bool, budget *int) int {
	for from <= len(m.text)-len(part) && *budget > 0 {
		*budget--
		at := bytes.Index(m.text[from:], part)
		if at < 0 {
			return -1
		}
		at += from
		end := at + len(part)
		if (!left || at == 0 || !adjoin(m.text[at-1], part[0])) && (!right || end == len(m.text) || !adjoin(part[len(part)-1], m.text[end])) {
			return at
		}
		from = at + 1
	}
	return -1
}

// adjoin reports whether two adjacent bytes belong to one word. Other scripts than Latin have no spaces between words.
func adjoin(a, b byte) bool { return isAlnum(a) && isAlnum(b) }

func isAlnum(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_'
}

// appendLower appends a text with its ASCII letters in lower case.
func appendLower(to []byte, text string) []byte {
	for i := range len(text) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		to = append(to, c)
	}
	return to
}

// weigh returns the number of letters of a text. An ideograph or a kana counts twice. Digits do not count: in a message most of
// them are variable.
func weigh(text []byte) int {
	n := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < utf8.RuneSelf {
			if c |= 0x20; 'a' <= c && c <= 'z' {
				n++
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(text[i:])
		switch {
		case isDense(r):
			n += 2
		case unicode.IsLetter(r):
			n++
		}
		i += size
	}
	return n
}

// countWords returns the number of words with a letter. Two ideographs or kana count as a word.
func countWords(text []byte) int {
	words, dense, inside := 0, 0, false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		i += size
		switch {
		case isDense(r):
			dense++
			inside = false
		case unicode.IsLetter(r) || inside && (r == '\'' || r == '_' || r == '-' || unicode.IsDigit(r)):
			if !inside {
				words++
			}
			inside = true
		default:
			inside = false
		}
	}
	return words + dense/2
}

// isDense reports whether a script writes words without spaces and with few characters.
func isDense(r rune) bool {
	return r >= 0x3040 && unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han, unicode.Hangul)
}
