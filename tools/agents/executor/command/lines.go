package command

import (
	"bytes"
	"cmp"
)

const (
	// wholeLine is the longest line that is kept as it is; strings in longer ones are shortened.
	wholeLine = 256 << 10
	// shownLine is how much is kept of a line that is no event, in bytes.
	shownLine = 4 << 10
	// DefaultMaxLine is the longest line that is read at all, in bytes.
	DefaultMaxLine = 16 << 20
)

// lines cuts a stream into lines, in bounded memory.
type lines struct {
	most    int64                       // bytes of a line that is read
	keep    int64                       // bytes of a line that is kept as it is; 0 is wholeLine
	line    func(text []byte)           // a line, which is valid only during the call
	dropped func(begin []byte, n int64) // a line of n bytes that was too long

	state lineState
	size  int64  // of the line so far
	text  []byte // what is kept of it
	short condenser
}

type lineState uint8

const (
	whole     lineState = iota // text is the line so far
	condensed                  // short has the line so far
	plain                      // text is the beginning of a long line that is no JSON
)

// write takes a stretch of the stream.
func (l *lines) write(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return
		}
		if l.size == 0 && int64(i) <= l.kept() {
			l.hand(p[:i]) // the usual case: nothing is copied
		} else {
			l.add(p[:i])
			l.end()
		}
		p = p[i+1:]
	}
}

// kept is how long a line may be to be kept as it is, in bytes.
func (l *lines) kept() int64 { return cmp.Or(l.keep, wholeLine) }

// close ends the last line, if it has no line end.
func (l *lines) close() {
	if l.size > 0 {
		l.end()
	}
}

// add takes a stretch without a line end.
func (l *lines) add(p []byte) {
	l.size += int64(len(p))
	if l.state == whole && l.size > l.kept() {
		l.shorten(isObject(l.text) || len(l.text) == 0 && isObject(p))
	}
	switch {
	case l.state == whole:
		l.text = append(l.text, p...)
	case l.state == condensed && l.size <= l.most:
		l.short.write(p)
	default:
		l.text = append(l.text, p[:min(len(p), max(0, shownLine-len(l.text)))]...)
	}
}

// shorten goes on with a line that is too long to be kept as it is.
func (l *lines) shorten(object bool) {
	if object {
		l.state = condensed
		l.short = condenser{budget: wholeLine}
		l.short.write(l.text)
	} else {
		l.state = plain
	}
	l.text = append([]byte(nil), l.text[:min(len(l.text), shownLine)]...)
}

// isObject reports whether text begins as an event does.
func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r"), []byte{'{'})
}

// end hands on the line and begins the next.
func (l *lines) end() {
	switch {
	case l.size > l.most || l.state == condensed && l.short.full:
		l.dropped(l.text, l.size)
	case l.state == condensed:
		l.hand(l.short.out)
	default:
		l.hand(l.text)
	}
	l.size, l.state, l.short = 0, whole, condenser{}
	if cap(l.text) > wholeLine/8 {
		l.text = nil
	}
	l.text = l.text[:0]
}

func (l *lines) hand(text []byte) {
	if text = bytes.TrimRight(text, "\r"); len(bytes.TrimLeft(text, " \t\r")) > 0 {
		l.line(text)
	}
}
