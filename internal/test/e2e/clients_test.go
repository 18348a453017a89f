package e2e

import (
	"slices"
	"strings"
	"testing"
)

// sessionChecks are the checks of the suite session in a revision.
func sessionChecks(revision string) []string {
	checks := []string{
		"connect", "list", "list-as-of-revision", "list-changed",
		"call-text", "call-any-text", "call-without-result", "call-content-kinds", "large-argument", "large-result",
		"progress", "progress-before-result", "no-progress-unasked",
		"cancel", "others-run-while-one-holds", "concurrent", "many", "log",
		"unknown-tool", "unknown-argument", "misspelt-argument", "wrong-type", "missing-argument", "out-of-range", "all-mistakes-at-once",
		"tool-error", "protocol-error", "panic", "print", "print-json", "child-prints",
		"resources", "resource-templates", "resource-text", "resource-bytes", "resource-of-template", "resource-missing",
		"resources-changed", "resource-updated", "no-update-after-the-end",
		"prompts", "prompt", "prompt-content-kinds", "prompt-refused", "prompts-changed", "complete",
		"only-messages-on-stdout", "ends-with-its-input",
	}
	if revision >= "2025-06-18" {
		checks = append(checks,
			"call-structured", "output-schema", "output-schema-is-checked", "call-array",
			"elicit-accept", "elicit-decline", "elicit-cancel", "elicit-twice", "elicit-concurrently", "elicit-without-capability",
			"confirm", "confirm-decline", "resource-that-asks", "prompt-that-asks", "complete-with-others")
	}
	switch {
	case revision >= "2026-07-28":
		checks = append(checks, "unasked-log")
	case revision >= "2025-06-18":
		checks = append(checks, "ping", "cancel-while-asking")
	default:
		checks = append(checks, "ping")
	}
	return checks
}

func TestTypeScriptSDKv1(t *testing.T) {
	t.Parallel()
	node, fixture := needNode(t), build(t, "./fixture")
	for transport, revisions := range map[string][]string{
		"stdio": {"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"},
		"http":  {"2025-03-26", "2025-06-18", "2025-11-25"},
		"sse":   {"2024-11-05", "2025-11-25"},
		"ws":    {"2024-11-05", "2025-11-25"},
	} {
		for _, revision := range revisions {
			t.Run(transport+"-"+revision, func(t *testing.T) {
				t.Parallel()
				args := []string{"--experimental-websocket", "v1.mjs", "--suite=session", "--transport=" + transport, "--revision=" + revision, "--", fixture}
				runScript(t, node, args, sessionChecks(revision))
			})
		}
	}
}

func TestTypeScriptSDKv2(t *testing.T) {
	t.Parallel()
	node, fixture := needNode(t), build(t, "./fixture")
	for transport, modes := range map[string][]string{
		"stdio": {"legacy", "auto", "2026-07-28"},
		"http":  {"legacy", "auto", "2026-07-28"},
		"sse":   {"legacy"},
	} {
		for _, mode := range modes {
			t.Run(transport+"-"+mode, func(t *testing.T) {
				t.Parallel()
				revision := "2026-07-28"
				if mode == "legacy" {
					revision = "2025-11-25"
				}
				args := []string{"v2.mjs", "--suite=session", "--transport=" + transport, "--mode=" + mode, "--", fixture}
				runScript(t, node, args, sessionChecks(revision))
			})
		}
	}
}

func TestInspector(t *testing.T) {
	t.Parallel()
	node, fixture := needNode(t), build(t, "./fixture")
	tools := []string{
		"initialize", "list", "list-strict",
		"call-text", "call-structured", "output-schema", "call-array", "call-content-kinds", "large-argument", "large-result",
		"unknown-tool", "unknown-argument", "tool-error", "protocol-error", "elicit-without-capability", "child-prints", "load",
	}
	network := []string{"initialize", "list", "call-structured", "tool-error", "protocol-error", "resources", "prompts", "load"}
	for _, run := range []struct {
		transport, era string
		checks         []string
	}{
		{"stdio", "legacy", append(slices.Clone(tools), "log-level")},
		{"stdio", "modern", tools},
		{"http", "legacy", network},
		{"http", "auto", []string{"initialize", "call-structured"}},
		{"http", "modern", network},
	} {
		t.Run(run.transport+"-"+run.era, func(t *testing.T) {
			t.Parallel()
			args := []string{
				"inspector.mjs", "--suite=session", "--only=" + strings.Join(run.checks, ","), "--era=" + run.era,
				"--transport=" + run.transport, "--cwd=" + t.TempDir(), "--", fixture,
			}
			runScript(t, node, args, run.checks)
		})
	}
}
