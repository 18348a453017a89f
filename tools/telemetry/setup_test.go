package telemetry_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/telemetry"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("DOUGU_TEST_STATS_FILE"); path != "" {
		os.Exit(trackInThisProcess(path))
	}
	goleak.VerifyTestMain(m)
}

func newSet(t testing.TB, o telemetry.Options) *telemetry.Telemetry {
	t.Helper()
	set, err := telemetry.New(tools.Env{}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := set.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return set
}

// use tracks one use of a model.
func use(t testing.TB, set *telemetry.Telemetry, ctx context.Context, model string, input, output int64, ms float64) telemetry.TrackResult {
	t.Helper()
	got, err := set.TrackTokenUsage(ctx, telemetry.TrackArgs{ModelName: model, InputTokens: input, OutputTokens: output, Duration: ms})
	if err != nil {
		t.Fatalf("tracking %s: %v", model, err)
	}
	return got
}

func statistics(t testing.TB, set *telemetry.Telemetry) telemetry.ModelStatistics {
	t.Helper()
	got, err := set.ModelStatistics(context.Background(), telemetry.StatisticsArgs{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func serverStats(t testing.TB, set *telemetry.Telemetry) telemetry.ServerStats {
	t.Helper()
	got, err := set.ServerStats(context.Background(), telemetry.ServerStatsArgs{})
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// client calls the tools of a server.
type client struct {
	name, version, principal string
	session                  *protocol.SessionMeta // of a revision before 2026-07-28
	meta                     string                // further members of _meta
}

// request is a call of a tool by the client.
func (c client) request(t testing.TB, tool string) *protocol.Request {
	t.Helper()
	meta := `{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}`
	if c.name != "" {
		info, _ := json.Marshal(mcp.Implementation{Name: c.name, Version: c.version})
		meta += `,"io.modelcontextprotocol/clientInfo":` + string(info)
	}
	if c.meta != "" {
		meta += "," + c.meta
	}
	params := json.RawMessage(`{"name":"` + tool + `","_meta":` + meta + `}}`)
	read, err := protocol.ReadMeta(params)
	if err != nil {
		t.Fatal(err)
	}
	if c.session != nil {
		read = read.WithSession(c.session)
	}
	return &protocol.Request{ID: "1", Method: "tools/call", Params: params, Meta: read, Peer: protocol.Peer{Principal: c.principal, Transport: "http"}}
}

// within runs f as a tool that the client has called, with middleware around it.
func (c client) within(t testing.TB, tool string, f mcp.RawHandler, middleware ...mcp.ToolMiddleware) (protocol.Result, error) {
	t.Helper()
	srv := mcp.NewServer(mcp.Implementation{Name: "s"}, &mcp.ServerOptions{Log: quiet})
	made := mcp.NewRawTool(mcp.Tool{Name: tool, InputSchema: json.RawMessage(`{"type":"object"}`)}, f).Wrap(middleware...)
	if err := srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{made}}); err != nil {
		t.Fatal(err)
	}
	return srv.Dispatch(t.Context(), c.request(t, tool))
}

// context is that of a call by the client. It ends with the test.
func (c client) context(t testing.TB) context.Context {
	t.Helper()
	var ctx context.Context
	_, err := c.within(t, "probe", func(inside context.Context, _ json.RawMessage) (*mcp.ToolResult, error) {
		ctx = inside
		return mcp.Text(""), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return ctx
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func statsFile(t testing.TB) string { return filepath.Join(t.TempDir(), "state", "usage.json") }

// wantParts checks that an error says certain things.
func wantParts(t testing.TB, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want one that says %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
}
