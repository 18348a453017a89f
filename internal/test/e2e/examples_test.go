package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
)

const examples = "../../../examples"

// TestExamples surveys every program of the directory examples that is a server without arguments, with real clients. Each runs in
// an empty directory.
func TestExamples(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	entries, err := os.ReadDir(examples)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		name := entry.Name()
		if _, err := os.Stat(filepath.Join(examples, name, "main.go")); err != nil || !isServer(name) {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			command := []string{build(t, examples+"/"+name)}
			if name == "cqm" { // cqm keeps an index in the user's cache
				env, err := exec.LookPath("env")
				if err != nil {
					t.Skip("there is no program env")
				}
				command = []string{env, "HOME=" + t.TempDir(), "XDG_CACHE_HOME=" + t.TempDir(), command[0]}
			}
			survey(t, node, command...)
		})
	}
}

// survey uses a server with every client.
func survey(t *testing.T, node string, command ...string) {
	t.Helper()
	runSuite(t, node, command, "survey", []string{
		"connect", "list", "schemas", "unknown-tool", "unknown-argument", "missing-argument",
		"only-messages-on-stdout", "ends-with-its-input",
	})
	for _, era := range []string{"legacy", "modern"} {
		t.Run("inspector-"+era, func(t *testing.T) {
			t.Parallel()
			args := []string{"inspector.mjs", "--suite=survey", "--era=" + era, "--cwd=" + t.TempDir(), "--"}
			runScript(t, node, append(args, command...), []string{"initialize", "list-strict", "unknown-argument"})
		})
	}
}

// isServer reports whether an example is a server that needs no other program. agent and embed are none. kuromajutsu is excluded, because it would use the
// models of the user; TestKuromajutsu surveys it. everything is excluded, because a tool of it must be called as a task; TestEverythingExample calls all
// tools of it.
func isServer(name string) bool {
	return name != "agent" && name != "embed" && name != "everything" && name != "gateway" && name != "kuromajutsu"
}

// TestCursorCLI uses files through the example cursorcli with real clients.
func TestCursorCLI(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	runSuite(t, node, []string{build(t, examples+"/cursorcli")}, "files", []string{
		"offered", "write", "read", "read-lines", "read-legacy-encoding", "read-in-parts", "list",
		"missing-file", "outside", "stale-write", "edit", "search", "project", "delete-and-restore", "other-spelling",
		"statistics", "settings-change", "read-only",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// TestChunks uses functions through the example chunks with real clients.
func TestChunks(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	runSuite(t, node, []string{build(t, examples+"/chunks")}, "chunks", []string{
		"offered", "list-functions", "find-function", "get-function", "get-chunk", "find-file", "before-analysis", "analyze",
		"get-chunk-by-signature", "search", "replace", "moved", "outside", "other-spelling", "strict",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// TestEditor edits, runs and builds through the example editor with real clients.
func TestEditor(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	runSuite(t, node, []string{build(t, examples+"/editor")}, "editor", []string{
		"offered", "insert", "stale", "replace", "delete-by-token", "delete-by-consent", "command", "blocked", "timeout", "background", "build",
		"no-editor", "audit",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// runSuite runs a suite with each client library.
func runSuite(t *testing.T, node string, command []string, suite string, checks []string) {
	t.Helper()
	for name, client := range map[string][]string{
		"v1":        {"v1.mjs"},
		"v2-legacy": {"v2.mjs", "--mode=legacy"},
		"v2-auto":   {"v2.mjs", "--mode=auto"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--suite=" + suite, "--cwd=" + t.TempDir(), "--"}
			runScript(t, node, slices.Concat(client, args, command), checks)
		})
	}
}
