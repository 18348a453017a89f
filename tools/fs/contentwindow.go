package fs

import (
	"bytes"
	"context"
	"errors"
	"io"
)

// windowBytes is the initial size of the buffer of a window.
const windowBytes = 256 << 10

// window reads a text in pieces of complete lines. It holds one piece and some lines before it. A line that is longer than the
// buffer limit is split.
type window struct {
	line int   // number of the first line in the piece
	err  error // what the text ended with, if not well
	cut  bool  // error of the source, other than the end of the text
	// the text is too large to be one piece

	src         io.Reader
	buf         []byte
	from, to    int  // range of the piece in buf
	maxHeld     int  // most bytes to hold
	linesBefore int  // number of lines to keep before a piece
	singlePiece bool // the complete text must be one piece
	ended       bool // the source has ended
}

// open starts a text. before is the number of lines to hold before each piece. With whole the complete text is one piece, or
// cut is set.
func (w *window) open(src io.Reader, most, before int, whole bool) {
	*w = window{line: 1, src: src, buf: w.buf[:0], maxHeld: most, linesBefore: before, singlePiece: whole}
}

// piece returns the current piece. It is valid until the next call of next.
func (w *window) piece() []byte { return w.buf[w.from:w.to] }

// next moves to the next piece. It returns false at the end of the text, after an error, and when ctx has ended.
func (w *window) next(ctx context.Context) bool {
	w.line += tally(w.piece()).total()
	keep := w.to
	for range w.linesBefore {
		keep = lineBefore(w.buf, keep)
	}
	w.buf = w.buf[:copy(w.buf, w.buf[keep:])]
	w.from = w.to - keep
	w.to = w.from
	for w.err == nil && !w.cut && w.from == w.to {
		if w.err = contextError(ctx); w.err != nil {
			break
		}
		w.fill()
		w.choose()
		if w.ended && w.from == w.to {
			return false
		}
	}
	return w.err == nil && !w.cut
}

// fill reads until the buffer is full or the text ends.
func (w *window) fill() {
	if len(w.buf) == cap(w.buf) {
		w.buf = append(w.buf, make([]byte, max(windowBytes, min(len(w.buf), w.maxHeld)))...)[:len(w.buf)]
	}
	for !w.ended && len(w.buf) < cap(w.buf) {
		n, err := w.src.Read(w.buf[len(w.buf):cap(w.buf)])
		w.buf = w.buf[:len(w.buf)+n]
		switch {
		case errors.Is(err, io.EOF):
			w.ended = true
		case err != nil:
			w.err = err
			return
		}
	}
}

// choose selects the complete lines in the buffer as the piece.
func (w *window) choose() {
	tooMuch := len(w.buf) > w.maxHeld
	switch {
	case w.ended && !(w.singlePiece && tooMuch):
		w.to = len(w.buf)
	case w.singlePiece:
		w.cut = tooMuch
	default:
		w.to = w.from + linesEnd(w.buf[w.from:])
		if w.to == w.from && tooMuch {
			w.to = len(w.buf)
		}
	}
}

// linesEnd returns the offset after the last line end of a text that continues, or 0. A CR at its end can be the first half of
// CRLF and is not counted.
func linesEnd(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return bytes.LastIndexAny(text, "\r\n") + 1
}

// lineBefore returns the beginning of the line before at, which is the beginning of a line.
func lineBefore(text []byte, at int) int {
	end := max(0, at-1)
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return bytes.LastIndexAny(text[:end], "\r\n") + 1
}

// lineAfter returns the end of the line that begins at an offset, without its line end, and the beginning of the next line.
func lineAfter(text []byte, at int) (end, next int) {
	i := bytes.IndexAny(text[at:], "\r\n")
	switch {
	case i < 0:
		return len(text), len(text)
	case bytes.HasPrefix(text[at+i:], []byte("\r\n")):
		return at + i, at + i + 2
	}
	return at + i, at + i + 1
}
