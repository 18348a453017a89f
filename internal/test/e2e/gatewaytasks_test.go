package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// TestGatewayTasks uses tasks of servers of the TypeScript SDK through the gateway, with clients of the same SDK.
func TestGatewayTasks(t *testing.T) {
	t.Parallel()
	node, program := needNode(t), build(t, "../../../examples/gateway")
	path := func(parts ...string) string {
		name, err := filepath.Abs(filepath.Join(append([]string{"node"}, parts...)...))
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	text, err := json.Marshal(map[string]any{"mcpServers": map[string]any{
		"ts":         map[string]any{"command": node, "args": []string{path("taskserver.mjs")}},
		"everything": map[string]any{"command": node, "args": []string{path("node_modules", "@modelcontextprotocol", "server-everything", "dist", "index.js"), "stdio"}, "gateway": map[string]any{"asks": true}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(t.TempDir(), "mcp.json")
	if err := os.WriteFile(config, text, 0o600); err != nil {
		t.Fatal(err)
	}
	runScript(t, node, []string{"gatewaytasks.mjs", "--", program, "-config", config, "-list-timeout", "60s"}, []string{
		"capabilities", "listed", "completed", "progress-and-result", "cancelled", "plain", "required", "question", "unknown", "logs", "lost",
	})
}
