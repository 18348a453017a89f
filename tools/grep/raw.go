package grep

import "bytes"

// RawSuperset tells whether Candidate says anything about files: whether a match needs a text in ASCII that can be looked
// for quickly. If not, Candidate is true for every file.
func (m *Matcher) RawSuperset() bool { return m.raw != nil }

// Candidate tells whether a file with these bytes can have a match, before its encoding is known. It is false only if the
// file has none in any of the encodings that package textfile detects, nor, if one is named, in UTF-8, Windows-1252,
// Shift_JIS, EUC-JP or ISO-2022-JP. It must not be asked about a file that is said to be UTF-16, nor about a part of a file.
//
// In all these encodings but UTF-16 a byte below 80, where it stands for a character of its own, is that of ASCII, and no
// other bytes stand for a character of ASCII. So characters of ASCII that follow each other are the same bytes, one behind
// the other, in the file, and if those are not there, the characters are not. (The reverse is not true: in Shift_JIS the
// second byte of a character can look like ASCII.) Only ISO-2022-JP can have an escape between two characters; every file
// with an escape is a candidate, therefore. So is a file that is detected as UTF-16: by a byte-order mark or by a zero byte
// near its beginning. The letters ſ and K, which are s and k in another case, are found in UTF-8 only and are looked for as
// such. What a pattern says about the ends of words and lines is left out: a second byte may look like a letter.
func (m *Matcher) Candidate(raw []byte) bool {
	if m.raw == nil {
		return true
	}
	h := hunt{finder: m.raw, text: raw, patient: true}
	return h.find(0) >= 0 || mayHideASCII(raw) || m.left.in(raw)
}

// mayHideASCII tells whether a file can have characters of ASCII that follow each other in the text, but not in the file.
func mayHideASCII(raw []byte) bool {
	const escape, head = 0x1B, 8 << 10 // as much as package textfile looks at for zero bytes
	return bytes.IndexByte(raw, escape) >= 0 ||
		bytes.IndexByte(raw[:min(head, len(raw))], 0) >= 0 ||
		bytes.HasPrefix(raw, []byte("\xFF\xFE")) || bytes.HasPrefix(raw, []byte("\xFE\xFF"))
}
