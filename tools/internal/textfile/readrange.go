package textfile

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	sampleLen   = 64 << 10 // how much of a large file Auto looks at
	maxLookBack = 1 << 20  // how far back ReadRange looks for the start of a character
	maxCharLen  = 16       // more than any character with the escapes in front of it takes
)

// Chunk is the characters of a byte range of a file.
type Chunk struct {
	Content  string   // without the byte-order mark
	Encoding Encoding // encoding that Auto or UTF16 was resolved to
	Start    int64    // where the first character begins in the file
	End      int64    // where the last one ends, and the next chunk begins
}

// ReadRange decodes the characters that begin in the length bytes from offset of a file of a known size. Characters are
// never split: Start may be up to three bytes behind offset and End as far behind the end of the range. Consecutive
// ranges give each character exactly once, and a range behind the end gives none.
//
// Only the range and what it takes to find its borders are read: a few bytes for UTF-8 and UTF-16, and back to the next
// byte that tells them for the Japanese encodings, usually within a line and at most 1 MiB. Auto also reads the
// first 64 KiB; where these are plain ASCII the range itself decides.
//
// The errors are those of Decode, a *RangeError if the border of a character cannot be found, or those of r.
func ReadRange(r io.ReaderAt, size int64, e Encoding, offset, length int64) (Chunk, error) {
	if offset < 0 || length < 0 {
		return Chunk{}, &RangeError{What: "bytes", Why: fmt.Sprintf("offset %d and length %d", offset, length),
			Next: "give an offset and a length of 0 or more"}
	}
	size = max(size, 0)
	offset = min(offset, size)
	stop := offset + min(length, size-offset)
	e, mark, err := resolveAt(r, size, e, offset, stop)
	if err != nil {
		return Chunk{}, err
	}
	c := codecFor(e)
	if c == nil {
		return Chunk{}, fmt.Errorf("reading a range: %w", ErrBinary)
	}
	offset = max(offset, mark)
	if offset >= stop {
		return Chunk{Encoding: e, Start: offset, End: offset}, nil
	}
	from, err := anchorBefore(r, c, mark, offset)
	if err != nil {
		return Chunk{}, err
	}
	raw, err := readAt(r, from, stop-from+maxCharLen)
	if err != nil {
		return Chunk{}, err
	}
	return cutChunk(raw, c, Chunk{Encoding: e, Start: offset, End: stop}, from)
}

// cutChunk decodes the characters of raw, which stands at from in the file, that begin in the range of want.
func cutChunk(raw []byte, c codec, want Chunk, from int64) (Chunk, error) {
	n, s := 0, state(0)
	for from+int64(n) < want.Start && n < len(raw) {
		r, size, next := c.decode(s, raw[n:])
		if r == short {
			return Chunk{}, badChunk(raw, want.Encoding, from, n, len(raw)-n)
		}
		n += size
		s = next
	}
	limit := int(min(want.End-from, int64(len(raw)))) - n
	if limit <= 0 {
		return Chunk{Encoding: want.Encoding, Start: from + int64(n), End: from + int64(n)}, nil
	}
	out, used, _, why, bad := transcode(nil, raw[n:], limit, c, s)
	if why == atShort {
		bad = len(raw) - n - used
	}
	if why != atLimit {
		return Chunk{}, badChunk(raw, want.Encoding, from, n+used, bad)
	}
	start := from + int64(n)
	return Chunk{Content: string(out), Encoding: want.Encoding, Start: start, End: start + int64(used)}, nil
}

func badChunk(raw []byte, e Encoding, from int64, at, n int) error {
	return &DecodeError{Encoding: e, Offset: from + int64(at), Bytes: bytes.Clone(raw[at : at+n])}
}

// resolveAt resolves Auto and UTF16 and returns the length of the byte-order mark.
func resolveAt(r io.ReaderAt, size int64, e Encoding, offset, stop int64) (Encoding, int64, error) {
	n := int64(4)
	if e == Auto {
		n = sampleLen
	}
	head, err := readAt(r, 0, n)
	if err != nil {
		return e, 0, err
	}
	if e == Auto {
		e = detect(head, int64(len(head)) < size)
		if e == UTF8 && asciiLen(head) == len(head) && stop > int64(len(head)) {
			here, err := readAt(r, offset, min(stop-offset, sampleLen))
			if err != nil {
				return e, 0, err
			}
			e = detectInside(here)
		}
	}
	_, e, marked, foreign := cutBOM(head, e)
	if foreign {
		return e, 0, &DecodeError{Encoding: e, Line: 1, Bytes: head[:2:2]}
	}
	if marked {
		return e, int64(len(e.bom())), nil
	}
	return e, 0, nil
}

// detectInside is DetectSample for bytes from inside of a file, which may begin inside a character.
func detectInside(b []byte) Encoding {
	if line := bytes.IndexByte(b, '\n'); line >= 0 && asciiLen(b[line:]) < len(b)-line {
		b = b[line:]
	}
	whole := b
	for i := 1; i < utf8.UTFMax && len(whole) > 0 && !utf8.RuneStart(whole[0]); i++ {
		whole = whole[1:]
	}
	if detectText(whole, true) == UTF8 {
		return UTF8
	}
	return detectText(b, true)
}

// anchorBefore returns an offset between first and at at which a character certainly begins.
func anchorBefore(r io.ReaderAt, c codec, first, at int64) (int64, error) {
	for window := int64(64); ; window = min(window*16, maxLookBack) {
		from := max(first, (at-window)&^1)
		b, err := readAt(r, from, at-from)
		if err != nil {
			return 0, err
		}
		if i := c.anchor(b); i >= 0 {
			return from + int64(i), nil
		}
		if from == first {
			return first, nil
		}
		if window == maxLookBack {
			return 0, &RangeError{What: "bytes",
				Why:  fmt.Sprintf("no character border is to be found in the %d bytes in front of byte %d", window, at),
				Next: "read the file from its beginning, or as binary"}
		}
	}
}

// readAt reads up to n bytes, fewer only at the end of the file.
func readAt(r io.ReaderAt, offset, n int64) ([]byte, error) {
	b, err := io.ReadAll(io.NewSectionReader(r, offset, n))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("reading %d bytes at %d: %w", n, offset, err)
	}
	return b, nil
}
