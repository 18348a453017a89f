package fs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"

	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// lineEnds counts line ends by kind.
type lineEnds struct{ lf, crlf, cr int }

// total returns the number of line ends.
func (e lineEnds) total() int { return e.lf + e.crlf + e.cr }

// add returns the sum of two counts.
func (e lineEnds) add(more lineEnds) lineEnds {
	return lineEnds{e.lf + more.lf, e.crlf + more.crlf, e.cr + more.cr}
}

// eol returns the kind of the line ends, or Mixed.
func (e lineEnds) eol() textfile.EOL {
	switch e.total() {
	case 0:
		return textfile.NoEOL
	case e.lf:
		return textfile.LF
	case e.crlf:
		return textfile.CRLF
	case e.cr:
		return textfile.CR
	}
	return textfile.Mixed
}

// lines returns the number of lines of the text in which e was counted. The text must have one byte per code unit. A last line
// without an end counts.
func (e lineEnds) lines(text []byte) int {
	if n := len(text); n > 0 && !isLineEnd(text[n-1]) {
		return e.total() + 1
	}
	return e.total()
}

// isLineEnd reports whether c is CR or LF.
func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// tally counts the line ends of a text with one byte per code unit.
func tally(text []byte) lineEnds {
	e := lineEnds{lf: bytes.Count(text, []byte{'\n'}), cr: bytes.Count(text, []byte{'\r'})}
	if e.cr > 0 {
		e.crlf = bytes.Count(text, []byte("\r\n"))
		e.lf -= e.crlf
		e.cr -= e.crlf
	}
	return e
}

// codeUnits returns one byte per code unit, so that line ends can be found as bytes. In the supported encodings of one byte or
// more, CR and LF bytes are always line ends. UTF-16 is reduced to its low bytes; a unit above U+00FF becomes "x".
func (d *document) codeUnits(raw []byte) []byte {
	if d.unit == 1 {
		return raw
	}
	text := make([]byte, len(raw)/2)
	for i := range text {
		low, high := raw[2*i], raw[2*i+1]
		if d.big {
			low, high = high, low
		}
		if text[i] = low; high != 0 {
			text[i] = 'x'
		}
	}
	return text
}

// piece returns the next bytes of the file, one per code unit. It does not end between CR and LF, except at the end of the
// file. A document that is not held is read into buf.
func (d *document) piece(from, to int64, buf []byte) ([]byte, error) {
	if d.held {
		return d.codeUnits(d.data[from:to]), nil
	}
	buf = buf[:min(int64(len(buf)), to-from)]
	n, err := d.ReadAt(buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text := d.codeUnits(buf[:n])
	if len(text) > 1 && text[len(text)-1] == '\r' && from+int64(n) < to {
		text = text[:len(text)-1]
	}
	return text, nil
}

// pieceLen is the number of bytes that are read at once.
const pieceLen = 128 << 10

// skipLineEnds skips at most skip line ends between two offsets. It returns the offset after the last of them, or from if there are
// none, and their counts.
func (d *document) skipLineEnds(ctx context.Context, from, to int64, skip int) (at int64, passed lineEnds, err error) {
	var buf []byte
	if !d.held {
		buf = make([]byte, pieceLen)
	}
	at = from
	for from < to && passed.total() < skip {
		if err := ctx.Err(); err != nil {
			return at, passed, &security.Error{Code: security.CodeOf(err), Err: err}
		}
		text, err := d.piece(from, to, buf)
		if err != nil || len(text) == 0 {
			return at, passed, err
		}
		here := tally(text)
		if want := skip - passed.total(); here.total() > want {
			text = text[:lineEndOffset(text, want)]
			here = tally(text)
		}
		if last := bytes.LastIndexAny(text, "\r\n"); last >= 0 {
			at = from + int64(last+1)*d.unit
		}
		passed = passed.add(here)
		from += int64(len(text)) * d.unit
	}
	return at, passed, nil
}

// lineEndOffset returns the offset after the n-th line end of a text with one byte per code unit. The text must have n line ends.
func lineEndOffset(text []byte, n int) int {
	at := 0
	if bytes.IndexByte(text, '\r') < 0 {
		for ; n > 0; n-- {
			at += bytes.IndexByte(text[at:], '\n') + 1
		}
	}
	for ; n > 0; n-- {
		at += bytes.IndexAny(text[at:], "\r\n") + 1
		if text[at-1] == '\r' && at < len(text) && text[at] == '\n' {
			at++
		}
	}
	return at
}

// count returns the number of lines of the file.
func (d *document) count(ctx context.Context) (int, error) {
	at, passed, err := d.skipLineEnds(ctx, d.start, d.size, math.MaxInt)
	if err == nil && at < d.size {
		return passed.total() + 1, nil
	}
	return passed.total(), err
}

// findFromEnd returns the offset of the n-th line from the end. It reads at most limit bytes. ok is false if the line begins before
// them or does not exist.
func (d *document) findFromEnd(ctx context.Context, n int) (at int64, ok bool, err error) {
	for window := int64(pieceLen); ; window *= 4 {
		from := max(d.start, d.size-min(window, d.limit))
		from += (from - d.start) % d.unit
		at, passed, err := d.skipLineEnds(ctx, from, d.size, math.MaxInt)
		if err != nil {
			return 0, false, err
		}
		lines := passed.total()
		if at < d.size {
			lines++
		}
		// The first line of the window can begin before the window.
		if lines > n {
			at, _, err = d.skipLineEnds(ctx, from, d.size, lines-n)
			return at, err == nil, err
		}
		if from == d.start || window >= d.limit {
			return 0, false, nil
		}
	}
}
