package websocket_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

func TestMain(m *testing.M) {
	if url := os.Getenv(holdVariable); url != "" {
		hold(url)
		return
	}
	testleak.Main(m)
}

var (
	discard = slog.New(slog.DiscardHandler)
	quiet   = &transport.Options{Log: discard}
	info    = mcp.Implementation{Name: "test", Version: "0"}
)

// patience is the timeout of a test for an event that must happen.
const patience = 30 * time.Second

// serve serves d at ws://…/ws until the test calls stop, or ends.
func serve(t testing.TB, d protocol.Dispatcher, opts *websocket.Options) (url string, stop func()) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return serveOn(t, l, d, opts)
}

func serveOn(t testing.TB, l net.Listener, d protocol.Dispatcher, opts *websocket.Options) (url string, stop func()) {
	t.Helper()
	if opts == nil {
		opts = new(websocket.Options)
	}
	own := *opts
	if own.Connection == nil {
		own.Connection = quiet
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- transport.HTTP{Listener: l, Routes: map[string]transport.Route{"/ws": own}, Log: discard}.Serve(ctx, d)
	}()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("serving: %v", err)
			}
		case <-time.After(patience):
			t.Error("serving does not end")
		}
	}
	t.Cleanup(stop)
	return "ws://" + l.Addr().String() + "/ws", stop
}

// raw is a client that speaks WebSocket frame by frame.
type raw struct {
	t    testing.TB
	conn net.Conn
	in   *bufio.Reader
}

// The opcodes of RFC 6455 §5.2.
const (
	opContinuation = 0x0
	opText         = 0x1
	opBinary       = 0x2
	opClose        = 0x8
	opPing         = 0x9
	opPong         = 0xa
	final          = 0x80
)

const handshake = "GET /ws HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"

// open opens a WebSocket by hand; headers end with line breaks.
func open(t testing.TB, url, headers string) (*raw, *http.Response) {
	t.Helper()
	conn, err := net.Dial("tcp", url[len("ws://"):len(url)-len("/ws")])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(patience))
	return greetServer(t, conn, handshake+headers+"\r\n")
}

func greetServer(t testing.TB, conn net.Conn, request string) (*raw, *http.Response) {
	t.Helper()
	if _, err := io.WriteString(conn, request); err != nil {
		t.Fatal(err)
	}
	c := &raw{t: t, conn: conn, in: bufio.NewReaderSize(conn, 512)}
	response, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatalf("reading the answer to the handshake: %v", err)
	}
	return c, response
}

// frame is a masked frame.
func frame(first byte, payload string) []byte {
	mask := [4]byte{1, 2, 3, 4}
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	b = append(b, mask[:]...)
	for i := range len(payload) {
		b = append(b, payload[i]^mask[i%4])
	}
	return b
}

func (c *raw) send(frames ...[]byte) {
	c.t.Helper()
	for _, f := range frames {
		if _, err := c.conn.Write(f); err != nil {
			c.t.Fatalf("sending: %v", err)
		}
	}
}

func (c *raw) sendText(message string) {
	c.t.Helper()
	c.send(frame(final|opText, message))
}

// read returns the next frame.
func (c *raw) read() (opcode byte, payload string, err error) {
	var head [2]byte
	if _, err := io.ReadFull(c.in, head[:]); err != nil {
		return 0, "", err
	}
	n := uint64(head[1] & 0x7f)
	switch n {
	case 126:
		var length [2]byte
		_, err = io.ReadFull(c.in, length[:])
		n = uint64(binary.BigEndian.Uint16(length[:]))
	case 127:
		var length [8]byte
		_, err = io.ReadFull(c.in, length[:])
		n = binary.BigEndian.Uint64(length[:])
	}
	if err != nil || head[1]&0x80 != 0 || n > 64<<20 {
		return 0, "", errors.Join(err, errors.New("a frame that a server must not send"))
	}
	body := make([]byte, n)
	_, err = io.ReadFull(c.in, body)
	return head[0], string(body), err
}

// message returns the next text message, joined from its fragments.
func (c *raw) message() string {
	c.t.Helper()
	var text string
	for {
		op, payload, err := c.read()
		switch {
		case err != nil:
			c.t.Fatalf("waiting for a message: %v", err)
		case op&0xf == opText || op&0xf == opContinuation:
			text += payload
		default:
			c.t.Fatalf("got a frame %#x %q, want a message", op, payload)
		}
		if op&final != 0 {
			return text
		}
	}
}

// closed reads up to the close frame and returns its code, 0 if the connection
// ends without one.
func (c *raw) closed() int {
	for {
		op, payload, err := c.read()
		switch {
		case err != nil:
			return 0
		case op == final|opClose && len(payload) < 2:
			return 1005
		case op == final|opClose:
			return int(binary.BigEndian.Uint16([]byte(payload)))
		}
	}
}

const (
	ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
)
