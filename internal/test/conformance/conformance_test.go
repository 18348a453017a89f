package conformance

import (
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestServer runs everything that the suite has for servers. Each revision has
// a process of its own, since scenarios change what is listed, and they run one
// after the other, since the suite has time limits.
func TestServer(t *testing.T) {
	s := newSuite(t)
	program := build(t, "./server")
	for _, run := range []struct {
		name, revision string // the revision is for what is run again
		args           []string
		scenarios      int // that the suite has, at least
	}{
		// The frozen list of what the revision requires, with what it has besides.
		{"2025-11-25", "2025-11-25", []string{"--requirements", "2025-11-25"}, 33},
		{"2026-07-28", "2026-07-28", []string{"--requirements", "2026-07-28"}, 50},
		// Older revisions have no such list.
		{"2025-03-26", "2025-03-26", []string{"--suite", "all", "--spec-version", "2025-03-26"}, 1},
		{"2025-06-18", "2025-06-18", []string{"--suite", "all", "--spec-version", "2025-06-18"}, 27},
		// Each scenario at the revision that it is of, all in one process.
		{"all", "", []string{"--suite", "all"}, 65},
	} {
		t.Run(run.name, func(t *testing.T) {
			mode := []string{"server", "--url", start(t, program, "-http", "127.0.0.1:0")}
			judge(t, s.runAll(t, mode, run.args, run.revision), run.scenarios)
		})
	}
}

// TestClient runs everything that the suite has for clients. It starts the
// client once for each scenario, all at the same time.
func TestClient(t *testing.T) {
	s := newSuite(t)
	mode := []string{"client", "--command", build(t, "./client")}
	for _, run := range []struct {
		name, revision string // the revision is for what is run again
		args           []string
		scenarios      int
	}{
		{"2025-11-25", "2025-11-25", []string{"--requirements", "2025-11-25"}, 25},
		{"2026-07-28", "2026-07-28", []string{"--requirements", "2026-07-28"}, 39},
		// Each scenario at the revision that it is of, those of 2025-03-26 and of extensions included.
		{"all", "2025-11-25", []string{"--suite", "all"}, 48},
	} {
		t.Run(run.name, func(t *testing.T) {
			judge(t, s.runAll(t, mode, run.args, run.revision), run.scenarios)
		})
	}
}

// TestExample runs against an ordinary server, over HTTP, what the suite has
// for servers of which it knows nothing.
func TestExample(t *testing.T) {
	s := newSuite(t)
	s.needless = needsFixture
	program := build(t, "../../../examples/cursorcli")
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

// needsFixture has the checks of these scenarios that a server without the
// suite's own tools, or without what it need not have, cannot pass, and why.
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

// judge shows what a run has found, and fails the test for every problem, and if
// there are fewer scenarios than there should be.
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
