package textfile

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Text is the decoded content of a file and the information for writing it back. The zero value is an empty file.
//
// The fields describe the file. The methods use the decoded bytes, even if a field was changed. They do not change the Text, so
// they are safe for concurrent use.
type Text struct {
	Content  string   // the characters as UTF-8, line ends as in the file, without the byte-order mark
	Encoding Encoding // never Auto, UTF16 or Binary, except for the zero Text
	BOM      bool     // whether the file begins with a byte-order mark
	EOL      EOL      // how its lines end

	src source
}

// source is a file as it was decoded.
type source struct {
	raw      []byte
	body     []byte // raw without the byte-order mark
	content  string
	encoding Encoding
	eol      EOL
}

// Decode decodes a complete file. Auto is resolved by Detect, UTF16 by the byte-order mark; Encoding of the result is the
// resolved one. The Text keeps data, which must not be changed afterwards.
//
// The error is a *DecodeError at the first bytes that are not a character of the encoding, so text is never decoded with
// losses. For a binary file it wraps ErrBinary.
func Decode(data []byte, e Encoding) (*Text, error) {
	if e == Auto {
		e = Detect(data)
	}
	body, e, marked, foreign := cutBOM(data, e) // foreign: the mark is that of the other byte order
	if foreign {
		return nil, &DecodeError{Encoding: e, Line: 1, Bytes: data[:2:2]}
	}
	c := codecFor(e)
	if c == nil {
		return nil, fmt.Errorf("decoding: %w", ErrBinary)
	}
	src := source{raw: data, body: body, encoding: e}
	if e == UTF8 && utf8.Valid(body) {
		src.content = string(body)
	} else if err := src.decode(c); err != nil {
		return nil, err
	}
	src.eol = DetectEOL(src.content)
	return &Text{Content: src.content, Encoding: e, BOM: marked, EOL: src.eol, src: src}, nil
}

// decode sets content. transcode reads up to the first bytes that are not a character, and reports why it ended: atLimit at the end of
// body, atShort in the middle of a character. It returns n, the number of bytes that it has read.
func (s *source) decode(c codec) error {
	body := s.body
	out := make([]byte, 0, len(body)+len(body)/2)
	out, n, _, why, bad := transcode(out, body, len(body), c, 0)
	if why != atLimit {
		if why == atShort {
			bad = len(body) - n
		}
		offset := len(s.raw) - len(body) + n
		return &DecodeError{Encoding: s.encoding, Offset: int64(offset), Line: countLineEnds(out) + 1,
			Bytes: bytes.Clone(body[n : n+bad])}
	}
	s.content = string(out)
	return nil
}

// Bytes returns the bytes of the decoded file. The caller must not change them.
func (t *Text) Bytes() []byte { return t.src.raw }

// Canonical reports whether encoding Content gives the bytes of the file. It does not if the file has alternative codes or
// escapes. Apply edits this file too and keeps the other bytes.
func (t *Text) Canonical() bool {
	again, err := Encode(t.src.content, t.src.encoding, false)
	return err == nil && bytes.Equal(again, t.src.body)
}

// Encode returns the bytes of a new file. bom adds a byte-order mark for UTF-8 and UTF-16; for other encodings it is ignored.
// Auto is UTF-8, UTF16 is little-endian. Line ends are written as they are in content; Text.Fit changes them by a Policy
// before. A U+FEFF at the beginning of content is written, too.
//
// The error is an *EncodeError for the first character that the encoding lacks, and wraps ErrBinary for Binary. Nothing
// is replaced by a similar character.
func Encode(content string, e Encoding, bom bool) ([]byte, error) {
	if e == Auto {
		e = UTF8
	}
	c := codecFor(e)
	if c == nil {
		return nil, fmt.Errorf("encoding: %w", ErrBinary)
	}
	out := make([]byte, 0, len(content)+len(content)/8+4)
	if bom {
		out = append(out, e.bom()...)
	}
	if e == UTF8 && utf8.ValidString(content) {
		return append(out, content...), nil
	}
	out, n, s := encodeRunes(out, content, c, 0)
	if n < len(content) {
		return nil, cannotEncode(e, content, n)
	}
	return c.shift(out, s, 0), nil // back to ASCII at the end, for ISO-2022-JP
}

// cannotEncode describes the character of content at offset.
func cannotEncode(e Encoding, content string, offset int) *EncodeError {
	r, _ := utf8.DecodeRuneInString(content[offset:])
	line, column := position(content, offset)
	return &EncodeError{Encoding: e, Rune: r, Line: line, Column: column}
}

// position returns the line and column, from 1 and in characters, of an offset.
func position(content string, offset int) (line, column int) {
	before := content[:offset]
	start := strings.LastIndexAny(before, "\r\n") + 1
	return countLineEnds(before) + 1, utf8.RuneCountInString(before[start:]) + 1
}
