package textfile

import "bytes"

// bom returns the byte-order mark of an encoding, or "" for an encoding without one.
func (e Encoding) bom() string {
	switch e {
	case UTF8:
		return "\xEF\xBB\xBF"
	case UTF16, UTF16LE:
		return "\xFF\xFE"
	case UTF16BE:
		return "\xFE\xFF"
	}
	return ""
}

// cutBOM removes the byte-order mark of e from the start of a file. UTF16 is resolved by the mark. foreign reports a mark of
// the other byte order, which is not removed.
func cutBOM(data []byte, e Encoding) (rest []byte, resolved Encoding, found, foreign bool) {
	if e == UTF16 {
		e = UTF16LE
		if bytes.HasPrefix(data, []byte(UTF16BE.bom())) {
			e = UTF16BE
		}
	}
	switch e {
	case UTF16LE:
		foreign = bytes.HasPrefix(data, []byte(UTF16BE.bom()))
	case UTF16BE:
		foreign = bytes.HasPrefix(data, []byte(UTF16LE.bom()))
	}
	rest, found = bytes.CutPrefix(data, []byte(e.bom()))
	return rest, e, found && e.bom() != "", foreign
}
