package telemetry

import (
	"context"
	"encoding/json"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
)

const (
	// maxTools bounds the tools that are counted by name, and maxCodes the codes of errors of each. More are counted together.
	maxTools = 256
	maxCodes = 32
)

// inProcessTool is the tool of calls that came from no client: their name is not known.
const inProcessTool = "(in process)"

// Recorder counts and times calls of tools, and holds the usage that is tracked. It outlives the sets that tell of it: a server
// has one, and gives it to every set that it makes. It is for use by several goroutines at once. It holds nothing that must be
// released.
type Recorder struct {
	began    time.Time
	inFlight atomic.Int64
	tools    toolCounts
	sessions sessions
	ledger   ledger

	principals principals

	requesting atomic.Int64
	methods    toolCounts // of requests, by method
}

// NewRecorder returns a recorder whose time begins now.
func NewRecorder() *Recorder {
	r := &Recorder{began: time.Now()}
	r.sessions.keys = caller.NewKeys()
	return r
}

// Middleware measures a tool: put it into tools.Profile.Wrap, or around a tool with mcp.ServerTool.Wrap. What is measured is the
// handler, with the time that it waits for answers of its client; calls whose arguments do not fit, or that name no tool, do
// not reach it. For a tool, a session and a client that have been seen before, measuring allocates nothing.
func (r *Recorder) Middleware(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (result *mcp.ToolResult, err error) {
		call := mcp.CallFrom(ctx)
		own := r.principalRecorder(ctx)
		start := time.Now()
		tool, ownTool := r.begin(call, start), own.begin(call, start)
		returned := false
		defer func() { // also when the handler panics, which goes on its way
			how, code := failed, codeInternal
			if returned {
				how, code = classify(ctx, result, err)
			}
			took := time.Since(start)
			r.end(tool, how, code, took)
			own.end(ownTool, how, code, took)
		}()
		result, err = next(ctx, args)
		returned = true
		return result, err
	}
}

// begin counts the beginning of a call. A nil recorder counts nothing.
func (r *Recorder) begin(call *mcp.Invocation, start time.Time) *toolCount {
	if r == nil {
		return nil
	}
	r.sessions.activate(call, start.Sub(r.began)).client.requests.Add(1)
	r.inFlight.Add(1)
	return r.tools.forCall(call)
}

// end counts the end of a call that begin was called for.
func (r *Recorder) end(tool *toolCount, how outcome, code string, took time.Duration) {
	if r == nil {
		return
	}
	r.inFlight.Add(-1)
	tool.record(how, code, took)
}

// toolCounts are the counts of all tools. Finding one takes no lock.
type toolCounts struct {
	mu sync.Mutex // for adding one
	m  atomic.Pointer[map[string]*toolCount]
}

func (t *toolCounts) all() map[string]*toolCount {
	if m := t.m.Load(); m != nil {
		return *m
	}
	return nil
}

func (t *toolCounts) forCall(call *mcp.Invocation) *toolCount {
	name := inProcessTool
	if call != nil {
		name = call.Tool
	}
	return t.forName(name)
}

func (t *toolCounts) forName(name string) *toolCount {
	if found := t.all()[name]; found != nil {
		return found
	}
	return t.add(name)
}

func (t *toolCounts) add(name string) *toolCount {
	t.mu.Lock()
	defer t.mu.Unlock()
	old := t.all()
	if len(old) >= maxTools {
		name = otherName
	}
	if found := old[name]; found != nil {
		return found
	}
	m := make(map[string]*toolCount, len(old)+1)
	for key, value := range old {
		m[key] = value
	}
	m[name] = new(toolCount)
	t.m.Store(&m)
	return m[name]
}

// toolCount is what is known of the calls of one tool.
type toolCount struct {
	ended [outcomeCount]atomic.Int64
	took  histogram // of those that succeeded or failed

	mu    sync.Mutex
	codes codeCounts
}

func (t *toolCount) record(how outcome, code string, took time.Duration) {
	t.ended[how].Add(1)
	if how == succeeded || how == failed {
		t.took.record(took)
	}
	if how != failed && how != rejected {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.codes.add(code, 1)
}

// codeCounts count errors by their codes. Those for which there is no room are counted together.
type codeCounts map[string]int64

func (c *codeCounts) add(code string, n int64) {
	if *c == nil {
		*c = make(codeCounts)
	}
	room := maxCodes
	if _, ok := (*c)[otherName]; ok {
		room++
	}
	if _, known := (*c)[code]; !known && len(*c) >= room {
		code = otherName
	}
	(*c)[code] += n
}
