package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
)

// needNode returns the path of a Node that can run the clients and the server,
// once they are installed.
func needNode(t *testing.T) string {
	t.Helper()
	node := need.Node(t, 20, "install a recent Node.js and put it on the PATH")
	for _, name := range []string{"sdk", "client", "inspector", "server-everything", "server-filesystem"} {
		path := filepath.Join("node", "node_modules", "@modelcontextprotocol", name)
		_, err := os.Stat(filepath.Join(path, "package.json"))
		need.Thing(t, err == nil, "internal/e2e/"+filepath.ToSlash(path), "run npm ci --prefix internal/e2e/node --ignore-scripts in the repository's root")
	}
	return node
}
