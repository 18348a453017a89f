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

// lineEnds counts line ends by their kind.
type lineEnds struct{ lf, crlf, cr int }

func (e lineEnds) total() int { return e.lf + e.crlf + e.cr }

func (e lineEnds) add(more lineEnds) lineEnds {
	return lineEnds{e.lf + more.lf, e.crlf + more.crlf, e.cr + more.cr}
}

// eol sums up.
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

// lines is the number of lines in the narrow text that was counted.
func (e lineEnds) lines(text []byte) int {
	if n := len(text); n > 0 && !isLineEnd(text[n-1]) {
		return e.total() + 1
	}
	return e.total()
}

func isLineEnd(c byte) bool { return c == '\n' || c == '\r' }

// tally counts the line ends of a narrow text.
func tally(text []byte) lineEnds {
	e := lineEnds{lf: bytes.Count(text, []byte{'\n'}), cr: bytes.Count(text, []byte{'\r'})}
	if e.cr > 0 {
		e.crlf = bytes.Count(text, []byte("\r\n"))
		e.lf -= e.crlf
		e.cr -= e.crlf
	}
	return e
}

// narrow makes one byte of each smallest character, so that line ends can be found: in every encoding of one byte or more
// the bytes of line ends stand for nothing else, and in UTF-16 it is the units that tell them.
func (d *document) narrow(raw []byte) []byte {
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

// piece reads the next bytes of the file, narrow. It never ends between CR and LF, unless the file does. buf is used where
// the file is not held.
func (d *document) piece(from, to int64, buf []byte) ([]byte, error) {
	if d.held {
		return d.narrow(d.data[from:to]), nil
	}
	buf = buf[:min(int64(len(buf)), to-from)]
	n, err := d.ReadAt(buf, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text := d.narrow(buf[:n])
	if len(text) > 1 && text[len(text)-1] == '\r' && from+int64(n) < to {
		text = text[:len(text)-1]
	}
	return text, nil
}

const pieceLen = 128 << 10

// walk passes over line ends in a part of the file, at most skip of them. It answers where it is then: behind the last of
// them, or at from if there is none.
func (d *document) walk(ctx context.Context, from, to int64, skip int) (at int64, passed lineEnds, err error) {
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
			text = text[:endOf(text, want)]
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

// endOf is the place behind the n-th line end of a narrow text, which has it.
func endOf(text []byte, n int) int {
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

// count counts the lines of the file.
func (d *document) count(ctx context.Context) (int, error) {
	at, passed, err := d.walk(ctx, d.start, d.size, math.MaxInt)
	if err == nil && at < d.size {
		return passed.total() + 1, nil
	}
	return passed.total(), err
}

// fromEnd finds where the n-th line from the end begins, looking at no more of the file than its limit. It is false if
// that is not enough, or if there is no such line.
func (d *document) fromEnd(ctx context.Context, n int) (at int64, ok bool, err error) {
	for window := int64(pieceLen); ; window *= 4 {
		from := max(d.start, d.size-min(window, d.limit))
		from += (from - d.start) % d.unit
		at, passed, err := d.walk(ctx, from, d.size, math.MaxInt)
		if err != nil {
			return 0, false, err
		}
		lines := passed.total()
		if at < d.size {
			lines++
		}
		// The line that the window begins in may have begun before it.
		if lines > n {
			at, _, err = d.walk(ctx, from, d.size, lines-n)
			return at, err == nil, err
		}
		if from == d.start || window >= d.limit {
			return 0, false, nil
		}
	}
}
