package agentservice

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/internal/notify"
)

func TestMessages(t *testing.T) {
	begun := time.Date(2026, 2, 13, 12, 0, 0, 0, time.UTC)
	agent := record.Agent{
		ID: "impl-code-1739487600-a3f2", Role: "impl-code", Model: "auto", ModelName: "Auto", StartedAt: begun, EndedAt: begun.Add(90 * time.Second),
		Status: record.Completed, Outcome: record.Completed,
	}
	with := func(change func(a *record.Agent)) record.Agent {
		a := agent
		change(&a)
		return a
	}
	for _, tc := range []struct {
		what        string
		agent       record.Agent
		level       notify.Level
		text, files string
	}{
		{"completed", with(func(a *record.Agent) {
			a.Result = &record.Result{Summary: "Done.", EditedFiles: []string{"a"}, CreatedFiles: []string{"b"}, DeletedFiles: []string{"c"}}
		}), notify.Success, "Done.", "3"},
		{"failed", with(func(a *record.Agent) { a.Result = &record.Result{ErrorMessage: "It broke."} }), notify.Failure, "It broke.", ""},
		{"failed", with(func(a *record.Agent) { a.Error = "It did not start." }), notify.Failure, "It did not start.", ""},
		{"timedOut", with(func(a *record.Agent) { a.LastAssistantMessage = "I am at it." }), notify.Warning, "I am at it.", ""},
		{"stalled", agent, notify.Warning, "", ""},
		{"cancelled", agent, notify.Info, "", ""},
	} {
		m := messageOf(tc.what, tc.agent, "http://localhost:9696/")
		fields := make(map[string]string)
		for _, f := range m.Fields {
			fields[f.Name] = f.Value
		}
		if m.Title != "impl-code: "+tc.what || m.Level != tc.level || m.Text != tc.text || m.Link != "http://localhost:9696/" {
			t.Errorf("%s: the message is %+v", tc.what, m)
		}
		if fields["agent"] != agent.ID || fields["model"] != "Auto" || fields["time"] != "1m30s" || fields["files"] != tc.files {
			t.Errorf("%s: the details are %v", tc.what, fields)
		}
	}
}

// Errors do not contain the URL of a webhook, which is a secret.
func TestTargets(t *testing.T) {
	var c Config
	c.Notify.Targets = []string{"desktop", "slack=https://hooks.example/services/T/B/x", "discord=https://discord.example/api/webhooks/1/x", "webhook=https://example.com/hook"}
	n, err := newNotifier(c, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Close(t.Context()); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"pigeon", "slack", "slack=ftp://hooks.example/secret", "webhook=secret"} {
		c.Notify.Targets = []string{wrong}
		if _, err := newNotifier(c, slog.New(slog.DiscardHandler)); err == nil || !strings.HasPrefix(err.Error(), "notify.targets: ") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", wrong, err)
		}
	}
}

func TestPrices(t *testing.T) {
	prices, err := parsePrices([]string{"auto=1.25/6", " composer-* = 0.5 / 1 / 0.05 / 0.625 ", "free=0/0"})
	if err != nil || len(prices) != 3 {
		t.Fatalf("%v, %v", prices, err)
	}
	for model, want := range map[string]agents.Price{
		"auto": {Input: 1.25, Output: 6}, "composer-*": {Input: 0.5, Output: 1, CacheRead: 0.05, CacheWrite: 0.625}, "free": {},
	} {
		if got := prices[model]; got != want {
			t.Errorf("%s costs %+v, want %+v", model, got, want)
		}
	}
	for _, wrong := range []string{"", "auto", "=1/2", "auto=1", "auto=1/2/3", "auto=1/2/3/4/5", "auto=-1/2", "auto=1/NaN", "auto=Inf/1", "auto=$1/2", "auto=1e9/1"} {
		if _, err := parsePrices([]string{wrong}); err == nil || !strings.HasPrefix(err.Error(), "agent.prices: ") {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
