package agents

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// reader identifies a caller of wait_agent. News that one reader has received remain news for the
// others.
type reader struct {
	client caller.Key
	// address separates clients without a session, whose keys can be equal. A client with several
	// connections then receives a state again; it misses nothing.
	address string
	agent   string // the calling agent; empty for the main agent
}

// readerOf returns the caller of a call. Direct calls of Agents.Wait have one reader.
func (a *Agents) readerOf(ctx context.Context) reader {
	r := reader{agent: callerFrom(ctx)}
	call := mcp.CallFrom(ctx)
	if call == nil || call.Request == nil {
		return r
	}
	r.client = a.readerKeys.Of(call.Request)
	if call.Request.Meta.Session() == nil {
		r.address = call.Request.Peer.Address
	}
	return r
}

// maxReaders is the largest number of readers. The reader that has not waited for the longest time
// is forgotten first; it then receives the present state again.
const maxReaders = 200

// maxMarks is the largest number of marks of a reader.
const maxMarks = 1_000

// marks are the states of agents that a reader has received, by agent ID.
type marks struct {
	used time.Time // of the newest call
	seen map[string]mark
}

// mark is the state of an agent that a reader has received.
type mark struct {
	status    record.Status
	stalled   bool
	calls     int   // Agent.ToolCallCount
	textBytes int64 // size of the stream record.Text
	// files are the kinds of the changes that events had reported, by path. It is nil for an agent
	// that has ended.
	files map[string]string
}

// currentMark returns the present state of an agent.
func (a *Agents) currentMark(ctx context.Context, agent record.Agent) mark {
	m := mark{status: agent.Status, stalled: agent.Stalled, calls: agent.ToolCallCount}
	if agent.Status.Ended() {
		return m
	}
	if out, err := a.outputs.Output(ctx, agent.ID, record.Text, -1, 0); err == nil {
		m.textBytes = out.Size
	}
	m.files = a.reportedFiles(agent.ID)
	return m
}

// reportedFiles returns the kinds of the changes that the events of a running agent have reported, by
// path.
func (a *Agents) reportedFiles(agentID string) map[string]string {
	var t *track
	a.mu.Lock()
	for _, w := range a.workplaces {
		if w.r.id == agentID {
			t = w.t
		}
	}
	a.mu.Unlock()
	files := make(map[string]string)
	if t != nil {
		for path, c := range t.currentChanges() {
			files[path] = c.Kind
		}
	}
	return files
}

// lastMark returns the state of an agent that a reader has received; false if it has received none.
func (a *Agents) lastMark(r reader, agentID string) (mark, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m, ok := a.readers[r].seen[agentID]
	return m, ok
}

// setMarks records the states that a reader receives.
func (a *Agents) setMarks(r reader, received map[string]mark) {
	a.mu.Lock()
	defer a.mu.Unlock()
	known, ok := a.readers[r]
	if !ok {
		a.removeReaders()
		known.seen = make(map[string]mark)
	}
	if len(known.seen)+len(received) > maxMarks {
		clear(known.seen)
	}
	maps.Copy(known.seen, received)
	known.used = now()
	a.readers[r] = known
}

// removeReaders makes room for a reader. It removes readers whose session has ended, or else the one
// that has not waited for the longest time. a.mu is held.
func (a *Agents) removeReaders() {
	if len(a.readers) < maxReaders {
		return
	}
	maps.DeleteFunc(a.readers, func(r reader, _ marks) bool { return r.client.Gone() })
	if len(a.readers) < maxReaders {
		return
	}
	oldest := slices.MinFunc(slices.Collect(maps.Keys(a.readers)), func(x, y reader) int {
		return a.readers[x].used.Compare(a.readers[y].used)
	})
	delete(a.readers, oldest)
}

// newsText returns one line on the changes of a running agent since the state old; empty without a
// change. The elapsed time alone is no change.
func newsText(ctx context.Context, agent record.Agent, old, current mark) string {
	if agent.Status == record.Blocked || agent.Status == record.Queued {
		if old.status == agent.Status {
			return ""
		}
		return progressText(agent)
	}
	calls, text := current.calls-old.calls, current.textBytes-old.textBytes
	var parts []string
	if calls > 0 {
		parts = append(parts, fmt.Sprintf("%d tool calls (%d new)", current.calls, calls))
	}
	switch {
	case agent.Stalled && !old.stalled:
		parts = append(parts, "no output for a while")
	case old.stalled && !agent.Stalled:
		parts = append(parts, "output again")
	}
	if calls > 0 {
		parts = append(parts, lastCall(agent)...)
	}
	if files := changedFiles(old.files, current.files); files != "" {
		parts = append(parts, "changed: "+files)
	}
	if text > 0 {
		parts = append(parts, "says: "+oneLine(truncateStart(agent.LastAssistantMessage, int(max(min(text, maxSaid), minSaid))), maxSaid))
		if text > maxSaid && tools.Offers(ctx, outputTool) {
			parts = append(parts, fmt.Sprintf("all its new text: %s offset=%d", outputTool, old.textBytes))
		}
	}
	if len(parts) == 0 && old.status == agent.Status {
		return ""
	}
	return strings.Join(append([]string{agent.Elapsed(now()).Round(time.Second).String()}, parts...), ", ")
}

// Limits of the text of a message in a progress line, in bytes.
const (
	maxSaid = 160
	minSaid = 20 // shorter additions are shown with the text before them
)

// lastCall returns the newest tool call of an agent as one line; none before its first call.
func lastCall(agent record.Agent) []string {
	n := len(agent.RecentToolCalls)
	if n == 0 {
		return nil
	}
	return []string{agent.RecentToolCalls[n-1].Type + " " + truncate.Within(string(agent.RecentToolCalls[n-1].Args), 120)}
}

// changedFiles lists the files of current that old lacks or has with another kind of change.
func changedFiles(old, current map[string]string) string {
	var names []string
	for _, path := range slices.Sorted(maps.Keys(current)) {
		if old[path] == current[path] {
			continue
		}
		if current[path] != edited {
			path += " (" + current[path] + ")"
		}
		names = append(names, path)
	}
	return truncate.Within(joinFiles(names), 500)
}
