package rpc

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"sync/atomic"
)

// Stream carries frames, one JSON text each. One that has the method
// CloseUnblocksRead() bool, and answers true, costs a goroutine less: its Close
// ends a Read under way whatever the peer does.
type Stream interface {
	// Read returns the next frame, valid until the next Read. io.EOF is a
	// regular end; a *TooLargeError means that one frame was skipped and
	// reading can go on.
	Read() ([]byte, error)
	// Write sends frames, each ended by the one newline in it.
	Write(frames []byte) error
	// Close ends both directions and unblocks Read and Write where the
	// underlying channel can.
	Close() error
}

// TooLargeError is a frame over the limit of the stream. It was skipped.
type TooLargeError struct {
	Size   int64  // of the frame, in bytes
	Limit  int    // in bytes
	Prefix []byte // the beginning of the frame
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("a message of %d bytes is over the limit of %d bytes", e.Size, e.Limit)
}

// DefaultMaxMessage is the largest message that is read unless told otherwise.
const DefaultMaxMessage = 16 << 20

const (
	firstBuffer = 16 << 10
	// keptBuffer is the largest buffer that outlives the message it grew for.
	keptBuffer = 1 << 20
	prefixKept = 4 << 10
)

// Lines is the framing of MCP's stdio transport, also used on TCP and Unix
// sockets: one message a line, in UTF-8. Empty lines, a carriage return at a
// line's end and a byte-order mark at the beginning are tolerated.
type Lines struct {
	r          io.Reader
	w          io.Writer
	close      func() error
	max        int
	buf        []byte
	start, end int // the bytes read and not yet returned
	begun      bool
	err        error // from r, once it has been returned
	unblocks   bool
	written    atomic.Int64
}

// NewLines frames r and w. max bounds the size of a message that is read, in
// bytes; zero means DefaultMaxMessage. close may be nil.
func NewLines(r io.Reader, w io.Writer, closer func() error, max int) *Lines {
	if max <= 0 {
		max = DefaultMaxMessage
	}
	return &Lines{r: r, w: w, close: closer, max: max}
}

// NewNetLines frames a network connection, see NewLines.
func NewNetLines(conn net.Conn, max int) *Lines {
	l := NewLines(conn, conn, conn.Close, max)
	l.unblocks = true
	return l
}

// CloseUnblocksRead reports whether Close ends a Read under way; see Stream.
func (l *Lines) CloseUnblocksRead() bool { return l.unblocks }

// Read implements Stream.
func (l *Lines) Read() ([]byte, error) {
	if l.end == l.start && len(l.buf) > keptBuffer {
		l.buf, l.start, l.end = nil, 0, 0
	}
	scanned := 0 // bytes after start known to hold no newline
	for {
		if i := bytes.IndexByte(l.buf[l.start+scanned:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : l.start+scanned+i]
			l.start += scanned + i + 1
			if line = l.trim(line); len(line) == 0 {
				scanned = 0
				continue
			}
			if len(line) > l.max {
				return nil, l.tooLarge(line, int64(len(line)))
			}
			return line, nil
		}
		scanned = l.end - l.start
		if scanned > l.max+2 {
			return nil, l.skipLine()
		}
		if l.err != nil {
			return l.lastLine()
		}
		l.fill()
	}
}

// lastLine returns the text after the last newline: the last message of a peer may have no newline.
func (l *Lines) lastLine() ([]byte, error) {
	line := l.trim(l.buf[l.start:l.end])
	l.start = l.end
	if len(line) == 0 || l.err != io.EOF {
		return nil, l.err
	}
	if len(line) > l.max {
		return nil, l.tooLarge(line, int64(len(line)))
	}
	return line, nil
}

func (l *Lines) trim(line []byte) []byte {
	if !l.begun {
		l.begun = true
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return bytes.Trim(line, " \t\r")
}

// fill reads once, making room first.
func (l *Lines) fill() {
	if l.start == l.end {
		l.start, l.end = 0, 0
	}
	switch {
	case l.buf == nil:
		l.buf = make([]byte, firstBuffer)
	case l.end == len(l.buf) && l.start > len(l.buf)/2:
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start = 0
	case l.end == len(l.buf):
		grown := make([]byte, 2*len(l.buf))
		l.end = copy(grown, l.buf[l.start:l.end])
		l.start, l.buf = 0, grown
	}
	var n int
	n, l.err = l.r.Read(l.buf[l.end:])
	l.end += n
}

// skipLine discards the rest of a line that is already over the limit.
func (l *Lines) skipLine() error {
	prefix := append([]byte(nil), l.buf[l.start:min(l.end, l.start+prefixKept)]...)
	size := int64(l.end - l.start)
	for l.err == nil {
		l.start, l.end = 0, 0
		l.fill()
		if i := bytes.IndexByte(l.buf[:l.end], '\n'); i >= 0 {
			l.start = i + 1
			return l.tooLarge(prefix, size+int64(i))
		}
		size += int64(l.end)
	}
	l.start = l.end
	return l.tooLarge(prefix, size)
}

func (l *Lines) tooLarge(line []byte, size int64) error {
	return &TooLargeError{Size: size, Limit: l.max, Prefix: append([]byte(nil), line[:min(len(line), prefixKept)]...)}
}

// Write implements Stream.
func (l *Lines) Write(frames []byte) error {
	for len(frames) > 0 {
		part := frames[:min(len(frames), maxWrite)]
		if _, err := l.w.Write(part); err != nil {
			return err
		}
		l.written.Add(int64(len(part)))
		frames = frames[len(part):]
	}
	return nil
}

// maxWrite bounds the bytes of one write: as many as a pipe of Linux holds, so that the progress of a slow peer is seen.
const maxWrite = 64 << 10

// Written is how many bytes the peer, or the pipe before it, has taken.
func (l *Lines) Written() int64 { return l.written.Load() }

// Close implements Stream.
func (l *Lines) Close() error {
	if l.close == nil {
		return nil
	}
	return l.close()
}
