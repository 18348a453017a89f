package programs_test

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gosdkModule is the module whose examples have counterparts in the directory examples/gosdk.
const (
	gosdkModule = "github.com/modelcontextprotocol/go-sdk"
	ourExamples = "../../examples/gosdk"
)

// gosdkExamples are the published examples of the module, by directory. auth/enterprise is missing: it logs a user in at an identity
// provider for an ID token, and security/oauth has no function for that.
func gosdkExamples() []string {
	return []string{
		"auth/client", "auth/server", "client/listfeatures", "client/loadtest", "client/middleware", "http",
		"server/basic", "server/completion", "server/custom-method", "server/custom-transport", "server/distributed", "server/elicitation",
		"server/everything", "server/hello", "server/memory", "server/middleware", "server/proxy", "server/sequentialthinking", "server/sse",
		"server/toolschemas",
	}
}

// TestGoSDK_Lines counts the code of the examples of go-sdk and of their counterparts, which must be shorter.
func TestGoSDK_Lines(t *testing.T) {
	const head = "| example | this library | go-sdk |\n|---|---:|---:|\n"
	out, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Dir}}", gosdkModule).Output()
	if err != nil {
		t.Fatal(err)
	}
	var table strings.Builder
	for _, name := range gosdkExamples() {
		ours := codeOf(t, filepath.Join(ourExamples, name))
		theirs := codeOf(t, filepath.Join(strings.TrimSpace(string(out)), "examples", name))
		fmt.Fprintf(&table, "| [%s](%[1]s) | %v | %v |\n", name, ours, theirs)
		if ours.lines >= theirs.lines {
			t.Errorf("%s: %v lines (tokens), and the original has %v", name, ours, theirs)
		}
	}
	keepTable(t, filepath.Join(ourExamples, "README.md"), head, table.String())
}
