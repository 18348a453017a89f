package document

import (
	"bytes"
	"errors"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/japanese"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// decode converts content to UTF-8. verbatim is true if text is content itself, including invalid UTF-8 sequences. PDF files
// are binary even if all bytes are ASCII, because their words are encoded.
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
		return decodeDamaged(content, e)
	}
}

// decodeDamaged decodes a text in a Japanese encoding with invalid sequences, which become U+FFFD.
func decodeDamaged(content []byte, e textfile.Encoding) ([]byte, bool, error) {
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
