package agents_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
)

func TestRun_Completes(t *testing.T) {
	c := newFixture(t, agents.Options{Prices: map[string]agents.Price{"a*": {Input: 2, Output: 10}}})
	group := c.group(t)
	got, err := c.Run(t.Context(), agents.RunArgs{GroupID: group, Role: "impl-code", Prompt: "make tea"})
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`^impl-code-\d{10}-[0-9a-f]{8}$`).MatchString(got.AgentID) || got.GroupID != group || got.Role != "impl-code" || got.Model != "auto" || got.Status != record.Queued {
		t.Errorf("run_agent answers %+v", got)
	}
	if !regexp.MustCompile(`^grp-\d{10}-[0-9a-f]{8}$`).MatchString(group) {
		t.Errorf("the group is %s", group)
	}
	w := c.end(t, got.AgentID)
	if len(w.Completed) != 1 || w.Completed[0].Status != record.Completed || w.Completed[0].Summary != "Done." || w.Completed[0].Result != record.Success || w.TimedOut || w.Slice {
		t.Errorf("wait_agent answers %+v", w)
	}
	s := c.status(t, got.AgentID)
	if s.Status != record.Completed || s.ModelName != "Fake 1" || s.LastAssistantMessage != "Done." || s.Result.SummarySource != record.FromStream || s.SessionID == "" || s.Result.StatusSource != record.FromStream {
		t.Errorf("get_agent_status answers %+v", s)
	}
	if s.Usage == nil || s.Usage.CostUSD != 0.003 || !s.Usage.Estimated {
		t.Errorf("it has used %+v", s.Usage)
	}
	spec := c.stage.spec(t, got.AgentID)
	if spec.Dir != c.dir || spec.Model != "auto" || !spec.Trust || spec.ReadOnly {
		t.Errorf("the executor was given %+v", spec)
	}
	if !strings.HasPrefix(spec.Prompt, "You write code.\n\nmake tea\n\n[Your agentId is "+got.AgentID) {
		t.Errorf("the prompt is %q", spec.Prompt)
	}
}
