package transport

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/rpc"
)

// The first line of a connection that must authenticate has the form of an HTTP
// header (RFC 6750 §2.1).
const (
	// bearerPrefix precedes the token. Upper and lower case are equal.
	bearerPrefix = "Authorization: Bearer "
	// maxBearerLine is the largest length of the line in bytes, with its line end.
	maxBearerLine = 4 << 10
	// bearerTimeout limits the time until the line has arrived or was sent.
	bearerTimeout = 10 * time.Second
)

// authenticate reads the first line of a connection and passes its token to
// verify. It returns the principal of the token and the connection after the
// line. A refused connection receives one JSON-RPC error and is closed.
func authenticate(ctx context.Context, conn net.Conn, verify func(string) (string, bool)) (principal string, rest net.Conn, err error) {
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer unhook()
	_ = conn.SetDeadline(time.Now().Add(bearerTimeout))
	line, after, err := readFirstLine(conn)
	if err == nil {
		ok := len(line) > len(bearerPrefix) && strings.EqualFold(line[:len(bearerPrefix)], bearerPrefix)
		if ok {
			principal, ok = verify(line[len(bearerPrefix):])
		}
		if ok {
			_ = conn.SetDeadline(time.Time{})
			return principal, prefixedConn{conn, io.MultiReader(bytes.NewReader(after), conn)}, nil
		}
		err = errors.New("its first line is not \"" + bearerPrefix + "\" and a known token")
	}
	refuse(conn, "Unauthorized: "+err.Error())
	return "", nil, err
}

// prefixedConn is a connection with bytes that were read ahead.
type prefixedConn struct {
	net.Conn
	all io.Reader // the bytes that were read ahead, then the connection
}

// Read implements net.Conn.
func (c prefixedConn) Read(p []byte) (int, error) { return c.all.Read(p) }

// readFirstLine reads a line without its line end. after holds the bytes that
// were read behind the line. A line of more than maxBearerLine bytes is an
// error.
func readFirstLine(r io.Reader) (line string, after []byte, err error) {
	buf := make([]byte, 0, maxBearerLine)
	for len(buf) < cap(buf) {
		n, err := r.Read(buf[len(buf):cap(buf)])
		buf = buf[:len(buf)+n]
		if i := bytes.IndexByte(buf, '\n'); i >= 0 {
			return string(bytes.TrimSuffix(buf[:i], []byte("\r"))), buf[i+1:], nil
		}
		if err != nil {
			return "", nil, fmt.Errorf("reading its first line: %w", err)
		}
	}
	return "", nil, fmt.Errorf("its first line has more than %d bytes", maxBearerLine)
}

// refuse sends the reason of a refusal as a JSON-RPC error and closes the
// connection. It reads for up to one second more, because closing a socket with
// unread input discards the error before the peer has read it.
func refuse(conn net.Conn, why string) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(time.Second))
	answer := rpc.AppendError(nil, "", false, &rpc.Error{Code: rpc.CodeInvalidRequest, Message: why})
	if _, err := conn.Write(append(answer, '\n')); err != nil {
		return
	}
	if half, ok := conn.(interface{ CloseWrite() error }); ok && half.CloseWrite() == nil {
		_, _ = io.Copy(io.Discard, io.LimitReader(conn, 1<<20))
	}
}
