// Package frame reads and writes the messages of the Language Server Protocol: header lines, an empty line, and as many bytes as the
// header says (base protocol, "Header Part").
package frame

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/internal/truncate"
)

// maxHeader is how long the header of one message may be, all of its lines, in bytes.
const maxHeader = 4 << 10

// Reader reads messages.
type Reader struct {
	in    *bufio.Reader
	limit int
}

// NewReader makes a Reader of messages with up to limit bytes behind their headers.
func NewReader(in io.Reader, limit int) *Reader {
	return &Reader{in: bufio.NewReaderSize(in, maxHeader), limit: limit}
}

// Read returns the next message without its header. Memory grows with received data, not with the announced length. The error
// is io.EOF between messages and io.ErrUnexpectedEOF within one. After any other error the reader is unusable.
func (r *Reader) Read() ([]byte, error) {
	length, err := r.header()
	if err != nil {
		return nil, err
	}
	if length < 1 || length > r.limit {
		return nil, fmt.Errorf("a message of %d bytes; the limit is %d", length, r.limit)
	}
	var body bytes.Buffer
	if _, err := io.CopyN(&body, r.in, int64(length)); err != nil {
		return nil, unexpected(err)
	}
	return body.Bytes(), nil
}

// header answers the Content-Length.
func (r *Reader) header() (int, error) {
	length, size := -1, 0
	for {
		line, err := r.in.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			return 0, fmt.Errorf("a header line of more than %d bytes", maxHeader)
		}
		if err == io.EOF && size == 0 && len(line) == 0 {
			return 0, io.EOF
		}
		if err != nil {
			return 0, unexpected(err)
		}
		if size += len(line); size > maxHeader {
			return 0, fmt.Errorf("a header of more than %d bytes", maxHeader)
		}
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" {
			break
		}
		name, value, found := strings.Cut(text, ":")
		if !found {
			return 0, fmt.Errorf("%q instead of a header", truncate.Cut(text, 80))
		}
		if !strings.EqualFold(name, "Content-Length") {
			continue
		}
		value = strings.TrimSpace(value)
		if length, err = strconv.Atoi(value); err != nil || length < 0 {
			return 0, fmt.Errorf("a Content-Length of %q", truncate.Cut(value, 40))
		}
	}
	if length < 0 {
		return 0, errors.New("a header without Content-Length")
	}
	return length, nil
}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// Of is a message with its header.
func Of(body []byte) []byte {
	return append(fmt.Appendf(make([]byte, 0, len(body)+32), "Content-Length: %d\r\n\r\n", len(body)), body...)
}
