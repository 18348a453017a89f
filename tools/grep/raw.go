package grep

import "bytes"

// RawSuperset reports whether Candidate can exclude files: each match contains ASCII text that is cheap to find. Otherwise
// Candidate is true for every file.
func (m *Matcher) RawSuperset() bool { return m.raw != nil }

// Candidate reports whether a file with these bytes can have a match, before its encoding is known. It returns false only if
// the file has no match in any encoding that package textfile detects, nor in UTF-8, Windows-1252, Shift_JIS, EUC-JP or
// ISO-2022-JP. raw must be a complete file, and not be declared as UTF-16.
//
// In all these encodings but UTF-16, an ASCII character is its ASCII byte, and no other bytes stand for one. Consecutive ASCII
// characters are therefore consecutive bytes of the file. (The reverse is not true: the second byte of a Shift_JIS character
// can be an ASCII byte.) Exceptions are ISO-2022-JP, which can have an escape between two characters, and UTF-16: files with an
// escape, a UTF-16 byte-order mark or an early zero byte are always candidates. The letters ſ and K, other cases of s and k,
// exist only in UTF-8 and are searched in that form. Conditions on the ends of words and lines are ignored, because a second
// byte can be an ASCII letter.
func (m *Matcher) Candidate(raw []byte) bool {
	if m.raw == nil {
		return true
	}
	h := literalSearch{finder: m.raw, text: raw, unlimited: true}
	return h.find(0) >= 0 || mayHideASCII(raw) || m.excluded.occursIn(raw)
}

// mayHideASCII reports whether ASCII characters that are consecutive in the text may not be consecutive in the file.
func mayHideASCII(raw []byte) bool {
	const escape, head = 0x1B, 8 << 10 // bytes that package textfile checks for zeros
	return bytes.IndexByte(raw, escape) >= 0 ||
		bytes.IndexByte(raw[:min(head, len(raw))], 0) >= 0 ||
		bytes.HasPrefix(raw, []byte("\xFF\xFE")) || bytes.HasPrefix(raw, []byte("\xFE\xFF"))
}
