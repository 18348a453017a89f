package record_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/dougu-go/dougu/tools/agents/record"
)

func TestStatus_Ended(t *testing.T) {
	for status, want := range map[record.Status]bool{
		record.Queued: false, record.Blocked: false, record.Running: false, record.Completed: true, record.Failed: true, record.TimedOut: true,
		record.Cancelled: true, record.ResultReported: true, "": false, "unheard of": false,
	} {
		if status.Ended() != want {
			t.Errorf("%q has ended: %v", status, !want)
		}
	}
}

func TestAgent_Elapsed(t *testing.T) {
	start := time.Date(2026, 2, 13, 12, 0, 0, 0, time.UTC)
	now := start.Add(time.Hour)
	for want, a := range map[time.Duration]record.Agent{
		0: {CreatedAt: start}, time.Hour: {StartedAt: start}, time.Minute: {StartedAt: start, EndedAt: start.Add(time.Minute)},
	} {
		if got := a.Elapsed(now); got != want {
			t.Errorf("it takes %v, want %v", got, want)
		}
	}
}

// Compact removes long members and leaves the original unchanged.
func TestAgent_Compact(t *testing.T) {
	long := strings.Repeat("long ", 1000)
	a := record.Agent{
		ID: "a", Prompt: long, ContextFiles: []string{long}, RecentToolCalls: []record.ToolCall{{Type: long}}, LastAssistantMessage: "still said",
		Result: &record.Result{Summary: "done", RawOutput: long, Changes: []record.Change{{Path: long}}, EditedFiles: []string{"a.go"}},
	}
	data, err := json.Marshal(a.Compact())
	if text := string(data); err != nil || len(text) > 1000 || !strings.Contains(text, "still said") || !strings.Contains(text, "done") || !strings.Contains(text, "a.go") {
		t.Errorf("in brief it is %s, %v", text, err)
	}
	if a.Prompt != long || a.Result.RawOutput != long || len(a.RecentToolCalls) != 1 {
		t.Error("the agent itself was shortened")
	}
}

// After any sequence of writes the newest bytes are stored, and offsets count the removed ones.
func TestTail_KeepsNewest(t *testing.T) {
	const most = 20
	rapid.Check(t, func(t *rapid.T) {
		m := record.NewMemory(record.MemoryOptions{MaxTextBytes: most})
		defer m.Close()
		var all []byte
		for range rapid.IntRange(1, 20).Draw(t, "pieces") {
			piece := rapid.SliceOfN(rapid.ByteRange('a', 'z'), 0, 3*most).Draw(t, "piece")
			all = append(all, piece...)
			if err := m.Outputs().Append(t.Context(), "a", record.Stderr, piece); err != nil {
				t.Fatal(err)
			}
		}
		offset := rapid.IntRange(0, len(all)).Draw(t, "offset")
		got, err := m.Outputs().Output(t.Context(), "a", record.Stderr, int64(offset), 1000)
		begin := max(offset, len(all)-most)
		want := record.Output{Text: string(all[begin:]), Offset: int64(begin), Next: int64(len(all)), Size: int64(len(all)), Dropped: int64(begin - offset)}
		if err != nil || got != want {
			t.Fatalf("from %d on of %q: %+v, %v; want %+v", offset, all, got, err, want)
		}
	})
}
