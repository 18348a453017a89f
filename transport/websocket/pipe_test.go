package websocket_test

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/websocket"
)

// piped is a ResponseWriter whose connection is a pipe.
type piped struct {
	*httptest.ResponseRecorder
	conn net.Conn
}

func (p piped) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	return p.conn, bufio.NewReadWriter(bufio.NewReader(p.conn), bufio.NewWriter(p.conn)), nil
}

// pipe opens a WebSocket through memory. end shuts the server down and waits for
// that.
func pipe(t testing.TB, d protocol.Dispatcher, opts *websocket.Options) (client *raw, end func()) {
	t.Helper()
	if opts == nil {
		opts = &websocket.Options{Connection: quiet}
	}
	h := websocket.NewHandler(d, opts)
	near, far := net.Pipe()
	r := httptest.NewRequest("GET", "/ws", nil)
	for name, value := range map[string]string{"Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ=="} {
		r.Header.Set(name, value)
	}
	w := piped{httptest.NewRecorder(), far}
	h.ServeHTTP(w, r)
	if w.Code != http.StatusSwitchingProtocols {
		t.Fatalf("answered %d %s", w.Code, w.Body)
	}
	return &raw{t: t, conn: near, in: bufio.NewReader(near)}, func() {
		near.Close()
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
	}
}

func TestHandler_SilentClient(t *testing.T) {
	const every = 10 * time.Second
	t.Run("and stays if it answers", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, end := pipe(t, fixture(t), &websocket.Options{Ping: every, Connection: quiet})
			defer end()
			begun := time.Now()
			for i := range 20 {
				op, payload, err := client.read()
				if err != nil || op != final|opPing {
					t.Fatalf("got %#x, %v; want a ping", op, err)
				}
				if at := time.Since(begun).Round(time.Second); at != time.Duration(i+1)*every {
					t.Errorf("ping %d came after %v", i, at)
				}
				client.send(frame(final|opPong, payload))
			}
			client.sendText(ping)
			if got := client.message(); got != pong {
				t.Errorf("got %s", got)
			}
		})
	})
	t.Run("and is cut off if it does not", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, end := pipe(t, fixture(t), &websocket.Options{Ping: every, Connection: quiet})
			defer end()
			begun := time.Now()
			if op, _, err := client.read(); err != nil || op != final|opPing {
				t.Fatalf("got %#x, %v; want a ping", op, err)
			}
			if code := client.closed(); code != 0 {
				t.Errorf("closed with %d, which it could not be told", code)
			}
			if after := time.Since(begun).Round(time.Second); after != 2*every {
				t.Errorf("cut off after %v", after)
			}
		})
	})
	t.Run("unless it speaks", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, end := pipe(t, fixture(t), &websocket.Options{Ping: every, Connection: quiet})
			defer end()
			for range 10 {
				time.Sleep(every - time.Second)
				client.sendText(ping)
				if got := client.message(); got != pong {
					t.Errorf("got %s", got)
				}
			}
		})
	})
	t.Run("or nobody wants to", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			client, end := pipe(t, fixture(t), &websocket.Options{Ping: -1, Connection: quiet})
			defer end()
			time.Sleep(24 * time.Hour)
			client.sendText(ping)
			if got := client.message(); got != pong {
				t.Errorf("got %s", got)
			}
		})
	})
}

// A client that sends and never reads is given up after a while.
func TestHandler_StalledClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, end := pipe(t, fixture(t), &websocket.Options{Connection: &transport.Options{Stall: 20 * time.Second, Log: discard}})
		defer end()
		begun := time.Now()
		sent := 0
		for ; ; sent++ {
			if _, err := client.conn.Write(frame(final|opText, ping)); err != nil {
				break
			}
			time.Sleep(time.Second)
		}
		if after := time.Since(begun); after < 20*time.Second || after > time.Minute {
			t.Errorf("given up after %v and %d requests", after, sent)
		}
	})
}
