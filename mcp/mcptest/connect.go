package mcptest

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// Server returns a server with features. That one of them is wrong fails the
// test.
func Server(t testing.TB, f mcp.Features) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "mcptest", Version: "1.0.0"}, &mcp.ServerOptions{Log: logTo(t)})
	if err := srv.Replace("test", f); err != nil {
		t.Fatal(err)
	}
	return srv
}

// Connect connects a client to d, in memory. The client is closed at the end of
// the test, which fails if either side does not end well. opts may be nil; what
// is logged goes to the test's output unless opts say otherwise.
func Connect(t testing.TB, d mcp.Dispatcher, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	var own mcp.ClientOptions
	if opts != nil {
		own = *opts
	}
	if own.Log == nil {
		own.Log = logTo(t)
	}
	memory := transport.InMemory{Server: d, Options: &transport.Options{Log: logTo(t)}}
	client, err := mcp.Connect(t.Context(), memory, mcp.Implementation{Name: "mcptest", Version: "1.0.0"}, &own)
	if err != nil {
		t.Fatalf("connecting: %v", err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("closing the connection: %v", err)
		}
	})
	return client
}

func logTo(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// Bubble runs f as a test on a fake clock: in a bubble of package
// testing/synctest, in which time stands still for as long as any goroutine of
// the bubble has something to do.
//
// time.Sleep advances the clock at once, and lets all that was due by then
// happen first: after time.Sleep(time.Minute) every timeout, backoff and expiry
// within that minute has come to pass. synctest.Wait waits until everything is
// at rest without advancing it. A goroutine that waits for something outside,
// such as a network, keeps the clock from advancing; connections made with
// Connect do not. All goroutines must end before f returns: what was made with
// Connect is closed in time.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
