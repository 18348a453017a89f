package childrpc

import (
	"errors"
	"io"
)

// WriteError is the error of a peer that cannot be written to, often because it has ended.
type WriteError struct {
	// Text is the sentence in front of the error, as "it does not read any more".
	Text string
	// Err is the error of the pipe or connection.
	Err error
}

// Error implements error.
func (e *WriteError) Error() string { return e.Text + ": " + e.Err.Error() }

// Unwrap returns the error of the pipe or connection.
func (e *WriteError) Unwrap() error { return e.Err }

// BrokenOff reports whether an error is the end of a stream, which the end of the peer may explain: the end of its output, or a
// WriteError.
func BrokenOff(err error) bool {
	_, unread := errors.AsType[*WriteError](err)
	return unread || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
