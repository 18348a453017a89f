package apps_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/internal/testleak"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

func TestMain(m *testing.M) { testleak.Main(m) }

func must[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// answer is a tool that says whether its caller sees pages.
func answer(name string) mcp.ServerTool {
	type args struct {
		Place string `json:"place,omitempty" jsonschema:"enum=here,enum=there,default=here"`
	}
	return mcp.NewTool(mcp.Tool{Name: name, Meta: mcp.Meta{"com.example/x": 1}}, func(ctx context.Context, in args) (string, error) {
		if apps.Supported(ctx) {
			return in.Place + ", with a page", nil
		}
		return in.Place, nil
	})
}

// serve is a server with features, which offers the extension.
func serve(t *testing.T, f mcp.Features) *mcp.Server {
	t.Helper()
	var o mcp.ServerOptions
	apps.Offer(&o)
	srv := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, &o)
	if err := srv.Replace("test", f); err != nil {
		t.Fatal(err)
	}
	return srv
}

// connect connects a host to a server.
func connect(t *testing.T, srv protocol.Dispatcher, o mcp.ClientOptions) *mcp.Client {
	t.Helper()
	client, err := mcp.Connect(t.Context(), transport.InMemory{Server: srv}, mcp.Implementation{Name: "host", Version: "1"}, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Error(err)
		}
	})
	return client
}

// meta is a _meta as it comes from outside.
func meta(t *testing.T, text string) mcp.Meta {
	t.Helper()
	var m mcp.Meta
	if err := json.Unmarshal([]byte(text), &m); err != nil {
		t.Fatal(err)
	}
	return m
}
