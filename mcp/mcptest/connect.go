package mcptest

import (
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// Server returns a server with the features f. An invalid feature fails the test. Logs go to the
// output of the test.
func Server(t testing.TB, f mcp.Features) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "mcptest", Version: "1.0.0"}, &mcp.ServerOptions{Log: logTo(t)})
	if err := srv.Replace("test", f); err != nil {
		t.Fatal(err)
	}
	return srv
}

// Connect connects a client to d in memory. It closes the client at the end of the test; an error
// of the close fails the test. If d is an *mcp.Server, a result that does not match the output schema
// of its tool fails the test, too. opts may be nil. Without opts.Log, logs go to the output of the
// test.
func Connect(t testing.TB, d protocol.Dispatcher, opts *mcp.ClientOptions) *mcp.Client {
	t.Helper()
	var own mcp.ClientOptions
	if opts != nil {
		own = *opts
	}
	if own.Log == nil {
		own.Log = logTo(t)
	}
	memory := transport.InMemory{Server: checked(t, d), Options: &transport.Options{Log: logTo(t)}}
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

// logTo returns a logger that writes to the output of the test.
func logTo(t testing.TB) *slog.Logger { return slog.New(slog.NewTextHandler(t.Output(), nil)) }

// Bubble runs f with a fake clock, in a bubble of package testing/synctest. Time advances only when
// all goroutines of the bubble wait.
//
// time.Sleep advances the clock without a delay, after all earlier timers have fired. After
// time.Sleep(time.Minute), every timeout and backoff within the minute has happened. synctest.Wait
// waits until all goroutines wait, without advancing the clock. A goroutine that waits for an
// external event, for example of a network, stops the clock; connections of Connect do not. All
// goroutines must end before f returns. Connections of Connect are closed in time.
func Bubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}
