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

// The first line of a connection that must authenticate is what HTTP has as a
// header (RFC 6750 §2.1), within these bounds.
const (
	bearerPrefix  = "Authorization: Bearer "
	maxBearerLine = 4 << 10
	bearerTimeout = 10 * time.Second
)

// authenticate reads the first line of a connection and asks verify who may use
// the token in it; rest is the connection after it. A connection that is refused
// gets one error, and is closed.
func authenticate(ctx context.Context, conn net.Conn, verify func(string) (string, bool)) (principal string, rest net.Conn, err error) {
	unhook := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer unhook()
	_ = conn.SetDeadline(time.Now().Add(bearerTimeout))
	line, after, err := firstLine(conn)
	if err == nil {
		ok := len(line) > len(bearerPrefix) && strings.EqualFold(line[:len(bearerPrefix)], bearerPrefix)
		if ok {
			principal, ok = verify(line[len(bearerPrefix):])
		}
		if ok {
			_ = conn.SetDeadline(time.Time{})
			return principal, begunConn{conn, io.MultiReader(bytes.NewReader(after), conn)}, nil
		}
		err = errors.New("its first line is not \"" + bearerPrefix + "\" and a token that is known")
	}
	dismiss(conn, "Unauthorized: "+err.Error())
	return "", nil, err
}

// begunConn is a connection of which something has been read already.
type begunConn struct {
	net.Conn
	all io.Reader
}

// Read implements net.Conn.
func (c begunConn) Read(p []byte) (int, error) { return c.all.Read(p) }

// firstLine reads a line, and what came with it.
func firstLine(r io.Reader) (line string, after []byte, err error) {
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

// dismiss says why a connection is refused and closes it. It reads on for a
// moment, because closing with something unread would take the answer back.
func dismiss(conn net.Conn, why string) {
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
