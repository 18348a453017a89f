package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// logging is an upstream whose tool logs at two levels.
func logging(t *testing.T) *mcp.Server {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "logging", Version: "1"}, nil)
	tool := mcp.NewTool(mcp.Tool{Name: "log"}, func(ctx context.Context, _ struct{}) (string, error) {
		//lint:ignore SA1019 every revision must go on working
		mcp.Log(ctx, protocol.LevelDebug, "test", "low")
		//lint:ignore SA1019 every revision must go on working
		mcp.Log(ctx, protocol.LevelError, "test", "high")
		return "logged", nil
	})
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{tool}}); err != nil {
		t.Fatal(err)
	}
	return srv
}

// mute is a server that declares no logging.
type mute struct{ protocol.Dispatcher }

// Dispatch implements protocol.Dispatcher.
func (m mute) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	result, err := m.Dispatcher.Dispatch(ctx, req)
	if err != nil || req.Method != "server/discover" {
		return result, err
	}
	wire, err := result.AppendJSON(nil, protocol.Latest)
	if err != nil {
		return nil, err
	}
	info := new(protocol.DiscoverResult)
	if err := json.Unmarshal(wire, info); err != nil {
		return nil, err
	}
	info.Capabilities.Logging = nil
	return info, nil
}

func TestLogs_LevelsPerClient(t *testing.T) {
	for _, above := range eras {
		for _, below := range eras {
			t.Run(string(above)+" in front of "+string(below), func(t *testing.T) {
				g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: inMemory(logging(t), below)})
				for _, want := range []struct {
					level protocol.LogLevel
					data  string
				}{{protocol.LevelWarning, `"high"`}, {protocol.LevelDebug, `"low" "high"`}, {protocol.LevelWarning, `"high"`}} {
					var told heard
					c := connect(t, g, above, mcp.ClientOptions{LogLevel: want.level, OnLog: func(n protocol.LogNotification) { told.add(string(n.Data)) }})
					if c.Server().Capabilities.Logging == nil {
						t.Error("logging is not declared")
					}
					if got := call(t, c, "up_log", nil); got != "logged" {
						t.Errorf("the call says %q", got)
					}
					waittest.Until(t, "the error is heard", func() bool { return told.has(`"high"`) })
					told.mu.Lock()
					got := strings.Join(slices.Clone(told.all), " ")
					told.mu.Unlock()
					if got != want.data {
						t.Errorf("at level %s the client hears %s, want %s", want.level, got, want.data)
					}
				}
			})
		}
	}
}

func TestLogs_NotDeclared(t *testing.T) {
	g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: inMemory(mute{newServer("up")}, protocol.Latest)})
	for _, rev := range eras {
		c := connect(t, g, rev, mcp.ClientOptions{})
		if c.Server().Capabilities.Logging != nil {
			t.Errorf("%s: logging is declared, and no server has it", rev)
		}
	}
	conn, err := speaking{transport.InMemory{Server: g}, protocol.Rev20251125}.Connect(t.Context(), new(protocol.Host))
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	_, err = conn.Dispatch(t.Context(), &protocol.Request{Method: "logging/setLevel", Params: json.RawMessage(`{"level":"debug"}`)})
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound {
		t.Errorf("logging/setLevel is answered with %v", err)
	}
}
