package driver

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
)

// httpConn is a keep-alive connection to an HTTP server. To be fast, it supports only the parts of HTTP that the measured servers
// use.
type httpConn struct {
	net.Conn
	r    *bufio.Reader
	body []byte // of the last response
}

func newHTTPConn(conn net.Conn) *httpConn {
	return &httpConn{Conn: conn, r: bufio.NewReader(conn)}
}

// response is the header of a response.
type response struct {
	status  int
	length  int // of the body; negative if chunked
	events  bool
	session string
}

const chunked = -1

// read reads a complete response. The body is valid until the next read.
func (c *httpConn) read() (response, []byte, error) {
	head, err := c.head()
	if err != nil {
		return response{}, nil, fmt.Errorf("read the head of a response: %w", err)
	}
	c.body = c.body[:0]
	if head.length != chunked {
		err = c.fill(head.length)
	}
	for more := head.length == chunked; more && err == nil; {
		more, err = c.chunk()
	}
	if err != nil {
		return response{}, nil, fmt.Errorf("read the body of a response: %w", err)
	}
	return head, c.body, nil
}

func (c *httpConn) head() (response, error) {
	line, err := c.line()
	if err != nil {
		return response{}, err
	}
	version, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(rest, []byte(" "))
	var head response
	if head.status, err = strconv.Atoi(string(code)); err != nil || string(version) != "HTTP/1.1" {
		return response{}, fmt.Errorf("it begins with %q", line)
	}
	for {
		if line, err = c.line(); err != nil || len(line) == 0 {
			return head, err
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		if err := head.note(name, bytes.TrimSpace(value)); err != nil {
			return response{}, err
		}
	}
}

// note stores the relevant header fields.
func (h *response) note(name, value []byte) (err error) {
	is := func(want string) bool { return len(name) == len(want) && bytes.EqualFold(name, []byte(want)) }
	switch {
	case is("Content-Length"):
		if h.length, err = strconv.Atoi(string(value)); err != nil || h.length < 0 {
			return fmt.Errorf("its length is %q", value)
		}
	case is("Transfer-Encoding"):
		h.length = chunked
	case is("Content-Type"):
		h.events = bytes.HasPrefix(value, []byte("text/event-stream"))
	case is("Mcp-Session-Id"):
		h.session = string(value)
	case is("Connection") && bytes.EqualFold(value, []byte("close")):
		return errors.New("the server wants to close the connection")
	}
	return nil
}

// line reads a line of ASCII, which is valid until the next read.
func (c *httpConn) line() ([]byte, error) {
	line, err := c.r.ReadSlice('\n')
	return bytes.TrimRight(line, "\r\n"), err
}

// fill appends n bytes to the body.
func (c *httpConn) fill(n int) error {
	at := len(c.body)
	c.body = append(c.body, make([]byte, n)...)
	_, err := io.ReadFull(c.r, c.body[at:])
	return err
}

// chunk appends a chunk to the body and reports whether another one follows.
func (c *httpConn) chunk() (more bool, err error) {
	line, err := c.line()
	if err != nil {
		return false, err
	}
	size, err := strconv.ParseUint(string(line), 16, 31)
	if err != nil {
		return false, fmt.Errorf("a chunk begins with %q", line)
	}
	if err := c.fill(int(size)); err != nil {
		return false, err
	}
	_, err = c.line()
	return size > 0, err
}

// message returns a copy of the JSON-RPC message in a body: the complete body, or the last event of an event stream.
func (h response) message(body []byte) []byte {
	if !h.events {
		return bytes.Clone(bytes.TrimSpace(body))
	}
	var last []byte
	for line := range bytes.Lines(body) {
		if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && len(bytes.TrimSpace(data)) > 0 {
			last = bytes.TrimSpace(data)
		}
	}
	return bytes.Clone(last)
}

// want returns an error unless the response has the status.
func (h response) want(status int, body []byte) error {
	if h.status == status {
		return nil
	}
	return fmt.Errorf("the server answers %d %s: %s", h.status, http.StatusText(h.status), excerpt(body))
}
