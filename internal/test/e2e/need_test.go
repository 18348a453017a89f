package e2e

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// needNode returns the path of a Node.js with the required npm modules.
func needNode(t *testing.T) string {
	t.Helper()
	node := testrequire.Node(t, 20, "install a recent Node.js and put it on the PATH")
	for _, name := range []string{"sdk", "client", "inspector", "server-everything", "server-filesystem"} {
		path := filepath.Join("node", "node_modules", "@modelcontextprotocol", name)
		_, err := os.Stat(filepath.Join(path, "package.json"))
		testrequire.Thing(t, err == nil, "internal/test/e2e/"+filepath.ToSlash(path), "run npm ci --prefix internal/test/e2e/node --ignore-scripts in the repository's root")
	}
	return node
}
