// Package recordtest tests implementations of the interfaces of package record. TestStore, TestLog
// and TestOutputs each run the tests of one interface.
package recordtest

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

// epoch is the creation time of the first test records.
var epoch = time.Date(2026, 2, 13, 12, 0, 0, 123456789, time.UTC)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// mustReturn returns a function that returns v, or ends the test if err is set.
func mustReturn[T any](t *testing.T) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		must(t, err)
		return v
	}
}

func wantError(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: the error is %v, want %v", what, err, want)
	}
}

// wantEqual compares two values by their JSON.
func wantEqual(t *testing.T, what string, got, want any) {
	t.Helper()
	g, w := encode(t, got), encode(t, want)
	if g != w {
		t.Errorf("%s: got\n%s\nwant\n%s", what, g, w)
	}
}

func encode(t *testing.T, v any) string {
	t.Helper()
	data, err := json.MarshalIndent(v, "", " ")
	must(t, err)
	if a, ok := v.(record.Agent); ok {
		return string(data) + a.Timeout.String()
	}
	return string(data)
}

// fullAgent returns an agent whose fields are all set.
func fullAgent() record.Agent {
	return record.Agent{
		ID: "impl-code-1739487600-a3f2", GroupID: "grp-1", Role: "impl-code", Executor: "cursor", Model: "claude-4-sonnet", ModelName: "Claude 4 Sonnet",
		Status: record.ResultReported, Outcome: record.Failed, Stalled: true, Prompt: "書いて: \"x\"\n\tDROP TABLE agents; --%_\x00", WorkingDirectory: `/home/x y`,
		Isolation: record.Worktree, ReadOnly: true, ContextFiles: []string{"a.go", "b.go"}, DependsOn: []string{"p-1", "p-2"}, Timeout: 90 * time.Second,
		Parent: "p-1", Depth: 2, Follows: "p-2", Principal: "アリス\x00/..", Owner: "o-1", Runner: "r-1", Attempt: 2, Lost: true, CreatedAt: epoch, StartedAt: epoch.Add(time.Second), EndedAt: epoch.Add(time.Minute), SeenAt: epoch.Add(30 * time.Second),
		SessionID: "c6b62c6f", ToolCallCount: 7, LastAssistantMessage: "ファイルを読み込んで…", Error: "exit code 1",
		RecentToolCalls: []record.ToolCall{
			{Seq: 6, CallID: "toolu_1", Type: "readToolCall", Subtype: "completed", Args: json.RawMessage(`{"path":"src/index.ts"}`), StartedAt: epoch, EndedAt: epoch.Add(1)},
			{Seq: 7, CallID: "toolu_2", Type: "shellToolCall", Subtype: "started", Failed: true, Args: json.RawMessage(`{}`), StartedAt: epoch},
		},
		Usage:  &record.Usage{InputTokens: 1, OutputTokens: 2, CacheReadTokens: 1 << 60, CacheWriteTokens: 4, CostUSD: 0.25, Estimated: true},
		Report: &record.Report{Status: record.Failure, Summary: "できない", EditedFiles: []string{"a.go"}, CreatedFiles: []string{"c.go"}, ErrorMessage: "no", At: epoch, Via: "call"},
		Result: &record.Result{
			AgentID: "impl-code-1739487600-a3f2", GroupID: "grp-1", Status: record.Failure, StatusSource: record.FromReport, Summary: "できない Ω", SummarySource: record.FromReport,
			EditedFiles: []string{"a.go"}, CreatedFiles: []string{}, DeletedFiles: []string{"d.go"}, DurationMs: 59_000, Model: "claude-4-sonnet", Role: "impl-code", ToolCallCount: 7,
			Changes:      []record.Change{{Path: "a.go", Kind: "edited", Sources: []record.Source{record.FromStream, record.FromGit}, Uncertain: true}},
			ErrorMessage: "no", RawOutput: "raw", Worktree: "/w", Branch: "kuromajutsu/x", Timestamp: epoch.Add(time.Minute),
		},
		Version: 5,
	}
}

// corrupt changes everything that is reachable from an agent by reference.
func corrupt(a *record.Agent) {
	a.ContextFiles[0], a.DependsOn[0] = "spoilt", "spoilt"
	a.RecentToolCalls[0].Args[2] = 'X'
	a.RecentToolCalls[1].CallID = "spoilt"
	a.Usage.InputTokens, a.Report.EditedFiles[0], a.Report.CreatedFiles[0], a.Report.Summary = 99, "spoilt", "spoilt", "spoilt"
	a.Result.Summary, a.Result.EditedFiles[0], a.Result.DeletedFiles[0] = "spoilt", "spoilt", "spoilt"
	a.Result.Changes[0].Sources[0], a.Result.Changes[0].Path = "spoilt", "spoilt"
}
