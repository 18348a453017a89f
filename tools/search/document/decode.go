package document

import (
	"bytes"
	"errors"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// decode answers a content as UTF-8, and whether that is the content itself: bytes
// of UTF-8 that are wrong stay as they are. A PDF file is binary even where all of its
// bytes are ASCII: its words are encoded.
func decode(content []byte) (text []byte, verbatim bool, err error) {
	if bytes.HasPrefix(content, []byte("%PDF-")) {
		return nil, false, ErrBinary
	}
	switch e := textfile.Detect(content); e {
	case textfile.UTF8:
		return content, true, nil
	case textfile.Binary:
		return nil, false, ErrBinary
	default:
		t, err := textfile.Decode(content, e)
		if err == nil {
			return []byte(t.Content), false, nil
		}
		var broken *textfile.DecodeError
		if !errors.As(err, &broken) {
			return nil, false, ErrBinary
		}
		return repaired(content, e)
	}
}

// repaired decodes a text in which some bytes are broken, with a mark for them.
func repaired(content []byte, e textfile.Encoding) ([]byte, bool, error) {
	var known encoding.Encoding
	switch e {
	case textfile.ShiftJIS:
		known = japanese.ShiftJIS
	case textfile.EUCJP:
		known = japanese.EUCJP
	case textfile.ISO2022JP:
		known = japanese.ISO2022JP
	default:
		return nil, false, ErrDamaged
	}
	text, err := known.NewDecoder().Bytes(content)
	if err != nil {
		return nil, false, ErrDamaged
	}
	return text, false, nil
}
