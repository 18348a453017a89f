package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// Another library's client, which names a trace, is followed through the gateway to
// the server behind it.
func TestTraced_TypeScriptSDK(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	const remedy = "install Node.js 20, and run npm ci --prefix internal/test/e2e/node --ignore-scripts in the repository's root"
	node := testrequire.Node(t, 20, remedy)
	dir := filepath.Join("..", "..", "..", "internal", "test", "e2e", "node")
	_, err := os.Stat(filepath.Join(dir, "node_modules", "@modelcontextprotocol", "client", "package.json"))
	testrequire.Thing(t, err == nil, "the TypeScript SDK", remedy)
	for _, mode := range []string{"legacy", "auto"} {
		t.Run(mode, func(t *testing.T) {
			c := newCollector(t)
			back, stopBack := serve(t, "")
			front, stopFront := serve(t, back)
			got, err := exec.CommandContext(t.Context(), node, filepath.Join(dir, "traced.mjs"), front, mode, parent, "up_greet", "Ada").CombinedOutput()
			if err != nil || strings.TrimSpace(string(got)) != "Hello, Ada" {
				t.Fatalf("%v: %s", err, got)
			}
			stopFront()
			stopBack()
			first, second, last := c.one(t, "tools/call up_greet", "server"), c.one(t, "tools/call greet", "client"), c.one(t, "tools/call greet", "server")
			if first.trace != parent[3:35] || first.parent != parent[36:52] || second.parent != first.id || last.parent != second.id {
				t.Errorf("the spans are %v, %v and %v", first, second, last)
			}
		})
	}
}
