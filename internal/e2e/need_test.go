package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
)

// needNode returns the path of a Node that can run the clients and the server,
// once they are installed.
func needNode(t *testing.T) string {
	t.Helper()
	const oldest = 20
	node, err := exec.LookPath("node")
	need.Thing(t, err == nil, "node", "install Node.js "+strconv.Itoa(oldest)+" or later and put it on the PATH")
	version, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if err != nil {
		t.Fatalf("asking %s for its version: %v", node, err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	number, _ := strconv.Atoi(major)
	need.Thing(t, number >= oldest, "Node.js "+strconv.Itoa(oldest), node+" is "+strings.TrimSpace(string(version))+"; install a later one")

	for _, name := range []string{"sdk", "client", "inspector", "server-everything", "server-filesystem"} {
		path := filepath.Join("node", "node_modules", "@modelcontextprotocol", name)
		_, err := os.Stat(filepath.Join(path, "package.json"))
		need.Thing(t, err == nil, "internal/e2e/"+filepath.ToSlash(path), "run npm ci --prefix internal/e2e/node --ignore-scripts in the repository's root")
	}
	return node
}
