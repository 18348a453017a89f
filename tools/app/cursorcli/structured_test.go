package cursorcli

import (
	"bytes"
	"context"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/app/apptest"
	"github.com/dougu-go/dougu/transport"
)

// rawClient is a client without mcp.Client, which declares capabilities of its own.
type rawClient struct {
	t *testing.T
	protocol.Conn
}

// connectRaw starts the program and connects a client with this name and these capabilities.
func connectRaw(t *testing.T, name string, rev protocol.Revision, caps protocol.ClientCapabilities, args ...string) rawClient {
	t.Helper()
	conn, err := transport.Command{Path: os.Args[0], Args: args, Env: []string{"DOUGU_TEST_CURSORCLI=1"}}.
		Connect(t.Context(), &protocol.Host{Info: mcp.Implementation{Name: name, Version: "1"}, Revision: rev, Capabilities: caps})
	apptest.Must(t, err)
	t.Cleanup(func() { apptest.Must(t, conn.Close()) })
	return rawClient{t, conn}
}

// send sends a request and returns the result as JSON.
func (c rawClient) send(method, params string) string {
	c.t.Helper()
	result, err := c.Dispatch(context.WithoutCancel(c.t.Context()), &protocol.Request{Method: method, Params: json.RawMessage(params)})
	apptest.Must(c.t, err)
	wire, err := result.AppendJSON(nil, protocol.Latest)
	apptest.Must(c.t, err)
	return string(wire)
}

// Clients that give structured content to their model as JSON receive the text alone. Images arrive
// as images, and errors with code and next step.
func TestServe_TextForModels(t *testing.T) {
	dir := newProject(t)
	var picture bytes.Buffer
	apptest.Must(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))))
	apptest.Must(t, os.WriteFile(filepath.Join(dir, "p.png"), picture.Bytes(), 0o600))
	asks := protocol.ClientCapabilities{Experimental: map[string]json.RawMessage{protocol.StructuredCapability: json.RawMessage(`{}`)}}
	for _, tc := range []struct {
		client     string
		caps       protocol.ClientCapabilities
		flags      []string
		structured bool
	}{
		{client: "claude-code"},
		{client: "codex-mcp-client"},
		{client: "claude-code", caps: asks, structured: true},
		{client: "mcp-inspector", structured: true},
		{client: "codex-mcp-client", flags: []string{"-structured", "always"}, structured: true},
		{client: "mcp-inspector", caps: asks, flags: []string{"-structured", "never"}},
	} {
		for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
			c := connectRaw(t, tc.client, rev, tc.caps, append([]string{"-root", dir, "-profile", profileFull, "-output-schemas"}, tc.flags...)...)
			for call, want := range map[string]string{
				`{"name":"list_directory","arguments":{"path":"."}}`:         `"text":"`,
				`{"name":"read_file","arguments":{"path":"main.go"}}`:        `package main`,
				`{"name":"read_file","arguments":{"path":"p.png"}}`:          `{"type":"image","data":"`,
				`{"name":"read_file","arguments":{"path":"missing.go"}}`:     `Next step: `,
				`{"name":"read_file","arguments":{"path":"missing/two.go"}}`: `NOT_FOUND`,
			} {
				result := c.send("tools/call", call)
				failed := strings.Contains(result, `"isError":true`)
				if got := strings.Contains(result, `"structuredContent"`); got != (tc.structured && !failed) || !strings.Contains(result, want) {
					t.Errorf("%s %s %q, %s: structured content %v, want %v, and %s in %s", tc.client, rev, tc.flags, call, got, tc.structured, want, result)
				}
			}
			if got := strings.Contains(c.send("tools/list", `{}`), `"outputSchema"`); got != tc.structured {
				t.Errorf("%s %s %q: output schemas are listed: %v, want %v", tc.client, rev, tc.flags, got, tc.structured)
			}
		}
	}
}
