package fs

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"unicode/utf8"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	// maxHeldBytes is the largest file that is read at once, in bytes. A larger file is searched in pieces.
	maxHeldBytes = 1 << 20
	// maxFileFactor times tools.Limits.MaxFile is the most bytes that are searched of one file.
	maxFileFactor = 16
	sniffBytes    = 8 << 10 // bytes that isBinary examines
)

// reading is the way in which the characters of a file are decoded.
type reading uint8

const (
	readUTF8     reading = iota // the file is valid UTF-8
	readDetected                // package textfile detects the encoding
	readBytes                   // the encoding is unknown; only ASCII is reliable
)

// fileTally is the number of matches in one file.
type fileTally struct {
	lines   int // matching lines
	reading reading
	binary  bool // the file was not searched
	cut     bool // only the beginning was searched
}

// scratch is the reusable memory of one search goroutine.
type scratch struct {
	file []byte
	window
}

// errOtherEncoding means that the text is not in the tried encoding.
var errOtherEncoding = errors.New("the text is in another encoding")

// tally counts the matches in a file of a walk.
func (s *contentSearch) tally(ctx context.Context, e *security.WalkEntry, b *scratch) (fileTally, error) {
	held := int(min(maxHeldBytes, s.files.limits.MaxFile))
	if s.Multiline {
		held = int(s.files.limits.MaxFile)
	}
	raw, err := e.ReadFile(ctx, b.file, held)
	b.file = raw
	switch {
	case err == nil:
		return s.tallyHeld(ctx, raw), nil
	case security.CodeOf(err) != security.FileTooLarge:
		return fileTally{}, err
	case isBinary(raw):
		return fileTally{binary: true}, nil
	case s.Multiline:
		return fileTally{cut: true}, nil
	}
	file, err := e.Open(ctx)
	if err != nil {
		return fileTally{}, err
	}
	defer file.Close()
	return s.tallyLarge(ctx, file, b)
}

// tallyHeld counts the matches in the content of a file.
func (s *contentSearch) tallyHeld(ctx context.Context, raw []byte) fileTally {
	switch {
	case isBinary(raw):
		return fileTally{binary: true}
	case marksUTF16(raw):
	case s.matcher.RawSuperset() && !s.matcher.Candidate(raw):
		return fileTally{}
	case isUTF8(raw):
		return fileTally{lines: s.count(ctx, withoutBOM(raw))}
	}
	if text, err := textfile.Decode(raw, textfile.Auto); err == nil {
		return fileTally{lines: s.count(ctx, []byte(text.Content)), reading: readDetected}
	}
	return fileTally{lines: s.count(ctx, raw), reading: readBytes}
}

// count counts the matching lines of a text. If ctx ends, it stops early and its result is invalid.
func (s *contentSearch) count(ctx context.Context, text []byte) int {
	return s.matcher.CountContext(ctx, text)
}

// tallyLarge counts the matches in an open file, piece by piece. It tries UTF-8, then the detected encoding, then bytes.
func (s *contentSearch) tallyLarge(ctx context.Context, file *security.File, b *scratch) (t fileTally, err error) {
	for _, t.reading = range []reading{readUTF8, readDetected, readBytes} {
		t.lines = 0
		if err = s.open(&b.window, file, t.reading, 0); err != nil {
			return t, err
		}
		for first := true; err == nil && b.next(ctx); first = false {
			piece := b.piece()
			switch {
			case t.reading == readUTF8 && first && isBinary(piece):
				return fileTally{binary: true}, nil
			case t.reading == readUTF8 && !isUTF8(piece):
				err = errOtherEncoding
			default:
				t.lines += s.count(ctx, piece)
			}
		}
		if err = cmp.Or(err, b.err); !isOtherEncoding(err) {
			break
		}
	}
	t.cut = b.cut || file.Info().Size > s.maxSearched()
	return t, err
}

// maxSearched returns the most bytes that are searched of one file.
func (s *contentSearch) maxSearched() int64 {
	if s.Multiline {
		return s.files.limits.MaxFile
	}
	return maxFileFactor * s.files.limits.MaxFile
}

// open starts to read the characters of a file. around is the number of context lines to hold.
func (s *contentSearch) open(w *window, file *security.File, as reading, around int) error {
	var bom [3]byte
	start := int64(0)
	if n, _ := file.ReadAt(bom[:], 0); as == readUTF8 && string(bom[:n]) == utf8BOM {
		start = int64(n)
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return err
	}
	var text io.Reader = io.LimitReader(file, s.maxSearched()+1)
	if as == readDetected {
		text = textfile.NewDecoder(text, textfile.Auto)
	}
	w.open(text, int(s.files.limits.MaxFile), around, s.Multiline)
	return nil
}

// utf8BOM is the byte-order mark in UTF-8.
const utf8BOM = "\xEF\xBB\xBF"

// withoutBOM removes a UTF-8 byte-order mark.
func withoutBOM(raw []byte) []byte { return bytes.TrimPrefix(raw, []byte(utf8BOM)) }

// marksUTF16 reports whether the bytes begin with a UTF-16 byte-order mark.
func marksUTF16(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("\xFF\xFE")) || bytes.HasPrefix(raw, []byte("\xFE\xFF"))
}

// isBinary reports whether a file with this beginning is binary.
func isBinary(raw []byte) bool {
	return bytes.IndexByte(raw[:min(len(raw), sniffBytes)], 0) >= 0 && !marksUTF16(raw)
}

// isUTF8 reports whether a text is valid UTF-8 and not ISO-2022-JP, which consists of ASCII and escapes.
func isUTF8(text []byte) bool {
	const esc = 0x1b
	return bytes.IndexByte(text, esc) < 0 && utf8.Valid(text)
}

// isOtherEncoding reports whether an error means that the text is not in the tried encoding.
func isOtherEncoding(err error) bool {
	_, malformed := errors.AsType[*textfile.DecodeError](err)
	return malformed || errors.Is(err, errOtherEncoding) || errors.Is(err, textfile.ErrBinary)
}
