package gateway_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// office is an upstream that its users have to log in to, and the authorization server of it.
type office struct {
	t testing.TB

	mu       sync.Mutex
	loggedIn map[string]bool
	pending  map[string]*pendingLogin // by principal
	begun    atomic.Int64             // logins
}

type pendingLogin struct {
	gateway.Login
	ended chan struct{}
}

func newOffice(t testing.TB) *office {
	return &office{t: t, loggedIn: make(map[string]bool), pending: make(map[string]*pendingLogin)}
}

// upstream is the upstream of the office.
func (o *office) upstream() gateway.Upstream {
	return gateway.Upstream{Name: "office", PerPrincipal: true, Version: "1", Connect: o.connect, Login: o.login}
}

func (o *office) check(principal string) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.loggedIn[principal] {
		return fmt.Errorf("no token: %w", gateway.ErrLoginNeeded)
	}
	return nil
}

func (o *office) connect(_ context.Context, principal string) (protocol.Transport, error) {
	srv := mcp.NewServer(mcp.Implementation{Name: "office", Version: "1"}, nil)
	err := mcp.AddTool(srv, mcp.Tool{Name: "whoami"}, func(context.Context, struct{}) (string, error) { return principal, nil })
	return guarded{transport.InMemory{Server: srv}, o, principal}, errors.Join(err, o.check(principal))
}

func (o *office) login(_ context.Context, principal string) (*gateway.Login, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if strings.HasPrefix(principal, "guest") {
		return nil, errors.New("guests have no account")
	}
	if p := o.pending[principal]; p != nil {
		return &p.Login, nil
	}
	ended := make(chan struct{})
	if o.loggedIn[principal] { // since the caller has found that a login is needed
		close(ended)
		return &gateway.Login{Ended: ended}, nil
	}
	p := &pendingLogin{gateway.Login{Page: fmt.Sprintf("https://login.example/%s/%d", principal, o.begun.Add(1)), Ended: ended}, ended}
	o.pending[principal] = p
	return &p.Login, nil
}

// finish ends the login whose page a browser has opened.
func (o *office) finish(page string, succeeds bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for principal, p := range o.pending {
		if p.Page == page {
			o.loggedIn[principal] = succeeds
			delete(o.pending, principal)
			close(p.ended)
			return
		}
	}
	o.t.Errorf("nobody waits for the page %s", page)
}

func (o *office) revoke(principal string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	delete(o.loggedIn, principal)
}

// guarded is a connection that asks for the login with every request.
type guarded struct {
	protocol.Transport
	office    *office
	principal string
}

func (g guarded) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := g.Transport.Connect(ctx, host)
	return guardedConn{conn, g}, err
}

type guardedConn struct {
	protocol.Conn
	guarded guarded
}

func (c guardedConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if err := c.guarded.office.check(c.guarded.principal); err != nil {
		return nil, err
	}
	return c.Conn.Dispatch(ctx, req)
}

func whoami(t *testing.T, c *mcp.Client) (string, error) {
	t.Helper()
	return mcp.Call[string](t.Context(), c, "office_whoami", nil)
}

// wantLogin checks that a call has failed for want of a login, and names no other principal.
func wantLogin(t *testing.T, got string, err error, says ...string) {
	t.Helper()
	var failure *mcp.ToolFailure
	if !errors.As(err, &failure) || !strings.Contains(err.Error(), "NEEDS_LOGIN") {
		t.Fatalf("the call answers %q, %v; want NEEDS_LOGIN", got, err)
	}
	for _, text := range says {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

// A client that can send its user to a page has the user log in, and the call goes on.
func TestLogin_ByURLElicitation(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			o := newOffice(t)
			g := newGateway(t, gateway.Options{}, o.upstream())
			pages := new(heard)
			alice := connect(t, as(g, "alice"), rev, mcp.ClientOptions{ElicitURL: func(_ context.Context, message, url string) (mcp.Action, error) {
				pages.add(message + " " + url)
				o.finish(url, true)
				return mcp.Accept, nil
			}})
			for range 2 {
				if got, err := whoami(t, alice); got != "alice" || err != nil {
					t.Errorf("%q, %v", got, err)
				}
			}
			if !pages.has("The server office needs you to log in. https://login.example/alice/1") || o.begun.Load() != 1 {
				t.Errorf("the user was shown %q", pages.all)
			}
			o.revoke("alice") // in the middle of the connection
			if got, err := whoami(t, alice); got != "alice" || err != nil || o.begun.Load() != 2 {
				t.Errorf("after the end of the token: %q, %v, %d logins", got, err, o.begun.Load())
			}
			mallory := connect(t, as(g, "mallory"), rev, mcp.ClientOptions{})
			got, err := whoami(t, mallory)
			wantLogin(t, got, err, "https://login.example/mallory/3")
			if strings.Contains(err.Error(), "alice") {
				t.Errorf("mallory is told of alice: %v", err)
			}
		})
	}
}

// slowLog holds each message "an upstream needs a login" back until the login is over and the call goes on.
type slowLog struct {
	slog.Handler
	over <-chan struct{}
}

func (l slowLog) WithAttrs([]slog.Attr) slog.Handler { return l }

func (l slowLog) Handle(_ context.Context, record slog.Record) error {
	if record.Message == "an upstream needs a login" {
		<-l.over
		time.Sleep(100 * time.Millisecond)
	}
	return nil
}

// A login that ends while the gateway still takes note of its absence is not overlooked.
func TestLogin_EndsAtOnce(t *testing.T) {
	o := newOffice(t)
	o.loggedIn["alice"] = true
	over := make(chan struct{})
	g := newGateway(t, gateway.Options{Log: slog.New(slowLog{slog.Default().Handler(), over})}, o.upstream())
	alice := connect(t, as(g, "alice"), protocol.Rev20251125, mcp.ClientOptions{ElicitURL: func(_ context.Context, _, url string) (mcp.Action, error) {
		o.finish(url, true)
		close(over)
		return mcp.Accept, nil
	}})
	for _, logins := range []int64{0, 1} {
		if got, err := whoami(t, alice); got != "alice" || err != nil || o.begun.Load() != logins {
			t.Errorf("%q, %v, %d logins, want %d", got, err, o.begun.Load(), logins)
		}
		o.revoke("alice")
	}
}

// Without an opened page or after a failed login, the next call asks again.
func TestLogin_Refused(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			o := newOffice(t)
			g := newGateway(t, gateway.Options{LoginWait: 10 * time.Millisecond}, o.upstream())
			do := func(string) mcp.Action { return mcp.Decline }
			alice := connect(t, as(g, "alice"), rev, mcp.ClientOptions{ElicitURL: func(_ context.Context, _, url string) (mcp.Action, error) { return do(url), nil }})
			got, err := whoami(t, alice)
			wantLogin(t, got, err, "did not open the page")
			do = func(url string) mcp.Action { o.finish(url, false); return mcp.Accept }
			got, err = whoami(t, alice)
			wantLogin(t, got, err)
			do = func(string) mcp.Action { return mcp.Accept } // and does nothing there
			got, err = whoami(t, alice)
			wantLogin(t, got, err, "has not logged in yet", "https://login.example/alice/2")
			o.finish("https://login.example/alice/2", true)
			waittest.Until(t, "the login is noticed", func() bool { got, err := whoami(t, alice); return got == "alice" && err == nil })
		})
	}
}

// Concurrent first calls of a principal begin one login, and show its page once.
func TestLogin_ConcurrentCalls(t *testing.T) {
	o := newOffice(t)
	g := newGateway(t, gateway.Options{}, o.upstream())
	shown := make(chan string, 100)
	alice := connect(t, as(g, "alice"), protocol.Rev20251125, mcp.ClientOptions{ElicitURL: func(_ context.Context, _, url string) (mcp.Action, error) {
		shown <- url
		return mcp.Accept, nil
	}})
	var calls group.Group
	for range 20 {
		calls.Go(func() {
			if got, err := whoami(t, alice); got != "alice" || err != nil {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
	o.finish(<-shown, true)
	calls.Wait()
	if o.begun.Load() != 1 || len(shown) != 0 {
		t.Errorf("%d logins, %d more pages", o.begun.Load(), len(shown))
	}
}

// Status and reason depend on the principal of the request.
func TestLogin_Status(t *testing.T) {
	o := newOffice(t)
	g := newGateway(t, gateway.Options{}, o.upstream())
	o.loggedIn["alice"] = true
	alice, mallory, guest := connect(t, as(g, "alice"), protocol.Latest, mcp.ClientOptions{}), connect(t, as(g, "mallory"), protocol.Latest, mcp.ClientOptions{}), connect(t, as(g, "guest"), protocol.Latest, mcp.ClientOptions{})
	if got, err := whoami(t, alice); got != "alice" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	got, err := whoami(t, mallory)
	wantLogin(t, got, err)
	got, err = whoami(t, guest)
	wantLogin(t, got, err, "guests have no account")
	for principal, want := range map[string]gateway.State{"alice": gateway.Ready, "mallory": gateway.NeedsLogin, "carol": gateway.Idle} {
		all := g.StatusFor(principal)
		if len(all) != 1 || all[0].State != want || all[0].Principal != principal || !all[0].PerPrincipal {
			t.Errorf("%s sees %+v, want %s", principal, all, want)
		}
	}
	if names := toolNames(t, mallory); len(names) != 0 {
		t.Errorf("mallory sees %q", names)
	}
	if _, err := mcp.Call[string](t.Context(), mallory, "elsewhere_whoami", nil); err == nil || strings.Contains(err.Error(), "NEEDS_LOGIN") {
		t.Errorf("a tool of no server: %v", err)
	}
}

// Principals without a permission for an upstream begin no login there.
func TestLogin_Filter(t *testing.T) {
	o := newOffice(t)
	g := newGateway(t, gateway.Options{Filter: func(_ context.Context, _ *protocol.Request, upstream string, _ mcp.Tool) error {
		return &mcp.ToolError{Code: "PERMISSION_REQUIRED", Message: upstream + " is not for you"}
	}}, o.upstream())
	alice := connect(t, as(g, "alice"), protocol.Latest, mcp.ClientOptions{})
	if got, err := whoami(t, alice); err == nil || !strings.Contains(err.Error(), "PERMISSION_REQUIRED") || o.begun.Load() != 0 {
		t.Errorf("%q, %v after %d logins", got, err, o.begun.Load())
	}
}

// Principals that call at the same time act as themselves.
func TestLogin_InterleavedPrincipals(t *testing.T) {
	o := newOffice(t)
	g := newGateway(t, gateway.Options{}, o.upstream())
	o.loggedIn["alice"], o.loggedIn["bob"] = true, true
	var calls group.Group
	for _, name := range []string{"alice", "bob"} {
		for range 4 {
			c := connect(t, as(g, name), protocol.Latest, mcp.ClientOptions{})
			calls.Go(func() {
				for range 125 {
					if got, err := whoami(t, c); got != name || err != nil {
						t.Errorf("%s is %q, %v", name, got, err)
						return
					}
				}
			})
		}
	}
	calls.Wait()
}
