package e2e_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/internal/testrequire"
)

// The client of the TypeScript SDK sees one server too.
func TestTypeScriptSDK(t *testing.T) {
	node := testrequire.Node(t, 20, "install a recent Node.js and put it on the PATH")
	modules := os.Getenv("DOUGU_E2E_NODE")
	if modules == "" {
		modules = filepath.Join("..", "..", "internal", "test", "e2e", "node")
	}
	modules, err := filepath.Abs(modules)
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(modules, "node_modules", "@modelcontextprotocol", "sdk", "package.json"))
	testrequire.Thing(t, err == nil, "the TypeScript SDK", "run npm ci --prefix internal/test/e2e/node --ignore-scripts in the repository's root")
	c := startCluster(t, 3)
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	out, err := exec.CommandContext(ctx, node, "sdk.mjs", c.url, ada, modules).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("%v: %s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var got struct {
		Who, Signed                    []string
		Progress                       int
		Worked, Changed, Updated, Read string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, signed := range got.Signed {
		if !strings.HasPrefix(signed, "Node at ") {
			t.Errorf("signed: %q", signed)
		}
	}
	if distinct(got.Who) != 3 || len(got.Signed) != 4 || got.Progress == 0 || !strings.HasPrefix(got.Worked, "sdk done") || got.Changed != "list" || got.Updated != "note://sdk" || got.Read != "newer" {
		t.Errorf("got %s", out)
	}
}
