package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// scriptTime is the timeout of a script. It is reached only if the script hangs.
const scriptTime = 8 * time.Minute

// finding is an output line of a script.
type finding struct {
	Check  string `json:"check"`
	OK     bool   `json:"ok"`
	Detail string `json:"detail"`
}

// runScript runs a script of the directory node and reports each of its checks as a subtest. The checks must be exactly the wanted
// ones.
func runScript(t *testing.T, node string, args, want []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), scriptTime)
	defer cancel()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, node, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = "node", &stdout, &stderr
	cmd.WaitDelay = 5 * time.Second // a server of a killed script may keep the pipes open
	err := cmd.Run()
	if err != nil {
		t.Errorf("%s: %v (%v)\n%s%s", strings.Join(cmd.Args, " "), err, context.Cause(ctx), tail(stdout.String()), tail(stderr.String()))
	}
	found := readFindings(t, stdout.Bytes())
	for _, name := range want {
		t.Run(name, func(t *testing.T) {
			switch f, ok := found[name]; {
			case !ok:
				t.Error("the script has not run this check")
			case !f.OK:
				t.Error(f.Detail)
			}
		})
	}
	for name := range found {
		if !slices.Contains(want, name) {
			t.Errorf("the script has a check that nobody waits for: %s", name)
		}
	}
}

func readFindings(t *testing.T, output []byte) map[string]finding {
	t.Helper()
	found := make(map[string]finding)
	for line := range bytes.Lines(output) {
		var f finding
		if err := json.Unmarshal(line, &f); err != nil {
			t.Errorf("a line of the script is no finding: %v: %.300s", err, line)
			continue
		}
		if _, twice := found[f.Check]; twice {
			t.Errorf("the script has run %s twice", f.Check)
		}
		found[f.Check] = f
	}
	return found
}

// tail returns the end of a long output.
func tail(s string) string {
	const enough = 8000
	if len(s) > enough {
		return "…" + s[len(s)-enough:]
	}
	return s
}
