package fs

import (
	"bytes"
	"context"
	"errors"
	"io"
)

const windowBytes = 256 << 10

// window goes through a text in pieces of whole lines. It holds a piece and, before it, some lines of earlier ones. A line that is too
// long is taken apart.
type window struct {
	line int   // number of the first line in the piece
	err  error // what the text ended with, if not well
	cut  bool  // the text is too long to be taken as a whole

	src      io.Reader
	buf      []byte
	from, to int // of the piece in buf
	most     int // bytes that are held
	before   int // lines that are kept before a piece
	whole    bool
	ended    bool
}

// open begins a text. before is the number of lines to hold before each piece; whole asks for all of the text as one piece, or none.
func (w *window) open(src io.Reader, most, before int, whole bool) {
	*w = window{line: 1, src: src, buf: w.buf[:0], most: most, before: before, whole: whole}
}

// piece is what next has moved to.
func (w *window) piece() []byte { return w.buf[w.from:w.to] }

// next moves to the next piece. It is false at the end of the text, after an error, and when ctx has ended.
func (w *window) next(ctx context.Context) bool {
	w.line += tally(w.piece()).total()
	keep := w.to
	for range w.before {
		keep = lineBefore(w.buf, keep)
	}
	w.buf = w.buf[:copy(w.buf, w.buf[keep:])]
	w.from = w.to - keep
	w.to = w.from
	for w.err == nil && !w.cut && w.from == w.to {
		if w.err = ended(ctx); w.err != nil {
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

// fill reads until the memory is full or the text ends.
func (w *window) fill() {
	if len(w.buf) == cap(w.buf) {
		w.buf = append(w.buf, make([]byte, max(windowBytes, min(len(w.buf), w.most)))...)[:len(w.buf)]
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

// choose makes a piece of what is held, if there are whole lines.
func (w *window) choose() {
	tooMuch := len(w.buf) > w.most
	switch {
	case w.ended && !(w.whole && tooMuch):
		w.to = len(w.buf)
	case w.whole:
		w.cut = tooMuch
	default:
		w.to = w.from + linesEnd(w.buf[w.from:])
		if w.to == w.from && tooMuch {
			w.to = len(w.buf)
		}
	}
}

// linesEnd is the place behind the last line end of a text that goes on, or 0. A CR at the end can be the half of one.
func linesEnd(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		text = text[:n-1]
	}
	return bytes.LastIndexAny(text, "\r\n") + 1
}

// lineBefore is where the line begins that ends before at, which is the beginning of a line.
func lineBefore(text []byte, at int) int {
	end := max(0, at-1)
	if end > 0 && text[end] == '\n' && text[end-1] == '\r' {
		end--
	}
	return bytes.LastIndexAny(text[:end], "\r\n") + 1
}

// lineAfter is the end of the line that begins at a place, without its line end, and the beginning of the next.
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
