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
	// heldBytes is how much of a file is read at once; a larger one is searched in pieces.
	heldBytes = 1 << 20
	// manyFiles is how many times tools.Limits.MaxFile is searched of one file.
	manyFiles  = 16
	sniffBytes = 8 << 10
)

// reading is how the characters of a file are read.
type reading uint8

const (
	asUTF8  reading = iota // it is valid UTF-8
	decoded                // it is in the encoding that package textfile detects
	asBytes                // it is in none: only its ASCII can be relied on
)

// fileTally is what was counted in a file.
type fileTally struct {
	lines   int // that match
	reading reading
	binary  bool // it was not searched
	cut     bool // only its beginning was
}

// scratch is the memory that a goroutine searches one file after the other in.
type scratch struct {
	file []byte
	window
}

// errForeign says that a text cannot be read as it was tried.
var errForeign = errors.New("the text is in another encoding")

// tally counts the matches in a file of a walk.
func (s *contentSearch) tally(ctx context.Context, e *security.WalkEntry, b *scratch) (fileTally, error) {
	held := int(min(heldBytes, s.files.limits.MaxFile))
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
		return fileTally{lines: s.count(ctx, []byte(text.Content)), reading: decoded}
	}
	return fileTally{lines: s.count(ctx, raw), reading: asBytes}
}

// count counts the lines of a text that match. It ends soon after ctx has; what it answers then is of no use.
func (s *contentSearch) count(ctx context.Context, text []byte) int {
	return s.matcher.CountContext(ctx, text)
}

// tallyLarge counts the matches in an open file, piece by piece.
func (s *contentSearch) tallyLarge(ctx context.Context, file *security.File, b *scratch) (t fileTally, err error) {
	for _, t.reading = range []reading{asUTF8, decoded, asBytes} {
		t.lines = 0
		if err = s.open(&b.window, file, t.reading, 0); err != nil {
			return t, err
		}
		for first := true; err == nil && b.next(ctx); first = false {
			piece := b.piece()
			switch {
			case t.reading == asUTF8 && first && isBinary(piece):
				return fileTally{binary: true}, nil
			case t.reading == asUTF8 && !isUTF8(piece):
				err = errForeign
			default:
				t.lines += s.count(ctx, piece)
			}
		}
		if err = cmp.Or(err, b.err); !isForeign(err) {
			break
		}
	}
	t.cut = b.cut || file.Info().Size > s.most()
	return t, err
}

// most is how much is searched of one file.
func (s *contentSearch) most() int64 {
	if s.Multiline {
		return s.files.limits.MaxFile
	}
	return manyFiles * s.files.limits.MaxFile
}

// open begins to go through the characters of a file.
func (s *contentSearch) open(w *window, file *security.File, as reading, around int) error {
	var bom [3]byte
	start := int64(0)
	if n, _ := file.ReadAt(bom[:], 0); as == asUTF8 && string(bom[:n]) == utf8BOM {
		start = int64(n)
	}
	if _, err := file.Seek(start, io.SeekStart); err != nil {
		return err
	}
	var text io.Reader = io.LimitReader(file, s.most()+1)
	if as == decoded {
		text = textfile.NewDecoder(text, textfile.Auto)
	}
	w.open(text, int(s.files.limits.MaxFile), around, s.Multiline)
	return nil
}

const utf8BOM = "\xEF\xBB\xBF"

func withoutBOM(raw []byte) []byte { return bytes.TrimPrefix(raw, []byte(utf8BOM)) }

func marksUTF16(raw []byte) bool {
	return bytes.HasPrefix(raw, []byte("\xFF\xFE")) || bytes.HasPrefix(raw, []byte("\xFE\xFF"))
}

// isBinary reports whether a file that begins like this is no text.
func isBinary(raw []byte) bool {
	return bytes.IndexByte(raw[:min(len(raw), sniffBytes)], 0) >= 0 && !marksUTF16(raw)
}

// isUTF8 reports whether a text is UTF-8 and cannot be ISO-2022-JP, which has nothing but ASCII and escapes.
func isUTF8(text []byte) bool {
	const esc = 0x1b
	return bytes.IndexByte(text, esc) < 0 && utf8.Valid(text)
}

// isForeign reports whether a text could not be read as it was tried.
func isForeign(err error) bool {
	_, malformed := errors.AsType[*textfile.DecodeError](err)
	return malformed || errors.Is(err, errForeign) || errors.Is(err, textfile.ErrBinary)
}
