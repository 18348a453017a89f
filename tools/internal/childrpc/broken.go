package childrpc

import (
	"errors"
	"io"
)

// WriteError is the error of a write to a peer, which has often ended.
type WriteError struct {
	// Text is the sentence before the error, for example "it no longer reads".
	Text string
	// Err is the error of the pipe or connection.
	Err error
}

// Error implements error.
func (e *WriteError) Error() string { return e.Text + ": " + e.Err.Error() }

// Unwrap returns the error of the pipe or connection.
func (e *WriteError) Unwrap() error { return e.Err }

// BrokenOff reports whether an error is the end of a stream, which the end of the process may explain:
// io.EOF, io.ErrUnexpectedEOF or a WriteError.
func BrokenOff(err error) bool {
	_, unread := errors.AsType[*WriteError](err)
	return unread || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}
