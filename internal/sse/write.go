package sse

import (
	"bytes"
	"strconv"
	"time"
)

// Event is one event of a stream.
type Event struct {
	// ID names the event for a client that comes back after its connection
	// broke. An event without one has an empty ID when it is written; when it is
	// read, the ID is that of the last event that had one.
	ID string
	// Name is the type of the event. When it is written, empty means that there
	// is no such field; when it is read, it is "message" then.
	Name string
	// Data is the message. An event with nil Data only carries an ID or a Retry,
	// and readers do not report it. An empty Data that is not nil is an event with
	// empty data.
	Data []byte
	// Retry, if positive, is how long to wait before coming back, in whole
	// milliseconds.
	Retry time.Duration
}

// Append appends the event to dst. Each line end in Data begins a new line of data, so that a reader receives it as a
// newline. An ID or a Name with a line end or a NUL is omitted.
func (e Event) Append(dst []byte) []byte {
	dst = appendField(dst, "event: ", e.Name)
	dst = appendField(dst, "id: ", e.ID)
	if e.Retry > 0 {
		dst = append(dst, "retry: "...)
		dst = append(strconv.AppendInt(dst, max(e.Retry.Milliseconds(), 1), 10), '\n')
	}
	if e.Data != nil {
		dst = appendData(dst, e.Data)
	}
	return append(dst, '\n')
}

func appendField(dst []byte, name, value string) []byte {
	if value == "" || !oneLine(value) {
		return dst
	}
	dst = append(append(dst, name...), value...)
	return append(dst, '\n')
}

// oneLine reports whether a value fits into one field.
func oneLine(value string) bool {
	for _, c := range []byte(value) {
		if c == '\n' || c == '\r' || c == 0 {
			return false
		}
	}
	return true
}

func appendData(dst, data []byte) []byte {
	for {
		dst = append(dst, "data: "...)
		i := bytes.IndexByte(data, '\n')
		if j := bytes.IndexByte(data[:lineLength(data, i)], '\r'); j >= 0 {
			i = j
		}
		if i < 0 {
			return append(append(dst, data...), '\n')
		}
		dst = append(append(dst, data[:i]...), '\n')
		if data[i] == '\r' && i+1 < len(data) && data[i+1] == '\n' {
			i++
		}
		data = data[i+1:]
	}
}

// lineLength is the length of the line that ends at newline, which is negative
// when there is none.
func lineLength(data []byte, newline int) int {
	if newline < 0 {
		return len(data)
	}
	return newline
}

// AppendComment appends a comment, which readers ignore: it keeps a connection
// from being taken for dead.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ':')
	if text != "" && oneLine(text) {
		dst = append(append(dst, ' '), text...)
	}
	return append(dst, "\n\n"...)
}
