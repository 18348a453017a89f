package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
)

// TestGateway uses the reference servers and the servers of other Go libraries through one gateway, with legacy and modern clients,
// as directly.
func TestGateway(t *testing.T) {
	t.Parallel()
	program, config, docs := build(t, "../../../examples/gateway"), gatewayServers(t), ""
	docs = filepath.Join(filepath.Dir(config), "docs")
	args := []string{"-config", config, "-list-timeout", "60s"}
	url := listenGateway(t, program, args)
	for name, way := range map[string]protocol.Transport{
		"stdio": transport.Command{Path: program, Args: args},
		"http":  &httpclient.Client{URL: url},
	} {
		for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Rev20251125, protocol.Latest} {
			t.Run(name+" "+string(rev), func(t *testing.T) {
				v := newVisitor(t, way, rev)
				if got := v.Server().Server.Name; v.Revision() != rev || got != "gateway" {
					t.Errorf("connected to %q at %s", got, v.Revision())
				}
				var without []string
				if rev.Modern() {
					// Without sessions, notifications between calls have no recipient.
					without = []string{"logging", "subscription"}
				}
				v.lookAround(t, without...)
				for _, peer := range []string{"gosdk", "mcpgo"} {
					t.Run(peer, func(t *testing.T) { usePeerBehind(t, v.Client, peer) })
				}
				t.Run("filesystem", func(t *testing.T) { useFilesystemBehind(t, v.Client, docs) })
			})
		}
	}
}

// gatewayServers writes the file that names the servers.
func gatewayServers(t *testing.T) string {
	t.Helper()
	node := needNode(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	docs := filepath.Join(dir, "docs")
	if err := os.Mkdir(docs, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(docs, "note.txt"), []byte("a note"), 0o644); err != nil {
		t.Fatal(err)
	}
	script := func(name string) string {
		path, err := filepath.Abs(filepath.Join("node", "node_modules", "@modelcontextprotocol", name, "dist", "index.js"))
		if err != nil {
			t.Fatal(err)
		}
		return path
	}
	servers := map[string]any{
		"everything": map[string]any{"command": node, "args": []string{script("server-everything"), "stdio"}, "gateway": map[string]any{"bare": true, "asks": true, "noInstructions": true}},
		"filesystem": map[string]any{"command": node, "args": []string{script("server-filesystem"), docs}, "gateway": map[string]any{"prefix": "fs", "deny": []string{"move_file"}}},
		"gosdk":      map[string]any{"command": buildPeer(t, "gosdk"), "args": []string{"-tools=5", "-fixture"}},
		"mcpgo":      map[string]any{"url": listenPeer(t, buildPeer(t, "mcpgo"), "-tools=5", "-fixture")},
	}
	text, err := json.Marshal(map[string]any{"mcpServers": servers})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(dir, "mcp.json")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return config
}

// listenGateway starts a gateway over HTTP and returns its URL.
func listenGateway(t *testing.T, program string, args []string) string {
	t.Helper()
	cmd := exec.Command(program, append(args, "-http", "127.0.0.1:0", "-no-token")...)
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	says := follow("standard error", stderr)
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		says.all(t)
		_ = cmd.Wait()
	})
	line := says.until(t, "a URL", func(line string) bool { return strings.Contains(line, "serves http://") })
	_, url, _ := strings.Cut(line, "serves ")
	return url
}

// usePeerBehind uses a server of another library through the gateway.
func usePeerBehind(t *testing.T, c *mcp.Client, prefix string) {
	type greeting struct {
		Greeting string `json:"greeting"`
		Total    int    `json:"total"`
	}
	got, err := mcp.Call[greeting](t.Context(), c, prefix+"_small", map[string]any{
		"name": "道具", "count": 3, "tags": []string{"a", "b"}, "opt": map[string]any{"deep": true, "f": 1.5},
	})
	if err != nil || got.Greeting != "Hello, 道具" || got.Total != 5 {
		t.Errorf("small: %+v, %v", got, err)
	}
	text := strings.Repeat("道具\n", 1<<17) // about 1 MB
	if size, err := mcp.Call[map[string]int](t.Context(), c, prefix+"_size", map[string]string{"text": text}); err != nil || size["bytes"] != len(text) {
		t.Errorf("size: %v, %v", size, err)
	}
	prompt, err := c.GetPrompt(t.Context(), prefix+"_introduce", map[string]string{"name": "Ada"}, nil)
	if err != nil || said(prompt) != "Please introduce Ada in one sentence." {
		t.Errorf("the prompt: %+v, %v", prompt, err)
	}
	if read, err := c.ReadResource(t.Context(), "bench://about", nil); err != nil || read.Contents[0].Text == "" {
		t.Errorf("reading: %+v, %v", read, err)
	}
}

// useFilesystemBehind uses the reference file server through the gateway.
func useFilesystemBehind(t *testing.T, c *mcp.Client, docs string) {
	text, err := mcp.Call[string](t.Context(), c, "fs_read_text_file", map[string]string{"path": filepath.Join(docs, "note.txt")})
	if err != nil || text != "a note" {
		t.Errorf("reading: %q, %v", text, err)
	}
	if _, err := mcp.Call[string](t.Context(), c, "fs_read_text_file", map[string]string{"path": "/etc/passwd"}); err == nil {
		t.Error("a file outside was read")
	}
	if _, err := c.CallTool(t.Context(), "fs_move_file", map[string]string{}, nil); err == nil || !strings.Contains(err.Error(), "Unknown tool") {
		t.Errorf("what is denied: %v", err)
	}
}

// TestGateway_Clients uses a server through a gateway with the official clients, in every combination of revisions.
func TestGateway_Clients(t *testing.T) {
	t.Parallel()
	node, fixture, front := needNode(t), build(t, "./fixture"), build(t, "./gatewayfront")
	for _, upstream := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
		program := filepath.Join(filepath.Dir(fixture), "front-"+string(upstream))
		if err := os.Link(front, program); err != nil {
			t.Fatal(err)
		}
		v1 := func(transport, revision string) []string {
			return []string{"--experimental-websocket", "v1.mjs", "--suite=session", "--transport=" + transport, "--revision=" + revision}
		}
		v2 := func(transport, mode string) []string {
			return []string{"v2.mjs", "--suite=session", "--transport=" + transport, "--mode=" + mode}
		}
		type run struct {
			revision string
			args     []string
		}
		// Questions before 2025-06-18 need their own connections, where a changing list is a different one. TestGateway covers
		// them.
		runs := []run{{"2024-11-05", v1("stdio", "2024-11-05")}, {"2025-03-26", v1("http", "2025-03-26")}, {"2024-11-05", v1("ws", "2024-11-05")}}
		if upstream.Modern() {
			runs = append(runs, run{"2025-06-18", v1("stdio", "2025-06-18")}, run{"2025-11-25", v2("http", "legacy")},
				run{"2026-07-28", v2("stdio", "2026-07-28")}, run{"2026-07-28", v2("http", "2026-07-28")})
		}
		for _, r := range runs {
			t.Run(strings.Join(r.args, " ")+" in front of "+string(upstream), func(t *testing.T) {
				t.Parallel()
				runScript(t, node, append(r.args, "--", program), sessionChecks(r.revision))
			})
		}
	}
}
