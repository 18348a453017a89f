package transport_test

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// listen serves a Listen endpoint until the test ends, and waits until it is
// there.
func listen(t *testing.T, e transport.Listen) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, fixture(t)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	network, address := e.Network, e.Address
	if e.Listener != nil {
		network, address = e.Listener.Addr().Network(), e.Listener.Addr().String()
	}
	for wasRead := time.Now(); time.Since(wasRead) < 30*time.Second; time.Sleep(time.Millisecond) {
		if conn, err := net.Dial(network, address); err == nil {
			conn.Close()
			return
		}
	}
	t.Fatalf("nobody listens on %s", address)
}

func tcpListener(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func greet(ctx context.Context, d transport.Dial) error {
	d.Options = quiet
	client, err := mcp.Connect(ctx, d, mcp.Implementation{Name: "test"}, nil)
	if err != nil {
		return err
	}
	text, err := mcp.Call[string](ctx, client, "greet", person{Name: "net"})
	if err == nil && text != "Hello, net" {
		err = errors.New(text)
	}
	return errors.Join(err, client.Close())
}

func TestListen_UnixSocketMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	listen(t, transport.Listen{Network: "unix", Address: path, Options: quiet})
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v", info.Mode())
	}
	if err := greet(t.Context(), transport.Dial{Network: "unix", Address: path}); err != nil {
		t.Error(err)
	}
}

func TestListen_ExistingSocketPath(t *testing.T) {
	t.Run("a socket that nobody listens on is replaced", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		if err != nil {
			t.Fatal(err)
		}
		l.SetUnlinkOnClose(false) // as if its process had been killed
		l.Close()
		listen(t, transport.Listen{Network: "unix", Address: path, Options: quiet})
		if err := greet(t.Context(), transport.Dial{Network: "unix", Address: path}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a socket that is used is left alone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		listen(t, transport.Listen{Network: "unix", Address: path, Options: quiet})
		if err := (transport.Listen{Network: "unix", Address: path, Options: quiet}).Serve(t.Context(), fixture(t)); err == nil {
			t.Error("it was listened on twice")
		}
		if err := greet(t.Context(), transport.Dial{Network: "unix", Address: path}); err != nil {
			t.Error(err)
		}
	})
	t.Run("a file is left alone", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "s")
		if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := (transport.Listen{Network: "unix", Address: path, Options: quiet}).Serve(t.Context(), fixture(t)); err == nil {
			t.Error("a file was listened on")
		}
		if content, err := os.ReadFile(path); err != nil || string(content) != "precious" {
			t.Errorf("the file has %q, %v", content, err)
		}
	})
	t.Run("a directory that does not exist", func(t *testing.T) {
		err := transport.Listen{Network: "unix", Address: filepath.Join(t.TempDir(), "none", "s")}.Serve(t.Context(), fixture(t))
		if err == nil || !strings.Contains(err.Error(), "listening: ") {
			t.Errorf("serving: %v", err)
		}
	})
}

func TestListen_InvalidEndpoints(t *testing.T) {
	for _, tc := range []struct {
		endpoint transport.Listen
		want     string
	}{
		{transport.Listen{}, "needs an Address"},
		{transport.Listen{Address: "127.0.0.1"}, "missing port"},
		{transport.Listen{Network: "carrier pigeon", Address: "x"}, "carrier pigeon"},
	} {
		if err := tc.endpoint.Serve(t.Context(), fixture(t)); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%+v: %v, want an error with %q", tc.endpoint, err, tc.want)
		}
	}
}

// fullListener has too many files open at first.
type fullListener struct {
	net.Listener
	failures int
}

type temporary struct{ error }

func (temporary) Temporary() bool { return true }

func (l *fullListener) Accept() (net.Conn, error) {
	if l.failures--; l.failures >= 0 {
		return nil, temporary{errors.New("too many open files")}
	}
	return l.Listener.Accept()
}

func TestServeListener_TemporaryAcceptError(t *testing.T) {
	l := &fullListener{Listener: tcpListener(t), failures: 3}
	listen(t, transport.Listen{Listener: l, Options: quiet})
	if err := greet(t.Context(), transport.Dial{Network: "tcp", Address: l.Addr().String()}); err != nil {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	full := &fullListener{Listener: tcpListener(t), failures: 1 << 30}
	if err := (transport.Listen{Listener: full, Options: quiet}).Serve(ctx, fixture(t)); err != nil {
		t.Errorf("serving: %v", err)
	}
}

const secret = "0123456789abcdef"

// verify knows one token.
func verify(token string) (string, bool) { return "ada", token == secret }

func TestVerify_FirstLine(t *testing.T) {
	l := tcpListener(t)
	listen(t, transport.Listen{Listener: l, Options: &transport.Options{Verify: verify, Log: quiet.Log}})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n"
	const pong = `{"jsonrpc":"2.0","id":1,"result":{}}`
	for name, tc := range map[string]struct {
		send []string // each in its own packet, if the network likes
		end  bool     // nothing follows
		want string   // part of the first answer
	}{
		"the token":                  {send: []string{"Authorization: Bearer " + secret + "\n", ping}, want: pong},
		"everything at once":         {send: []string{"Authorization: Bearer " + secret + "\n" + ping}, want: pong},
		"byte by byte":               {send: strings.Split("Authorization: Bearer "+secret+"\n"+ping, ""), want: pong},
		"as HTTP would":              {send: []string{"authorization: bearer " + secret + "\r\n", ping}, want: pong},
		"another token":              {send: []string{"Authorization: Bearer " + secret + "x\n", ping}, want: `{"jsonrpc":"2.0","error":{"code":-32600,"message":"Unauthorized: its first line`},
		"no token":                   {send: []string{"Authorization: Bearer \n", ping}, want: "Unauthorized"},
		"another scheme":             {send: []string{"Authorization: Basic " + secret + "\n", ping}, want: "Unauthorized"},
		"a message":                  {send: []string{ping}, want: "Unauthorized"},
		"an empty line":              {send: []string{"\nAuthorization: Bearer " + secret + "\n"}, want: "Unauthorized"},
		"a line without an end":      {send: []string{strings.Repeat("x", 5000)}, want: "more than 4096 bytes"},
		"nothing":                    {end: true, want: "reading its first line: EOF"},
		"a line that is not ended":   {send: []string{"Authorization: Bearer " + secret}, end: true, want: "EOF"},
		"what comes after is unread": {send: []string{ping, strings.Repeat(ping, 10000)}, want: "Unauthorized"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			conn, err := net.Dial("tcp", l.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
			for _, part := range tc.send {
				if _, err := io.WriteString(conn, part); err != nil {
					break // it may have been closed
				}
			}
			if tc.end {
				_ = conn.(*net.TCPConn).CloseWrite()
			}
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil || !strings.Contains(line, tc.want) {
				t.Errorf("answered %q, %v; want %q", line, err, tc.want)
			}
		})
	}
}

func TestDial_Token(t *testing.T) {
	l := tcpListener(t)
	listen(t, transport.Listen{Listener: l, Options: &transport.Options{Verify: verify, Log: quiet.Log}})
	for name, tc := range map[string]struct{ token, want string }{
		"the right one":           {secret, ""},
		"a wrong one":             {"wrong", "the server refused the connection: Unauthorized"},
		"none":                    {"", "the server refused the connection: Unauthorized"},
		"one that is two lines":   {"a\nb", "no line breaks"},
		"one that is much longer": {strings.Repeat("x", 8<<10), "refused"},
	} {
		t.Run(name, func(t *testing.T) {
			err := greet(t.Context(), transport.Dial{Network: "tcp", Address: l.Addr().String(), Token: tc.token})
			if tc.want == "" && err != nil || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
				t.Errorf("connecting: %v, want an error with %q", err, tc.want)
			}
		})
	}
}

// The principal reaches the handler.
func TestVerify_Principal(t *testing.T) {
	l := tcpListener(t)
	seen := make(chan protocol.Peer, 10)
	who := dispatcher(func(_ context.Context, req *protocol.Request) (protocol.Result, error) {
		seen <- req.Peer
		return nil, protocol.Errorf(protocol.CodeInternal, "seen")
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		ended <- transport.ServeListener(ctx, who, l, &transport.Options{Verify: verify, Log: quiet.Log})
	}()
	_ = greet(t.Context(), transport.Dial{Network: "tcp", Address: l.Addr().String(), Token: secret})
	if peer := <-seen; peer.Principal != "ada" || peer.Transport != "tcp" || !strings.HasPrefix(peer.Address, "127.0.0.1:") {
		t.Errorf("the peer is %+v", peer)
	}
	// A connection without an authentication line does not delay the end.
	conn, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("serving: %v", err)
	}
}

// dispatcher implements Dispatcher with a function.
type dispatcher func(ctx context.Context, req *protocol.Request) (protocol.Result, error)

func (d dispatcher) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	return d(ctx, req)
}
