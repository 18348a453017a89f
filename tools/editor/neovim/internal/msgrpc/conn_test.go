package msgrpc_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/neovim/internal/msgrpc"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// told is a received notification.
type told struct {
	method string
	params []byte
}

// pair returns a connection and its other side.
func pair(t *testing.T) (*msgrpc.Conn, net.Conn, chan told) {
	t.Helper()
	ours, theirs := net.Pipe()
	heard := make(chan told, 10)
	c := msgrpc.New(ours, func(method string, params []byte) { heard <- told{method, params} })
	var running group.Group
	running.Go(func() { _ = c.Run() })
	t.Cleanup(func() {
		c.Close()
		_ = theirs.Close()
		running.Wait()
	})
	return c, theirs, heard
}

// call sends a request from another goroutine.
func call(t *testing.T, c *msgrpc.Conn, result any) chan error {
	ended := make(chan error, 1)
	var calls group.Group
	calls.Go(func() { ended <- c.Call(t.Context(), "ask", []any{"what", 1}, result) })
	t.Cleanup(calls.Wait)
	return ended
}

func read(t *testing.T, in net.Conn) (all []any) {
	t.Helper()
	if err := msgpack.NewDecoder(in).Decode(&all); err != nil {
		t.Fatal(err)
	}
	return all
}

func write(t *testing.T, out net.Conn, v any) {
	t.Helper()
	if _, err := out.Write(encode(t, v)); err != nil {
		t.Fatal(err)
	}
}

func TestCall_Responses(t *testing.T) {
	for name, c := range map[string]struct {
		answer []any // after the kind and the number
		want   string
		err    string
	}{
		"an answer":                {[]any{nil, "well"}, "well", ""},
		"a refusal":                {[]any{[]any{0, "no such thing"}, nil}, "", "ask: no such thing"},
		"a refusal in one word":    {[]any{"no", nil}, "", "ask: no"},
		"a refusal without reason": {[]any{7, nil}, "", "ask: no reason given"},
		"another kind of answer":   {[]any{nil, []int{1}}, "", "decode response of ask: msgpack: invalid code=91 decoding string/bytes length"},
	} {
		t.Run(name, func(t *testing.T) {
			conn, other, heard := pair(t)
			var got string
			ended := call(t, conn, &got)
			asked := read(t, other)
			if len(asked) != 4 || asked[2] != "ask" {
				t.Fatalf("got %v", asked)
			}
			write(t, other, []any{1, 4711, nil, "nobody has asked"})
			write(t, other, []any{2, "news", []any{"x"}})
			write(t, other, append([]any{1, asked[1]}, c.answer...))
			if err := <-ended; got != c.want || err == nil != (c.err == "") || err != nil && err.Error() != c.err {
				t.Errorf("got %q, %v", got, err)
			}
			var params []string
			if n := <-heard; n.method != "news" || msgrpc.Decode(n.params, &params) != nil || params[0] != "x" {
				t.Errorf("got %+v", n)
			}
		})
	}
}

func TestConn_IncomingRequest(t *testing.T) {
	_, other, _ := pair(t)
	write(t, other, []any{0, 5, "quit", []any{}})
	if got := read(t, other); len(got) != 4 || got[0] != int8(1) || got[2] != "this client has no methods" {
		t.Errorf("got %v", got)
	}
}

func TestConn_EndsOnInvalidMessage(t *testing.T) {
	for name, raw := range map[string][]byte{
		"no message":              {0xc1},
		"a message of no list":    {0xa1, 'x'},
		"an empty list":           {0x90},
		"a kind that is none":     {0x93, 9, 0xa1, 'x', 0x90},
		"a response without rest": {0x92, 1, 1},
		"a number that is none":   {0x94, 1, 0xa1, 'x', 0xc0, 0xc0},
		"a name that is none":     {0x93, 2, 1, 0x90},
	} {
		t.Run(name, func(t *testing.T) {
			conn, other, _ := pair(t)
			ended := call(t, conn, nil)
			read(t, other)
			if _, err := other.Write(raw); err != nil {
				t.Fatal(err)
			}
			if err := <-ended; !errors.Is(err, msgrpc.ErrClosed) {
				t.Errorf("got %v", err)
			}
			<-conn.Done()
			if err := conn.Call(t.Context(), "again", nil, nil); !errors.Is(err, msgrpc.ErrClosed) {
				t.Errorf("afterwards %v", err)
			}
		})
	}
}

func TestCall_ContextEnds(t *testing.T) {
	conn, other, _ := pair(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	var calls group.Group
	ended := make(chan error, 1)
	calls.Go(func() { ended <- conn.Call(ctx, "ask", nil, nil) })
	defer calls.Wait()
	asked := read(t, other)
	cancel(enough)
	if err := <-ended; !errors.Is(err, enough) {
		t.Errorf("got %v", err)
	}
	write(t, other, []any{1, asked[1], nil, "too late"})
	again := call(t, conn, nil)
	write(t, other, []any{1, read(t, other)[1], nil, nil})
	select {
	case err := <-again:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Error("a late answer blocks the connection")
	}
}
