package record_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/tools/agents/record"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func create(t testing.TB, m *record.Memory, group string, statuses ...record.Status) {
	t.Helper()
	must(t, m.CreateGroup(t.Context(), record.Group{ID: group, Status: record.GroupActive}))
	for i, status := range statuses {
		must(t, m.CreateAgent(t.Context(), record.Agent{ID: fmt.Sprint(group, i), GroupID: group, Status: status}))
	}
}

// Above the limit, the oldest ended agents are removed, with deleted groups that become empty.
func TestMemory_MaxAgents(t *testing.T) {
	m := memory(t, record.MemoryOptions{MaxAgents: 3})
	create(t, m, "a", record.Completed, record.Running)
	_, err := m.UpdateGroup(t.Context(), "a", func(g *record.Group) error { g.Status = record.GroupDeleted; return nil })
	must(t, err)
	create(t, m, "b", record.Running, record.Failed)
	state := func() string {
		page, err := m.Agents(t.Context(), record.Query{})
		must(t, err)
		groups, err := m.Groups(t.Context(), true)
		must(t, err)
		var all []string
		for _, a := range page.Agents {
			all = append(all, a.ID)
		}
		for _, g := range groups {
			all = append(all, fmt.Sprint(g.ID, g.AgentIDs))
		}
		return strings.Join(all, " ")
	}
	if got := state(); got != "a1 b0 b1 a[a1] b[b0 b1]" {
		t.Errorf("kept are %s", got)
	}
	_, err = m.UpdateAgent(t.Context(), "a1", func(a *record.Agent) error { a.Status = record.Cancelled; return nil })
	must(t, err)
	create(t, m, "c", record.Running)
	if got := state(); got != "b0 b1 c0 b[b0 b1] c[c0]" {
		t.Errorf("kept are %s", got)
	}
	create(t, m, "d", record.Running, record.Running, record.Running) // more run than are kept
	if got := state(); got != "b0 c0 d0 d1 d2 b[b0] c[c0] d[d0 d1 d2]" {
		t.Errorf("kept are %s", got)
	}
}

// A change function may use the store; concurrent changes are not lost.
func TestUpdateAgent_StoreUseInChange(t *testing.T) {
	m := memory(t, record.MemoryOptions{})
	create(t, m, "g", record.Completed)
	calls := 0
	g, err := m.UpdateGroup(t.Context(), "g", func(g *record.Group) error {
		if calls++; calls == 1 {
			must(t, m.CreateAgent(t.Context(), record.Agent{ID: "late", GroupID: "g", Status: record.Running}))
		}
		g.Description = fmt.Sprint(g.AgentIDs)
		return nil
	})
	if err != nil || calls != 2 || g.Description != "[g0 late]" {
		t.Errorf("after %d calls: %+v, %v", calls, g, err)
	}
}

func TestMemory_Closed(t *testing.T) {
	dir := t.TempDir()
	m := record.NewMemory(record.MemoryOptions{Dir: dir})
	must(t, m.Outputs().Append(t.Context(), "a", record.Raw, make([]byte, 1<<20)))
	_, err := m.Log().Append(t.Context(), record.Event{Type: record.ServerStartup})
	must(t, err)
	must(t, m.Close())
	must(t, m.Close())
	seen := 0
	for e, err := range m.Log().Follow(t.Context(), 0) { // yields the stored events and ends
		must(t, err)
		seen += int(e.Seq)
	}
	if seen != 1 {
		t.Errorf("%d events are seen", seen)
	}
	ctx := t.Context()
	_, logging := m.Log().Append(ctx, record.Event{})
	_, reading := m.Outputs().Output(ctx, "a", record.Raw, 0, 9)
	_, group := m.Group(ctx, "g")
	_, groups := m.Groups(ctx, true)
	_, agent := m.Agent(ctx, "a")
	_, agents := m.Agents(ctx, record.Query{})
	_, changing := m.UpdateAgent(ctx, "a", nil)
	for what, err := range map[string]error{
		"logging": logging, "reading": reading, "group": group, "groups": groups, "agent": agent, "agents": agents, "changing": changing,
		"writing": m.Outputs().Append(ctx, "a", record.Text, []byte("x")), "creating": m.CreateGroup(ctx, record.Group{}), "ordering": m.CreateAgent(ctx, record.Agent{}),
	} {
		if err == nil || errors.Is(err, record.ErrNotFound) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
}

// The log stores a limited number and size of events; slow readers receive ErrGone.
func TestLog_Limits(t *testing.T) {
	for _, tc := range []struct {
		name string
		o    record.MemoryOptions
		kept int64
	}{{"events", record.MemoryOptions{MaxEvents: 100}, 100}, {"bytes", record.MemoryOptions{MaxEventBytes: 50 * 1002}, 50}, {"one is kept", record.MemoryOptions{MaxEventBytes: 1}, 1}} {
		t.Run(tc.name, func(t *testing.T) {
			l := memory(t, tc.o).Log()
			const all = 1000
			data := json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
			for range all {
				_, err := l.Append(t.Context(), record.Event{Data: data})
				must(t, err)
			}
			for after, want := range map[int64]error{all - tc.kept: nil, all - tc.kept - 1: record.ErrGone, 0: record.ErrGone} {
				ctx, cancel := context.WithCancel(t.Context())
				next := after + 1
				for e, err := range l.Follow(ctx, after) {
					if !errors.Is(err, want) || err == nil && e.Seq != next {
						t.Errorf("after %d: %d, %v", after, e.Seq, err)
					}
					if next++; next > all {
						cancel()
					}
				}
				cancel()
			}
		})
	}
}

// A slow reader blocks no writer, and receives ErrGone after it has missed an event.
func TestFollow_SlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := record.NewMemory(record.MemoryOptions{MaxEvents: 10})
		l := m.Log()
		var seen []int64
		var last error
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			for e, err := range l.Follow(t.Context(), 0) {
				if seen = append(seen, e.Seq); err != nil {
					last = err
				}
				time.Sleep(time.Second)
			}
		}()
		for range 500 {
			if e, err := l.Append(t.Context(), record.Event{}); err != nil || time.Since(e.At) > time.Minute {
				t.Errorf("%+v, %v", e, err)
			}
			time.Sleep(10 * time.Millisecond)
		}
		<-ended
		if !errors.Is(last, record.ErrGone) || !slices.IsSorted(seen[:len(seen)-1]) {
			t.Errorf("it saw %v and %v", seen, last)
		}
		must(t, m.Close())
	})
}

// The output of the most recent writers is stored; for the others only its size.
func TestOutputs_MaxWriters(t *testing.T) {
	m := memory(t, record.MemoryOptions{MaxWriters: 2, Dir: t.TempDir()})
	o := m.Outputs()
	for _, id := range []string{"a", "b", "a", "c"} { // b has to go
		for _, s := range []record.Stream{record.Raw, record.Text} {
			must(t, o.Append(t.Context(), id, s, []byte("12345")))
		}
	}
	read := func(id string, s record.Stream) record.Output {
		out, err := o.Output(t.Context(), id, s, 1, 100)
		must(t, err)
		return out
	}
	for _, s := range []record.Stream{record.Raw, record.Text} {
		if got, want := read("b", s), (record.Output{Offset: 5, Next: 5, Size: 5, Dropped: 4}); got != want {
			t.Errorf("of %s of b is kept %+v, want %+v", s, got, want)
		}
		must(t, o.Append(t.Context(), "b", s, []byte("more")))
		if got, want := read("b", s), (record.Output{Text: "more", Offset: 5, Next: 9, Size: 9, Dropped: 4}); got != want {
			t.Errorf("of %s of b is kept %+v, want %+v", s, got, want)
		}
		if got := read("c", s); got.Text != "2345" {
			t.Errorf("of %s of c is kept %+v", s, got)
		}
	}
	if got := read("a", record.Text); got.Text != "" || got.Size != 10 {
		t.Errorf("of a is kept %+v", got)
	}
}
