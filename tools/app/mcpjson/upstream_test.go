package mcpjson_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpserver"
	"github.com/dougu-go/dougu/transport/websocket"
)

const childVariable = "DOUGU_MCPJSON_TEST_CHILD"

// The test binary is a server too.
func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		fmt.Fprintln(os.Stderr, "the child is here")
		if err := transport.ServeStdio(context.Background(), environment(), nil); err != nil {
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// environment returns a server whose tool returns its environment.
func environment() *mcp.Server {
	srv := mcp.NewServer(mcp.Implementation{Name: "environment", Version: "1"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "variable"}, func(_ context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return os.Getenv(in.Name), nil
	})
	err = errors.Join(err, mcp.AddTool(srv, mcp.Tool{Name: "directory"}, func(context.Context, struct{}) (string, error) { return os.Getwd() }))
	err = errors.Join(err, mcp.AddTool(srv, mcp.Tool{Name: "header"}, func(ctx context.Context, in struct {
		Name string `json:"name"`
	}) (string, error) {
		return mcp.CallFrom(ctx).Request.Peer.Headers.Get(in.Name), nil
	}))
	if err != nil {
		panic(err)
	}
	return srv
}

// serveHTTP serves the environment on both transports of HTTP.
func serveHTTP(t testing.TB) string {
	t.Helper()
	quiet := new(waittest.Log).Logger()
	h := httpserver.NewHandler(environment(), &httpserver.Options{Log: quiet})
	w := websocket.NewHandler(environment(), &websocket.Options{Connection: &transport.Options{Log: quiet}})
	mux := http.NewServeMux()
	mux.Handle("/mcp", h)
	mux.Handle("/ws", w)
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx := context.Background()
		if err := errors.Join(h.Shutdown(ctx), w.Shutdown(ctx)); err != nil {
			t.Error(err)
		}
		srv.Close()
	})
	return srv.Listener.Addr().String()
}

func text(t testing.TB, c *mcp.Client, tool string, args any) string {
	t.Helper()
	got, err := mcp.Call[string](t.Context(), c, tool, args)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return got
}

// A file becomes a gateway, and the gateway follows the file.
func TestRegistry(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	quoted, _ := json.Marshal(program)
	address := serveHTTP(t)
	file := filepath.Join(dir, "mcp.json")
	both := fmt.Sprintf(`"child one":{"command":%s,"env":{%q:"1","MINE":"yes","GORACE":"atexit_sleep_ms=0"}},
		"web":{"url":"http://%s/mcp","headers":{"X-Mine":"yes"}}, "live":{"url":"ws://%s/ws","headers":{"X-Mine":"live"}}`, quoted, childVariable, address, address)
	write(t, file, `{"mcpServers":{`+both+`}}`)
	t.Setenv("DOUGU_SECRET", "not for children")
	var log waittest.Log
	r := &mcpjson.Registry{Path: file, Log: log.Logger(), Connector: mcpjson.Connector{Workspace: dir, Log: log.Logger()}}
	upstreams, err := r.Load()
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Options{Log: log.Logger()}, upstreams...)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	var watching sync.WaitGroup
	watching.Go(func() { r.Watch(ctx, g) })
	t.Cleanup(func() {
		stop()
		watching.Wait()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	c := mcptest.Connect(t, g, nil)
	type name struct {
		Name string `json:"name"`
	}
	if got := text(t, c, "child-one_variable", name{"MINE"}) + text(t, c, "child-one_variable", name{"DOUGU_SECRET"}); got != "yes" {
		t.Errorf("the child has %q", got)
	}
	if got := text(t, c, "child-one_variable", name{"PATH"}); got != os.Getenv("PATH") {
		t.Errorf("the child's PATH is %q", got)
	}
	if got := text(t, c, "child-one_directory", nil); got != dir {
		t.Errorf("the child runs in %q", got)
	}
	if got := text(t, c, "web_header", name{"X-Mine"}) + " " + text(t, c, "live_header", name{"X-Mine"}); got != "yes live" {
		t.Errorf("the headers are %q", got)
	}
	waittest.Until(t, "the child's words are logged", func() bool { return strings.Contains(log.String(), "the child is here") })

	write(t, file, `{"mcpServers":{`)
	waittest.Until(t, "the error is logged", func() bool { return strings.Contains(log.String(), "the old one stays") })
	if got := text(t, c, "web_header", name{"X-Mine"}); got != "yes" {
		t.Errorf("with a broken file it answers %q", got)
	}
	write(t, file, fmt.Sprintf(`{"mcpServers":{%s,"more":{"url":"http://%s/mcp"}}}`, both, address))
	waittest.Until(t, "the new server is there", func() bool {
		return slices.ContainsFunc(g.Status(), func(s gateway.Status) bool { return s.Name == "more" })
	})
	for _, status := range g.Status() {
		if status.Name == "child one" && status.State != gateway.Ready {
			t.Errorf("what has not changed is %+v", status)
		}
	}
	if got := text(t, c, "more_header", name{"X-Mine"}); got != "" {
		t.Errorf("the new server has the header %q", got)
	}
}

// Each principal uses its own token; a principal without a token gets an error.
func TestUpstream_Tokens(t *testing.T) {
	f, err := mcpjson.Parse(fmt.Appendf(nil, `{"mcpServers":{"web":{"url":"http://%s/mcp","gateway":{"tokens":{"alice":"a","bob":"b"}}}}}`, serveHTTP(t)), variables())
	if err != nil {
		t.Fatal(err)
	}
	g, err := gateway.New(gateway.Options{Log: new(waittest.Log).Logger()}, mcpjson.Connector{}.Upstreams(f)...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	}()
	for principal, want := range map[string]string{"alice": "Bearer a", "bob": "Bearer b"} {
		c := mcptest.Connect(t, as(g, principal), nil)
		if got := text(t, c, "web_header", map[string]string{"name": "Authorization"}); got != want {
			t.Errorf("%s has %q", principal, got)
		}
	}
	c := mcptest.Connect(t, as(g, "eve"), nil)
	if _, err := mcp.Call[string](t.Context(), c, "web_header", nil); err == nil || !strings.Contains(err.Error(), `there is no token for "eve"`) {
		t.Errorf("who has no token gets %v", err)
	}
}

// principal is a Dispatcher for one principal.
type principal struct {
	protocol.Dispatcher
	name string
}

func as(d protocol.Dispatcher, name string) protocol.Dispatcher { return principal{d, name} }

// Dispatch implements protocol.Dispatcher.
func (p principal) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	own := *req
	own.Peer.Principal = p.name
	return p.Dispatcher.Dispatch(ctx, &own)
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// A server with OAuth is reached through the transport of Connector.Authorize.
func TestUpstream_OAuth(t *testing.T) {
	f, err := mcpjson.Parse(fmt.Appendf(nil, `{"mcpServers":{"web":{"url":"http://%s/mcp","gateway":{"oauth":{}}}}}`, serveHTTP(t)), variables())
	if err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		connector mcpjson.Connector
		want      string
	}{
		"unsupported":   {mcpjson.Connector{}, "it needs OAuth"},
		"it is refused": {mcpjson.Connector{Authorize: func(mcpjson.Server, string) (http.RoundTripper, error) { return nil, errors.New("no browser") }}, "no browser"},
		"it works": {mcpjson.Connector{Authorize: func(mcpjson.Server, string) (http.RoundTripper, error) {
			return roundTripper(func(req *http.Request) (*http.Response, error) {
				req = req.Clone(req.Context())
				req.Header.Set("Authorization", "Bearer mine")
				return http.DefaultTransport.RoundTrip(req)
			}), nil
		}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			defer http.DefaultTransport.(*http.Transport).CloseIdleConnections()
			upstream := tc.connector.Upstream(f.Servers[0])
			way, err := upstream.Connect(t.Context(), "")
			if tc.want != "" {
				if err == nil || !strings.Contains(err.Error(), tc.want) {
					t.Errorf("connecting: %v", err)
				}
				return
			}
			c, err := mcp.Connect(t.Context(), way, mcp.Implementation{Name: "c"}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := text(t, c, "header", map[string]string{"name": "Authorization"}); got != "Bearer mine" {
				t.Errorf("it has %q", got)
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestRegistry_MissingFile(t *testing.T) {
	r := &mcpjson.Registry{Path: filepath.Join(t.TempDir(), "none.json")}
	if _, err := r.Load(); err == nil || !strings.Contains(err.Error(), "there is no such file; write one such as") {
		t.Errorf("loading: %v", err)
	}
}

// Each principal logs in for itself, unless the file says that the login is shared.
func TestUpstream_OAuthLogin(t *testing.T) {
	for oauth, want := range map[string]struct{ own, shared, asks bool }{
		`{}`:                    {true, false, true},
		`{"sharedLogin":true}`:  {false, true, true},
		`{"sharedLogin":false}`: {true, false, true},
		`{"issuer":"https://as.example","clientId":"me"}`:                                             {true, false, true},
		`{"issuer":"https://as.example","clientId":"me","clientSecret":"s3cret"}`:                     {false, true, false},
		`{"issuer":"https://as.example","clientId":"me","clientSecret":"s3cret","sharedLogin":true}`:  {false, true, true},
		`{"issuer":"https://as.example","clientId":"me","clientSecret":"s3cret","sharedLogin":false}`: {true, false, true},
		`{"issuer":"https://as.example","clientId":"me","clientSecret":"s3cret","exchange":true}`:     {true, false, false},
	} {
		f, err := mcpjson.Parse(fmt.Appendf(nil, `{"mcpServers":{"web":{"url":"http://127.0.0.1:1/mcp","gateway":{"oauth":%s}}}}`, oauth), variables())
		if err != nil {
			t.Fatalf("%s: %v", oauth, err)
		}
		up := mcpjson.Connector{Login: func(_ context.Context, s mcpjson.Server, principal string) (*gateway.Login, error) {
			return &gateway.Login{Page: "https://login.example/" + s.Name + "/" + principal}, nil
		}}.Upstreams(f)[0]
		if up.PerPrincipal != want.own || up.SharedLogin != want.shared || (up.Login != nil) != want.asks {
			t.Errorf("%s: own %v, shared %v, asks %v", oauth, up.PerPrincipal, up.SharedLogin, up.Login != nil)
		}
		if up.Login != nil {
			if login, err := up.Login(t.Context(), "alice"); err != nil || login.Page != "https://login.example/web/alice" {
				t.Errorf("%s: %v, %v", oauth, login, err)
			}
		}
	}
	f, err := mcpjson.Parse([]byte(`{"mcpServers":{"web":{"url":"http://127.0.0.1:1/mcp","gateway":{"oauth":{"shared":true}}}}}`), variables())
	if err != nil || len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], `"shared" is ignored`) {
		t.Errorf("%v, %v", f, err)
	}
}
