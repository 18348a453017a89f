package e2e

import (
	"context"
	"net/http"
	"os/exec"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// testNested runs an agent that reports by calling a tool of its own server, which forwards the report.
func testNested(h *house) {
	m := h.begin()
	id := m.order(m.group(), "nested")
	s := m.ended(id, record.Completed)
	if s.Status != record.ResultReported || s.Result.StatusSource != record.FromReport || s.Result.Summary != "One file was written." || !slices.Equal(s.Result.CreatedFiles, []string{"report.txt"}) {
		h.t.Errorf("it has reported %s, %+v\n%s", s.Status, s.Result, m.said())
	}
	h.has("report.txt", "written")
	out := do[agents.OutputResult](m, "get_agent_output", agents.OutputArgs{AgentID: id, Kind: "log"})
	if !strings.Contains(out.Text, `"success":{"content"`) {
		h.t.Errorf("the call of report_result has not succeeded:\n%s", out.Text)
	}
	if code, _ := m.get("mcp"); code != http.StatusUnauthorized {
		h.t.Errorf("without a token agents are answered with %d", code)
	}
	m.end()
}

// testNestedDeeper runs agents that run agents, which report in the same way.
func testNestedDeeper(h *house) {
	m := h.begin("-agent-max-depth", "2", "-dashboard-language", "en")
	m.ended(m.order(m.group(), "nested"), record.Completed)
	m.end()
}

// testNoDashboard takes reports from the output of agents.
func testNoDashboard(h *house) {
	cmd := exec.Command(h.program, "-root", h.project, "-dashboard-enabled=false", "-agent-cursor-program", h.cursor)
	cmd.Env = h.environ
	p := launchCommand(h.t, cmd)
	m := &master{server: attend(h.t, cmd, p.stdin, nil, follow("standard error", p.stderr)), house: h}
	m.client = connect(h.t, wire{p}, nil)
	for _, recording := range []string{"report", "nested"} {
		if s := m.ended(m.order(m.group(), recording), record.Completed); s.Result.StatusSource != record.FromReport || s.Result.Summary != "One file was written." {
			h.t.Errorf("%s: it has reported %+v", recording, s.Result)
		}
	}
	m.end()
	if said := m.said(); strings.Contains(said, "http://") {
		h.t.Errorf("there is a dashboard:\n%s", said)
	}
}

// testGivenUp cancels a waiting call: the agent and the server continue.
func testGivenUp(h *house) {
	m := h.begin()
	id := m.order(m.group(), "stalled file=go")
	ctx, cancel := context.WithCancel(h.t.Context())
	given := make(chan error, 1)
	progress := make(chan struct{}, 100)
	go func() {
		_, err := m.client.CallTool(ctx, "wait_agent", agents.WaitArgs{AgentIDs: []string{id}}, &mcp.CallOptions{OnProgress: func(protocol.ProgressNotification) {
			progress <- struct{}{}
		}})
		given <- err
	}()
	receive(h.t, progress, "progress")
	cancel()
	if err := receive(h.t, given, "the end of the call"); err == nil {
		h.t.Error("the call that was given up has an answer")
	}
	if s := m.status(id); s.Status != record.Running {
		h.t.Errorf("it is %+v", s)
	}
	h.write("go", "")
	m.ended(id, record.Completed)
	m.end()
}
