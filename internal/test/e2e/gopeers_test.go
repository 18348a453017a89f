package e2e

import (
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// peers is the directory of the module with the servers of other libraries.
const peers = "../../../bench"

// TestGoPeers uses servers made with the other Go libraries. Client and server negotiate the revision.
func TestGoPeers(t *testing.T) {
	t.Parallel()
	const few = "-tools=5"
	for _, peer := range []struct {
		name               string
		stdio, http, older protocol.Revision // negotiated revisions; older with sessions
	}{
		{"gosdk", protocol.Rev20260728, protocol.Rev20260728, protocol.Rev20251125},
		{"mcpgo", protocol.Rev20260728, protocol.Rev20260728, protocol.Rev20260728},
	} {
		t.Run(peer.name, func(t *testing.T) {
			t.Parallel()
			program := buildPeer(t, peer.name)
			t.Run("stdio", func(t *testing.T) {
				usePeer(t, transport.Command{Path: program, Args: []string{few, "-fixture"}}, "", peer.stdio)
			})
			t.Run("stdio-2025-06-18", func(t *testing.T) {
				usePeer(t, transport.Command{Path: program, Args: []string{few, "-fixture"}}, protocol.Rev20250618, protocol.Rev20250618)
			})
			t.Run("http", func(t *testing.T) {
				usePeer(t, &httpclient.Client{URL: listenPeer(t, program, few, "-fixture")}, "", peer.http)
			})
			url := listenPeer(t, program, few, "-fixture", "-sessions")
			t.Run("http-sessions", func(t *testing.T) { usePeer(t, &httpclient.Client{URL: url}, "", peer.older) })
			t.Run("http-2025-06-18", func(t *testing.T) {
				usePeer(t, &httpclient.Client{URL: url}, protocol.Rev20250618, protocol.Rev20250618)
			})
		})
	}
}

// buildPeer builds a server of the module peers.
func buildPeer(t *testing.T, name string) string {
	t.Helper()
	pkg := "./servers/" + name
	_, err := exec.CommandContext(t.Context(), "go", "list", "-C", peers, "-deps", pkg).Output()
	testrequire.Thing(t, err == nil, "a module of the peers", "run go mod download in the directory bench")
	path := filepath.Join(t.TempDir(), name)
	out, err := exec.CommandContext(t.Context(), "go", "build", "-C", peers, "-o", path, pkg).CombinedOutput()
	if err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return path
}

// listenPeer starts a peer over HTTP and returns the URL that it prints.
func listenPeer(t *testing.T, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, append(args, "-http=127.0.0.1:0")...)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	says := follow("standard output", stdout)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		says.all(t)
		_ = cmd.Wait()
	})
	return says.until(t, "a URL", func(line string) bool { return strings.HasPrefix(line, "http://") })
}

func usePeer(t *testing.T, tr protocol.Transport, ask, want protocol.Revision) {
	c := connect(t, tr, &mcp.ClientOptions{Revision: ask})
	ctx := t.Context()
	if c.Revision() != want {
		t.Errorf("agreed on %s, want %s", c.Revision(), want)
	}
	if names := all(t, c.Tools(ctx), func(tool mcp.Tool) string { return tool.Name }); len(names) != 5 || !slices.Contains(names, "small") {
		t.Errorf("the tools are %q", names)
	}
	type greeting struct {
		Greeting string   `json:"greeting"`
		Total    int      `json:"total"`
		Tags     []string `json:"tags"`
	}
	got, err := mcp.Call[greeting](ctx, c, "small", map[string]any{
		"name": "道具", "count": 3, "tags": []string{"a", "b"}, "opt": map[string]any{"deep": true, "f": 1.5},
	})
	if err != nil || got.Greeting != "Hello, 道具" || got.Total != 5 || len(got.Tags) != 2 {
		t.Errorf("small: %+v, %v", got, err)
	}
	text := strings.Repeat("道具\n", 1<<17) // about 1 MB
	if size, err := mcp.Call[map[string]int](ctx, c, "size", map[string]string{"text": text}); err != nil || size["bytes"] != len(text) {
		t.Errorf("size: %v, %v", size, err)
	}
	var refused *protocol.Error
	if _, err := c.CallTool(ctx, "no-such-tool", nil, nil); !errors.As(err, &refused) {
		t.Errorf("an unknown tool: %v", err)
	}
	if read, err := c.ReadResource(ctx, "bench://about", nil); err != nil || read.Contents[0].Text == "" {
		t.Errorf("reading: %+v, %v", read, err)
	}
	if _, err := c.ReadResource(ctx, "bench://none", nil); !mcp.IsResourceNotFound(err) {
		t.Errorf("reading what is not there: %v", err)
	}
	prompt, err := c.GetPrompt(ctx, "introduce", map[string]string{"name": "Ada"}, nil)
	if err != nil || said(prompt) != "Please introduce Ada in one sentence." {
		t.Errorf("the prompt: %+v, %v", prompt, err)
	}
	if err := c.Ping(ctx); err != nil {
		t.Errorf("ping: %v", err)
	}
}
