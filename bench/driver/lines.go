package driver

import (
	"bytes"
	"io"
)

// lines splits a stream at newlines, many lines with each read.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int // range of buffered bytes
}

func newLines(r io.Reader) *lines { return &lines{r: r, buf: make([]byte, 256<<10)} }

// batch passes every complete buffered line to visit, without its newline, and returns their number. If there is none, it reads
// first. A line is valid until visit returns.
func (l *lines) batch(visit func(line []byte)) (int, error) {
	scanned := l.start
	for {
		n := 0
		for {
			i := bytes.IndexByte(l.buf[scanned:l.end], '\n')
			if i < 0 {
				break
			}
			visit(l.buf[l.start : scanned+i])
			scanned += i + 1
			l.start = scanned
			n++
		}
		if n > 0 {
			return n, nil
		}
		scanned = l.end - l.start
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
}

// fill moves the remaining bytes to the front and reads more.
func (l *lines) fill() error {
	if l.start > 0 {
		copy(l.buf, l.buf[l.start:l.end])
		l.start, l.end = 0, l.end-l.start
	}
	if l.end == len(l.buf) {
		l.buf = append(l.buf, make([]byte, len(l.buf))...)
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		if n > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}
