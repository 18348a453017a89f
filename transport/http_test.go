package transport_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// openRoute is a Route. Requests for "?open" stay until the route is shut down,
// requests for "?stuck" until their connection is closed. Other requests return
// the protocol and the path.
type openRoute struct {
	began    chan struct{} // receives for every request that stays
	shut     chan struct{} // closed by Shutdown
	cut      chan error    // how stuck requests ended
	shutdown error         // what Shutdown returns
	hangs    bool          // Shutdown returns the cause of the end of its context
}

func newOpenRoute() *openRoute {
	return &openRoute{began: make(chan struct{}, 10), shut: make(chan struct{}), cut: make(chan error, 10)}
}

func (o *openRoute) Handler(protocol.Dispatcher) transport.Handler { return o }

func (o *openRoute) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.RawQuery {
	case "open":
		o.began <- struct{}{}
		<-o.shut
	case "stuck":
		o.began <- struct{}{}
		<-r.Context().Done()
		o.cut <- context.Cause(r.Context())
	}
	fmt.Fprintf(w, "%s %s %s", r.Proto, r.URL.Path, protocol.PrincipalFrom(r.Context()))
}

func (o *openRoute) Shutdown(ctx context.Context) error {
	close(o.shut)
	if o.hangs {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	return o.shutdown
}

// serveHTTP serves an endpoint on a loopback address until the test calls stop,
// which returns how serving ended.
func serveHTTP(t *testing.T, e transport.HTTP) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	e.Listener, e.Log = l, quiet.Log
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Serve(ctx, fixture(t)) }()
	stop = func() error {
		cancel()
		select {
		case err := <-ended:
			ended <- err
			return err
		case <-time.After(30 * time.Second):
			return errors.New("serving does not end")
		}
	}
	t.Cleanup(func() { _ = stop() })
	return l.Addr().String(), stop
}

func get(t *testing.T, client *http.Client, url string) (status int, body string) {
	t.Helper()
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content)
}

func TestHTTP_Routes(t *testing.T) {
	address, stop := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": newOpenRoute(), "/deep/ws": newOpenRoute()}})
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	for _, tc := range []struct {
		path, want string
		status     int
	}{
		{"/mcp", "HTTP/1.1 /mcp ", 200},
		{"/deep/ws", "HTTP/1.1 /deep/ws ", 200},
		{"/", "404 page not found\n", 404},
		{"/mcp/", "404 page not found\n", 404},
		{"//mcp", "404 page not found\n", 404},
		{"/deep", "404 page not found\n", 404},
	} {
		if status, body := get(t, client, "http://"+address+tc.path); status != tc.status || body != tc.want {
			t.Errorf("%s: answered %d %q, want %d %q", tc.path, status, body, tc.status, tc.want)
		}
	}
	if err := stop(); err != nil {
		t.Errorf("serving: %v", err)
	}
}

func TestHTTP_Wrap(t *testing.T) {
	address, _ := serveHTTP(t, transport.HTTP{
		Routes: map[string]transport.Route{"/mcp": newOpenRoute()},
		Wrap: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/refused" {
					http.Error(w, "no", http.StatusUnauthorized)
					return
				}
				next.ServeHTTP(w, r.WithContext(protocol.WithPrincipal(r.Context(), "ada")))
			})
		},
	})
	client := &http.Client{Transport: new(http.Transport)}
	defer client.CloseIdleConnections()
	if status, body := get(t, client, "http://"+address+"/mcp"); status != 200 || body != "HTTP/1.1 /mcp ada" {
		t.Errorf("answered %d %q", status, body)
	}
	if status, _ := get(t, client, "http://"+address+"/refused"); status != 401 {
		t.Errorf("answered %d, want 401", status)
	}
}

func TestHTTP_Protocols(t *testing.T) {
	ready := httptest.NewUnstartedServer(nil) // for its certificate
	ready.StartTLS()
	defer ready.Close()
	roots := x509.NewCertPool()
	roots.AddCert(ready.Certificate())
	secure, _ := serveHTTP(t, transport.HTTP{TLS: &tls.Config{Certificates: ready.TLS.Certificates}, Routes: map[string]transport.Route{"/mcp": newOpenRoute()}})
	plain, _ := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": newOpenRoute()}})
	for _, tc := range []struct {
		name, url      string
		http1, cleared bool // the protocols of the client
		want           string
	}{
		{name: "TLS", url: "https://" + secure + "/mcp", want: "HTTP/2.0 /mcp "},
		{name: "TLS, an older client", url: "https://" + secure + "/mcp", http1: true, want: "HTTP/1.1 /mcp "},
		{name: "no TLS", url: "http://" + plain + "/mcp", http1: true, want: "HTTP/1.1 /mcp "},
		{name: "no TLS, unencrypted HTTP/2", url: "http://" + plain + "/mcp", cleared: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			protocols := new(http.Protocols)
			protocols.SetHTTP1(tc.http1)
			protocols.SetHTTP2(!tc.http1 && !tc.cleared)
			protocols.SetUnencryptedHTTP2(tc.cleared)
			client := &http.Client{Transport: &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots}, Protocols: protocols}}
			defer client.CloseIdleConnections()
			response, err := client.Get(tc.url)
			if tc.want == "" {
				if err == nil {
					response.Body.Close()
					t.Error("it is spoken")
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			if body, err := io.ReadAll(response.Body); err != nil || string(body) != tc.want {
				t.Errorf("answered %q, %v; want %q", body, err, tc.want)
			}
		})
	}
}

// At the end, routes are shut down first, open requests end, and slow requests
// are cancelled.
func TestHTTP_Shutdown(t *testing.T) {
	t.Run("open requests end with their route", func(t *testing.T) {
		route := newOpenRoute()
		address, stop := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": route}, Grace: time.Minute})
		answered := make(chan string, 1)
		go func() {
			client := &http.Client{Transport: new(http.Transport)}
			defer client.CloseIdleConnections()
			response, err := client.Get("http://" + address + "/mcp?open")
			if err != nil {
				answered <- err.Error()
				return
			}
			defer response.Body.Close()
			body, _ := io.ReadAll(response.Body)
			answered <- string(body)
		}()
		<-route.began
		if err := stop(); err != nil {
			t.Errorf("serving: %v", err)
		}
		if body := <-answered; body != "HTTP/1.1 /mcp " {
			t.Errorf("the open request got %q", body)
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			conn.Close()
			t.Error("the listener is still there")
		}
	})
	t.Run("stuck requests are cut off", func(t *testing.T) {
		route := newOpenRoute()
		address, stop := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": route}, Grace: time.Millisecond})
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /mcp?stuck HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		<-route.began
		if err := stop(); err != nil {
			t.Errorf("serving: %v", err)
		}
		if err := <-route.cut; !errors.Is(err, context.Canceled) {
			t.Errorf("the context of the stuck request ended with %v", err)
		}
	})
	t.Run("a route that takes longer than the grace", func(t *testing.T) {
		route := newOpenRoute()
		route.hangs = true
		_, stop := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": route}, Grace: time.Millisecond})
		if err := stop(); err != nil {
			t.Errorf("serving: %v", err)
		}
	})
	t.Run("a route that fails to shut down", func(t *testing.T) {
		route := newOpenRoute()
		route.shutdown = errors.New("it is stuck")
		_, stop := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": route}})
		if err := stop(); err == nil || !strings.Contains(err.Error(), "shutting down /mcp: it is stuck") {
			t.Errorf("serving: %v", err)
		}
	})
}

// pipeListener is a listener whose connections are pipes.
type pipeListener struct {
	conns chan net.Conn
	done  chan struct{}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case conn := <-l.conns:
		return conn, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { close(l.done); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "pipe", Net: "unix"} }

// Connections without a request do not delay the end.
func TestHTTP_ShutdownWithUnusedConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &pipeListener{make(chan net.Conn), make(chan struct{})}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		e := transport.HTTP{Listener: l, Routes: map[string]transport.Route{"/mcp": newOpenRoute()}, Log: quiet.Log}
		go func() { ended <- e.Serve(ctx, mcp.NewServer(mcp.Implementation{Name: "unused"}, nil)) }()
		for _, said := range []string{"", "GET /mcp HT"} {
			near, far := net.Pipe()
			defer near.Close()
			l.conns <- far
			if _, err := io.WriteString(near, said); err != nil {
				t.Fatal(err)
			}
		}
		synctest.Wait()
		wasRead := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("serving: %v", err)
		}
		if took := time.Since(wasRead); took > time.Second {
			t.Errorf("it took %v to end", took)
		}
	})
}

func TestHTTP_MaxConns(t *testing.T) {
	route := newOpenRoute()
	address, _ := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": route}, MaxConns: 2})
	var open []net.Conn
	for range 3 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		if _, err := io.WriteString(conn, "GET /mcp?stuck HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		open = append(open, conn)
	}
	<-route.began
	<-route.began
	select {
	case <-route.began:
		t.Error("three connections were accepted")
	default:
	}
	open[0].Close()
	select {
	case <-route.began:
	case <-time.After(30 * time.Second):
		t.Error("the third connection was never accepted")
	}
}

func TestHTTP_MaxHeaderBytes(t *testing.T) {
	address, _ := serveHTTP(t, transport.HTTP{Routes: map[string]transport.Route{"/mcp": newOpenRoute()}})
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	_, _ = fmt.Fprintf(conn, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nX: %s\r\n\r\n", strings.Repeat("x", 200<<10))
	if answer, err := io.ReadAll(conn); err != nil && len(answer) == 0 || !strings.HasPrefix(string(answer), "HTTP/1.1 431 ") {
		t.Errorf("answered %.40q, %v", answer, err)
	}
}

func TestHTTP_InvalidEndpoints(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	routes := map[string]transport.Route{"/mcp": newOpenRoute()}
	for name, tc := range map[string]struct {
		endpoint transport.HTTP
		want     string
	}{
		"no address":              {transport.HTTP{Routes: routes}, "needs an Address"},
		"an address without port": {transport.HTTP{Address: "127.0.0.1", Routes: routes}, "missing port"},
		"an address that is none": {transport.HTTP{Address: "256.0.0.1:0", Routes: routes}, "256.0.0.1"},
		"an address that is used": {transport.HTTP{Address: taken.Addr().String(), Routes: routes}, "bind: "},
		"no routes":               {transport.HTTP{Address: "127.0.0.1:0"}, "needs Routes"},
		"a path that is none":     {transport.HTTP{Address: "127.0.0.1:0", Routes: map[string]transport.Route{"mcp": newOpenRoute()}}, `"mcp"`},
		"a route that is none":    {transport.HTTP{Address: "127.0.0.1:0", Routes: map[string]transport.Route{"/mcp": nil}}, `"/mcp"`},
		"TLS without certificate": {transport.HTTP{Address: "127.0.0.1:0", TLS: new(tls.Config), Routes: routes}, "certificate"},
		"a listener that fails":   {transport.HTTP{Listener: brokenListener{taken}, Routes: routes}, "no more files"},
	} {
		t.Run(name, func(t *testing.T) {
			tc.endpoint.Log = slog.New(slog.DiscardHandler)
			if err := tc.endpoint.Serve(t.Context(), fixture(t)); err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("serving: %v, want an error with %q", err, tc.want)
			}
		})
	}
}
