package e2e

import (
	"slices"
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
		"only-messages-on-stdout", "ends-with-its-input",
	}
	if revision >= "2025-06-18" {
		checks = append(checks,
			"call-structured", "output-schema", "output-schema-is-checked", "call-array",
			"elicit-accept", "elicit-decline", "elicit-cancel", "elicit-twice", "elicit-concurrently", "elicit-without-capability",
			"confirm", "confirm-decline")
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
	for _, revision := range []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"} {
		t.Run(revision, func(t *testing.T) {
			t.Parallel()
			runScript(t, node, []string{"v1.mjs", "--suite=session", "--revision=" + revision, "--", fixture}, sessionChecks(revision))
		})
	}
}

func TestTypeScriptSDKv2(t *testing.T) {
	t.Parallel()
	node, fixture := needNode(t), build(t, "./fixture")
	for mode, revision := range map[string]string{"legacy": "2025-11-25", "auto": "2026-07-28", "2026-07-28": "2026-07-28"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			runScript(t, node, []string{"v2.mjs", "--suite=session", "--mode=" + mode, "--", fixture}, sessionChecks(revision))
		})
	}
}

func TestInspector(t *testing.T) {
	t.Parallel()
	node, fixture := needNode(t), build(t, "./fixture")
	checks := []string{
		"initialize", "list", "list-strict",
		"call-text", "call-structured", "output-schema", "call-array", "call-content-kinds", "large-argument", "large-result",
		"unknown-tool", "unknown-argument", "tool-error", "protocol-error", "elicit-without-capability", "child-prints", "load",
	}
	for era, more := range map[string][]string{"legacy": {"log-level"}, "modern": nil} {
		t.Run(era, func(t *testing.T) {
			t.Parallel()
			args := []string{"inspector.mjs", "--suite=session", "--era=" + era, "--cwd=" + t.TempDir(), "--", fixture}
			runScript(t, node, args, slices.Concat(checks, more))
		})
	}
}
