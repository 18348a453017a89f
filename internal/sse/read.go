package sse

import (
	"bytes"
	"errors"
	"io"
	"time"
)

const (
	firstBuffer = 4 << 10
	// keptBuffer is the largest buffer that is reused for the next event, in bytes.
	// A larger one is released.
	keptBuffer = 1 << 20
	// DefaultMaxEvent is the default of the largest event that a Reader accepts, in
	// bytes.
	DefaultMaxEvent = 16 << 20
	// maxRetry is the longest wait that a stream may ask for.
	maxRetry = 24 * time.Hour
	// emptyReads is how often a source may return nothing and no error.
	emptyReads = 100
)

// ErrTooLarge is returned for an event over the limit. The stream cannot be
// read any further.
var ErrTooLarge = errors.New("an event of the stream is too large")

// Reader reads the events of one stream.
type Reader struct {
	r   io.Reader
	max int
	err error // sticky

	buf        []byte
	start, end int  // the bytes read and not yet taken
	skipLF     bool // the last line ended with a carriage return
	begun      bool // the first bytes have been looked at for a byte-order mark

	// The event that is being read:
	data    []byte
	hasData bool // a data line was read, possibly an empty one
	name    string
	nextID  string // becomes lastID when the event's blank line is read

	lastID string
	retry  time.Duration
}

// NewReader returns a reader of the events in r. An event may have at most max
// bytes; zero means DefaultMaxEvent.
func NewReader(r io.Reader, max int) *Reader {
	if max <= 0 {
		max = DefaultMaxEvent
	}
	return &Reader{r: r, max: max}
}

// LastID returns the ID of the last event that had one, also if the event had no
// data. A client sends it in the header Last-Event-ID when it reconnects.
func (r *Reader) LastID() string { return r.lastID }

// SetLastID sets the LastID of an earlier connection of the same stream, as the ID
// that is valid until the stream sends another.
func (r *Reader) SetLastID(id string) { r.lastID, r.nextID = id, id }

// Retry returns the delay before a reconnection that the stream has asked for, at
// most a day. It is 0 if the stream has not asked for one.
func (r *Reader) Retry() time.Duration { return r.retry }

// Next returns the next event that has data. Its Data is valid until the next
// call. At the end of the stream the error is io.EOF; an event without its final
// blank line is dropped. Every error is permanent.
func (r *Reader) Next() (Event, error) {
	if cap(r.data) > keptBuffer {
		r.data = nil
	}
	r.data, r.hasData, r.name = r.data[:0], false, ""
	for {
		line, err := r.line()
		if err != nil {
			return Event{}, err
		}
		if len(line) > 0 {
			if err := r.field(line); err != nil {
				return Event{}, r.fail(err)
			}
			continue
		}
		r.lastID = r.nextID
		if r.hasData {
			return r.event(), nil
		}
		r.name = ""
	}
}

func (r *Reader) event() Event {
	name := r.name
	if name == "" {
		name = "message"
	}
	return Event{ID: r.lastID, Name: name, Data: r.data[:len(r.data)-1]}
}

func (r *Reader) fail(err error) error {
	r.err = err
	r.buf, r.start, r.end = nil, 0, 0
	return err
}

// field takes one line of an event.
func (r *Reader) field(line []byte) error {
	name, value := line, []byte(nil)
	if i := bytes.IndexByte(line, ':'); i >= 0 {
		name, value = line[:i], bytes.TrimPrefix(line[i+1:], []byte(" "))
	}
	switch string(name) {
	case "data":
		if len(r.data)+len(value) > r.max {
			return ErrTooLarge
		}
		r.data = append(append(r.data, value...), '\n')
		r.hasData = true
	case "event":
		r.name = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 {
			r.nextID = string(value)
		}
	case "retry":
		r.setRetry(value)
	}
	return nil
}

func (r *Reader) setRetry(value []byte) {
	if len(value) == 0 {
		return
	}
	limit := maxRetry.Milliseconds()
	var ms int64
	for _, c := range value {
		if c < '0' || c > '9' {
			return
		}
		ms = min(ms*10+int64(c-'0'), limit)
	}
	r.retry = time.Duration(ms) * time.Millisecond
}

// line returns the next line without its end: a line feed, a carriage return or both. It never waits for a line feed
// after a carriage return.
func (r *Reader) line() ([]byte, error) {
	if r.end == r.start && len(r.buf) > keptBuffer {
		r.buf, r.start, r.end = nil, 0, 0
	}
	scanned := 0 // bytes after start known to hold no line end
	for {
		if r.skipLF && r.start < r.end {
			r.skipLF = false
			if r.buf[r.start] == '\n' {
				r.start++
			}
		}
		if i := lineEnd(r.buf[min(r.start+scanned, r.end):r.end]); i >= 0 {
			line := r.buf[r.start : r.start+scanned+i]
			if len(line) > r.maxLine() {
				return nil, r.fail(ErrTooLarge)
			}
			r.skipLF = r.buf[r.start+scanned+i] == '\r'
			r.start += scanned + i + 1
			return r.trimMark(line), nil
		}
		scanned = r.end - r.start
		if scanned > r.maxLine() {
			return nil, r.fail(ErrTooLarge)
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

// maxLine is the length of a line that holds as much data as an event may have.
func (r *Reader) maxLine() int { return r.max + len("data: ") + len(mark) }

// mark is the byte-order mark that a stream may begin with.
const mark = "\xef\xbb\xbf"

func (r *Reader) trimMark(line []byte) []byte {
	if !r.begun {
		r.begun = true
		return bytes.TrimPrefix(line, []byte(mark))
	}
	return line
}

// lineEnd returns the index of the first line feed or carriage return, or −1.
// It looks for a carriage return only before the first line feed.
func lineEnd(data []byte) int {
	i := bytes.IndexByte(data, '\n')
	if j := bytes.IndexByte(data[:lineLength(data, i)], '\r'); j >= 0 {
		return j
	}
	return i
}

// fill reads once, making room first.
func (r *Reader) fill() {
	if r.start == r.end {
		r.start, r.end = 0, 0
	}
	switch {
	case r.buf == nil:
		r.buf = make([]byte, firstBuffer)
	case r.end == len(r.buf) && r.start > len(r.buf)/2:
		r.end = copy(r.buf, r.buf[r.start:r.end])
		r.start = 0
	case r.end == len(r.buf):
		grown := make([]byte, 2*len(r.buf))
		r.end = copy(grown, r.buf[r.start:r.end])
		r.start, r.buf = 0, grown
	}
	for range emptyReads {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		r.err = err
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}
