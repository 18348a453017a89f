package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

const examples = "../../examples"

// TestExamples lets real clients look at every program of the directory
// examples that is a server without arguments. Each runs in an empty directory.
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
			program := build(t, examples+"/"+name)
			runSuite(t, node, program, "survey", []string{
				"connect", "list", "schemas", "unknown-tool", "unknown-argument", "missing-argument",
				"only-messages-on-stdout", "ends-with-its-input",
			})
			for _, era := range []string{"legacy", "modern"} {
				t.Run("inspector-"+era, func(t *testing.T) {
					t.Parallel()
					args := []string{"inspector.mjs", "--suite=survey", "--era=" + era, "--cwd=" + t.TempDir(), "--", program}
					runScript(t, node, args, []string{"initialize", "list-strict", "unknown-argument"})
				})
			}
		})
	}
}

// isServer tells the servers among the examples from what is none, or needs
// others to start.
func isServer(name string) bool { return name != "embed" && name != "gateway" }

// TestCursorCLI lets real clients work on files through the example cursorcli.
func TestCursorCLI(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	runSuite(t, node, build(t, examples+"/cursorcli"), "files", []string{
		"offered", "write", "read", "read-lines", "read-legacy-encoding", "read-in-parts", "list",
		"missing-file", "outside", "stale-write", "edit", "search", "project", "delete-and-restore", "other-spelling",
		"statistics", "settings-change", "read-only",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// TestChunks lets real clients work on functions through the example chunks.
func TestChunks(t *testing.T) {
	t.Parallel()
	node := needNode(t)
	runSuite(t, node, build(t, examples+"/chunks"), "chunks", []string{
		"offered", "list-functions", "find-function", "get-function", "get-chunk", "find-file", "before-analysis", "analyze",
		"get-chunk-by-signature", "search", "replace", "moved", "outside", "other-spelling", "strict",
		"only-messages-on-stdout", "ends-with-its-input",
	})
}

// runSuite runs a suite with each of the clients that are libraries.
func runSuite(t *testing.T, node, program, suite string, checks []string) {
	t.Helper()
	for name, client := range map[string][]string{
		"v1":        {"v1.mjs"},
		"v2-legacy": {"v2.mjs", "--mode=legacy"},
		"v2-auto":   {"v2.mjs", "--mode=auto"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--suite=" + suite, "--cwd=" + t.TempDir(), "--", program}
			runScript(t, node, slices.Concat(client, args), checks)
		})
	}
}
