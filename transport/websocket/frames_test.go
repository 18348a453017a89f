package websocket_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

// Whatever a client sends, it gets an answer or is told why the connection ends.
func TestHandler_Frames(t *testing.T) {
	url, _ := serve(t, fixture(t), &websocket.Options{Connection: &transport.Options{MaxMessage: 1000, Log: discard}})
	text := func(s string) []byte { return frame(final|opText, s) }
	large := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":"` + strings.Repeat("x", 3000) + `"}}`
	unmasked := append([]byte{final | opText, byte(len(ping))}, ping...)
	for name, tc := range map[string]struct {
		send [][]byte
		want []string // parts of the messages that are answered
		code int      // of the closing; 0: the connection goes on
	}{
		"a message":                         {send: [][]byte{text(ping)}, want: []string{pong}},
		"a message with line breaks":        {send: [][]byte{text("{\n \"jsonrpc\":\"2.0\",\r\n\"id\":1,\n\"method\":\"ping\"}\n")}, want: []string{pong}},
		"fragments":                         {send: [][]byte{frame(opText, ping[:5]), frame(opContinuation, ping[5:9]), frame(opContinuation, ""), frame(final|opContinuation, ping[9:])}, want: []string{pong}},
		"a ping between fragments":          {send: [][]byte{frame(opText, ping[:5]), frame(final|opPing, "?"), frame(final|opContinuation, ping[5:])}, want: []string{pong}},
		"a pong that was not asked for":     {send: [][]byte{frame(final|opPong, "!"), text(ping)}, want: []string{pong}},
		"an empty message":                  {send: [][]byte{text("")}, want: []string{`"code":-32700`}},
		"no JSON":                           {send: [][]byte{text("hello")}, want: []string{`"code":-32700`}},
		"two values in a message":           {send: [][]byte{text(ping + "\n" + ping)}, want: []string{`"code":-32700`}},
		"a batch outside its revision":      {send: [][]byte{text("[" + ping + "]")}, want: []string{`"code":-32600`}},
		"a byte-order mark":                 {send: [][]byte{text("\ufeff" + ping)}, want: []string{`"code":-32700`}},
		"a message at the limit":            {send: [][]byte{text(ping + strings.Repeat(" ", 1000-len(ping)))}, want: []string{pong}},
		"a message over the limit":          {send: [][]byte{text(large)}, want: []string{`{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request: a message of 3064 bytes is over the limit of 1000 bytes`}, code: 1009},
		"fragments over the limit":          {send: [][]byte{frame(opText, large[:900]), frame(opContinuation, large[900:1800]), frame(final|opContinuation, large[1800:])}, want: []string{`"id":7,"error"`}, code: 1009},
		"far over the limit":                {send: [][]byte{text(large + strings.Repeat(" ", 100000))}, want: []string{`"id":7,"error"`}, code: 1009},
		"what follows one over the limit":   {send: [][]byte{text(large), text(ping)}, want: []string{`"id":7,"error"`}, code: 1009},
		"a binary message":                  {send: [][]byte{frame(final|opBinary, ping)}, code: 1003},
		"no UTF-8":                          {send: [][]byte{text("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}")}, code: 1007},
		"half a character in a fragment":    {send: [][]byte{frame(opText, "\"\xc3"), frame(final|opContinuation, "\xa9\"")}, want: []string{`"code":-32600`}},
		"no mask":                           {send: [][]byte{unmasked}, code: 1002},
		"a reserved bit":                    {send: [][]byte{frame(final|0x40|opText, ping)}, code: 1002},
		"an unknown opcode":                 {send: [][]byte{frame(final|0x3, ping)}, code: 1002},
		"a continuation of nothing":         {send: [][]byte{frame(final|opContinuation, ping)}, code: 1002},
		"a message in a message":            {send: [][]byte{frame(opText, ping[:5]), text(ping)}, code: 1002},
		"a ping that is too long":           {send: [][]byte{frame(final|opPing, strings.Repeat("x", 126))}, code: 1002},
		"a ping in fragments":               {send: [][]byte{frame(opPing, "x")}, code: 1002},
		"a close frame with half a code":    {send: [][]byte{frame(final|opClose, "\x03")}, code: 1002},
		"a close frame with a bad code":     {send: [][]byte{frame(final|opClose, "\x03\xed")}, code: 1002},
		"a length that is negative":         {send: [][]byte{{final | opText, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0}}, code: 1002},
		"a regular end":                     {send: [][]byte{frame(final|opClose, "\x03\xe8")}, code: 1000},
		"an end without a code":             {send: [][]byte{frame(final|opClose, "")}, code: 1005},
		"an end with a code of its own":     {send: [][]byte{frame(final|opClose, "\x0f\xa0bye")}, code: 4000},
		"a length that nobody ever sends":   {send: [][]byte{binary.BigEndian.AppendUint64([]byte{final | opText, 0xff}, 1<<60), []byte("\x00\x00\x00\x00" + strings.Repeat("x", 6000))}, want: []string{`"code":-32600`}, code: 1009},
		"a request and the end at once":     {send: [][]byte{append(text(ping), frame(final|opClose, "\x03\xe8")...)}, code: 1000},
		"a notification, then a request":    {send: [][]byte{text(`{"jsonrpc":"2.0","method":"notifications/unknown"}`), text(ping)}, want: []string{pong}},
		"requests that come close together": {send: [][]byte{append(append(text(ping), text(ping)...), text(ping)...)}, want: []string{pong, pong, pong}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, _ := open(t, url, "Sec-WebSocket-Protocol: mcp\r\n")
			for _, f := range tc.send {
				c.send(f)
			}
			for _, want := range tc.want {
				op, got, err := c.read()
				for op == final|opPong {
					op, got, err = c.read()
				}
				if err != nil || op != final|opText || !strings.Contains(got, want) {
					t.Fatalf("got %#x %s, %v; want %s", op, got, err, want)
				}
			}
			if tc.code != 0 {
				if code := c.closed(); code != tc.code {
					t.Errorf("closed with %d, want %d", code, tc.code)
				}
				return
			}
			c.sendText(`{"jsonrpc":"2.0","id":"after","method":"ping"}`)
			for {
				op, got, err := c.read()
				if err != nil {
					t.Fatalf("the connection did not survive: %v", err)
				}
				if op == final|opText && strings.Contains(got, `"after"`) {
					return
				}
			}
		})
	}
}

// Arrays of messages exist in one revision.
func TestHandler_Batch(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	c, _ := open(t, url, "")
	c.sendText(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`)
	c.message()
	c.sendText("[" + ping + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if got := c.message(); got != "["+pong+`,{"jsonrpc":"2.0","id":2,"result":{}}]` {
		t.Errorf("got %s", got)
	}
}

// TestHandler_ManyPings sends many pings, which are answered and delay no other client.
func TestHandler_ManyPings(t *testing.T) {
	url, _ := serve(t, fixture(t), nil)
	c, _ := open(t, url, "")
	var flood []byte
	for range 5000 {
		flood = append(flood, frame(final|opPing, "x")...)
	}
	flood = append(flood, frame(final|opText, ping)...)
	sent := make(chan error, 1)
	go func() {
		_, err := c.conn.Write(flood)
		sent <- err
	}()
	for pongs := 0; ; pongs++ {
		op, payload, err := c.read()
		switch {
		case err != nil:
			t.Fatalf("after %d pongs: %v", pongs, err)
		case op == final|opText:
			if pongs != 5000 || payload != pong {
				t.Errorf("%d pongs, then %s", pongs, payload)
			}
			if err := <-sent; err != nil {
				t.Error(err)
			}
			return
		}
	}
}

// TestHandler_ClientsDisconnect disconnects clients without a closing handshake while requests run.
func TestHandler_ClientsDisconnect(t *testing.T) {
	url, stop := serve(t, fixture(t), nil)
	for name, last := range map[string][]byte{
		"at once":               nil,
		"in a frame's head":     {final | opText},
		"in a message":          frame(final|opText, ping)[:10],
		"between fragments":     frame(opText, ping[:5]),
		"after a request":       frame(final|opText, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"greet"}}`),
		"in a message too long": frame(final|opText, strings.Repeat("x", 100))[:50],
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := open(t, url, "")
			c.send(last)
			c.conn.Close()
		})
	}
	stop() // nothing is left that would hold it up
}

// fuzzed is the server of every fuzzed connection.
var fuzzed = mcp.NewServer(mcp.Implementation{Name: "fuzzed"}, nil)

// Whatever comes after the handshake, the connection ends when the client does,
// and no goroutine is left.
func FuzzFrames(f *testing.F) {
	f.Add(frame(final|opText, ping))
	f.Add(append(frame(opText, ping[:5]), frame(final|opContinuation, ping[5:])...))
	f.Add(frame(final|opClose, "\x03\xe8bye"))
	f.Add([]byte{final | opText, 0xff, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1, 2, 3, 4})
	f.Add(append(frame(final|opPing, "x"), frame(final|opBinary, "y")...))
	f.Fuzz(func(t *testing.T, data []byte) {
		client, end := pipe(t, fuzzed, nil)
		go func() {
			_, _ = client.conn.Write(data)
			client.conn.Close()
		}()
		for {
			if _, _, err := client.read(); err != nil {
				break
			}
		}
		end()
	})
}
