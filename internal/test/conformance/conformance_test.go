package conformance

import (
	"slices"
	"testing"
)

// TestServer runs all server scenarios. Each revision has its own process, because scenarios change the lists of features.
// Scenarios run one after the other, because the suite has timeouts.
func TestServer(t *testing.T) {
	s := newSuite(t)
	program := builder.Build(t, "./server", false)
	for _, run := range []struct {
		name, revision string // revision of repeated scenarios
		args           []string
		scenarios      int // lowest number of scenarios in the suite
	}{
		// The frozen requirements of the revision, and further scenarios.
		{"2025-11-25", "2025-11-25", []string{"--requirements", "2025-11-25"}, 33},
		{"2026-07-28", "2026-07-28", []string{"--requirements", "2026-07-28"}, 50},
		// Older revisions have no list of requirements.
		{"2025-03-26", "2025-03-26", []string{"--suite", "all", "--spec-version", "2025-03-26"}, 1},
		{"2025-06-18", "2025-06-18", []string{"--suite", "all", "--spec-version", "2025-06-18"}, 27},
		// Each scenario at its own revision, in one process.
		{"all", "", []string{"--suite", "all"}, 65},
	} {
		t.Run(run.name, func(t *testing.T) {
			mode := []string{"server", "--url", start(t, program, "-http", "127.0.0.1:0")}
			judge(t, s.runAll(t, mode, run.args, run.revision), run.scenarios)
		})
	}
}

// TestClient runs all client scenarios. It starts the client once for each scenario, all concurrently.
func TestClient(t *testing.T) {
	s := newSuite(t)
	mode := []string{"client", "--command", builder.Build(t, "./client", false)}
	for _, run := range []struct {
		name, revision string // revision of repeated scenarios
		args           []string
		scenarios      int
	}{
		{"2025-11-25", "2025-11-25", []string{"--requirements", "2025-11-25"}, 25},
		{"2026-07-28", "2026-07-28", []string{"--requirements", "2026-07-28"}, 39},
		// Each scenario at its own revision, including 2025-03-26 and extensions.
		{"all", "2025-11-25", []string{"--suite", "all"}, 48},
	} {
		t.Run(run.name, func(t *testing.T) {
			judge(t, s.runAll(t, mode, run.args, run.revision), run.scenarios)
		})
	}
}

// TestExample runs the server scenarios that need no special tools against an example over HTTP.
func TestExample(t *testing.T) {
	s := newSuite(t)
	s.needless = needsFixture
	program := builder.Build(t, "../../../examples/cursorcli", false)
	for _, run := range []struct {
		revision  string
		scenarios []string
	}{
		{"2025-11-25", []string{
			"server-initialize", "server-session-lifecycle", "ping", "logging-set-level", "tools-list",
			"server-sse-multiple-streams", "dns-rebinding-protection",
		}},
		{"2026-07-28", []string{
			"server-stateless", "tools-list", "server-sse-multiple-streams", "dns-rebinding-protection", "caching",
			"http-header-validation", "input-required-result-unsupported-methods",
		}},
	} {
		t.Run(run.revision, func(t *testing.T) {
			mode := []string{"server", "--url", start(t, program, "-http", "127.0.0.1:0", "-no-token", "-root", t.TempDir())}
			_, all := s.run(t, mode, []string{"--suite", "all", "--spec-version", run.revision})
			found := make(report)
			for _, name := range run.scenarios {
				found[name] = all[name]
			}
			judge(t, s.repeat(t, mode, run.revision, found), len(run.scenarios))
		})
	}
}

// needsFixture maps checks to the reason why a server without the suite's own tools or optional features cannot pass them.
var needsFixture = map[string]string{
	"sep-2575-server-rejects-undeclared-capability":            "calls the tool test_missing_capability",
	"sep-2575-missing-capability-http-400":                     "calls the tool test_missing_capability",
	"sep-2575-http-server-no-independent-requests-on-stream":   "calls the tool test_streaming_elicitation",
	"sep-2575-server-no-log-without-loglevel":                  "calls the tool test_logging_tool",
	"sep-2575-server-sends-tools-list-changed-on-subscription": "calls the tool test_trigger_tool_change",
	"sep-2549-prompts-list-caching-hints":                      "wants prompts",
	"sep-2549-resources-list-caching-hints":                    "wants resources",
	"sep-2549-resources-templates-list-caching-hints":          "wants resources",
}

// judge logs a report. It fails the test for every problem, and if the report has fewer than least scenarios.
func judge(t *testing.T, found report, least int) {
	t.Helper()
	t.Log(found.table())
	if len(found) < least {
		t.Errorf("the suite has run %d scenarios, and has at least %d", len(found), least)
	}
	for _, name := range found.names() {
		if !slices.ContainsFunc(found[name], func(c check) bool { return c.Status != "INFO" }) {
			t.Errorf("%s has checked nothing", name)
		}
		for _, c := range problems(found[name]) {
			t.Errorf("%s: %s", name, c)
		}
	}
}
