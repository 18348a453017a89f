package command

import (
	"bytes"
	"cmp"
)

const (
	// wholeLine is the longest line that stays unchanged, in bytes. Strings in longer lines
	// are shortened.
	wholeLine = 256 << 10
	// shownLine limits the text of an event Line, in bytes.
	shownLine = 4 << 10
	// DefaultMaxLine is the default of Options.MaxLine, in bytes.
	DefaultMaxLine = 16 << 20
)

// lines splits a stream into lines, in bounded memory.
type lines struct {
	most    int64                       // limit of a line, in bytes
	keep    int64                       // limit of an unchanged line, in bytes; 0 selects wholeLine
	line    func(text []byte)           // called with each line, which is valid only during the call
	dropped func(begin []byte, n int64) // called for a line above the limit, with its beginning and its length in bytes

	state lineState
	size  int64  // bytes of the current line so far
	text  []byte // the kept part of the current line
	// short shortens a long line of JSON.
	short condenser
}

// lineState determines the field that contains the current line.
type lineState uint8

const (
	whole     lineState = iota // text is the line
	condensed                  // short is the line
	plain                      // text is the beginning of a long line without JSON
)

// write adds a part of the stream.
func (l *lines) write(p []byte) {
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			l.add(p)
			return
		}
		if l.size == 0 && int64(i) <= l.keepLimit() {
			l.emitLine(p[:i]) // the common case needs no copy
		} else {
			l.add(p[:i])
			l.end()
		}
		p = p[i+1:]
	}
}

// keepLimit returns the limit of an unchanged line, in bytes.
func (l *lines) keepLimit() int64 { return cmp.Or(l.keep, wholeLine) }

// close ends the last line, if it has no line end.
func (l *lines) close() {
	if l.size > 0 {
		l.end()
	}
}

// add adds a part of the current line.
func (l *lines) add(p []byte) {
	l.size += int64(len(p))
	if l.state == whole && l.size > l.keepLimit() {
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

// shorten continues a line that has become too long to stay unchanged.
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

// isObject reports whether text begins with a JSON object.
func isObject(text []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(text, " \t\r"), []byte{'{'})
}

// end passes the current line on and starts the next.
func (l *lines) end() {
	switch {
	case l.size > l.most || l.state == condensed && l.short.full:
		l.dropped(l.text, l.size)
	case l.state == condensed:
		l.emitLine(l.short.out)
	default:
		l.emitLine(l.text)
	}
	l.size, l.state, l.short = 0, whole, condenser{}
	if cap(l.text) > wholeLine/8 {
		l.text = nil
	}
	l.text = l.text[:0]
}

// emitLine calls line unless the line is blank.
func (l *lines) emitLine(text []byte) {
	if text = bytes.TrimRight(text, "\r"); len(bytes.TrimLeft(text, " \t\r")) > 0 {
		l.line(text)
	}
}
