package testrequire

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// Node answers the path of a Node.js that has a major version of oldest or
// later, or else does as Thing does.
func Node(t testing.TB, oldest int, remedy string) string {
	t.Helper()
	what := fmt.Sprintf("Node.js %d or later", oldest)
	node, err := exec.LookPath("node")
	Thing(t, err == nil, what, remedy)
	version, err := exec.CommandContext(t.Context(), node, "--version").Output()
	if err != nil {
		t.Fatalf("asking %s for its version: %v", node, err)
	}
	major, _, _ := strings.Cut(strings.TrimPrefix(string(version), "v"), ".")
	number, _ := strconv.Atoi(major)
	Thing(t, number >= oldest, fmt.Sprintf("%s (%s is %s)", what, node, strings.TrimSpace(string(version))), remedy)
	return node
}
