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
	// maxTools is the number of tools with counts of their own; further tools are counted together.
	maxTools = 256
	// maxCodes is the number of error codes per tool; further codes are counted together.
	maxCodes = 32
)

// inProcessTool is the name for calls within the process, which carry no tool name.
const inProcessTool = "(in process)"

// Recorder counts and times tool calls and requests, and holds the tracked usage. A server creates
// one and gives it to every set that it makes. It is safe for concurrent use and needs no Close.
type Recorder struct {
	began    time.Time    // start of counting
	inFlight atomic.Int64 // tool calls that are running
	tools    toolCounts
	sessions sessions
	ledger   ledger
	naming   naming

	principals principals // a Recorder for each authenticated principal, with the counts of its own calls

	requesting atomic.Int64 // requests that are running
	methods    toolCounts   // requests by method
}

// NewRecorder returns a Recorder; its uptime starts now.
func NewRecorder() *Recorder {
	r := &Recorder{began: time.Now()}
	r.sessions.keys = caller.NewKeys()
	return r
}

// Middleware measures the calls of a tool. Use it in tools.Profile.Wrap, or for one tool in
// mcp.ServerTool.Wrap. The measured time is the run of the handler, including the time in which it
// waits for answers of the client. Calls with invalid arguments or an unknown tool do not reach it.
// For a tool, a session and a client that are already counted, it allocates no memory.
func (r *Recorder) Middleware(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (result *mcp.ToolResult, err error) {
		call := mcp.CallFrom(ctx)
		r.naming.observe(call)
		own := r.principalRecorder(ctx)
		start := time.Now()
		tool, ownTool := r.begin(call, start), own.begin(call, start)
		returned := false
		defer func() { // also if the handler panics; the panic continues
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

// begin counts the start of a call. On a nil Recorder it does nothing.
func (r *Recorder) begin(call *mcp.Invocation, start time.Time) *toolCount {
	if r == nil {
		return nil
	}
	r.sessions.activate(call, start.Sub(r.began)).client.requests.Add(1)
	r.inFlight.Add(1)
	return r.tools.forCall(call)
}

// end counts the end of a call that begin has counted.
func (r *Recorder) end(tool *toolCount, how outcome, code string, took time.Duration) {
	if r == nil {
		return
	}
	r.inFlight.Add(-1)
	tool.record(how, code, took)
}

// toolCounts maps names of tools or methods to their counts. A lookup takes no lock.
type toolCounts struct {
	mu sync.Mutex // guards the replacement of m
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

// toolCount has the counts of one tool or one method.
type toolCount struct {
	ended [outcomeCount]atomic.Int64
	took  histogram // calls that succeeded or failed

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

// codeCounts counts errors by code. Codes over maxCodes are counted together.
type codeCounts map[string]int64

func (c *codeCounts) add(code string, n int64) {
	if *c == nil {
		*c = make(codeCounts)
	}
	room := maxCodes // the name for others takes no place of a code
	if _, ok := (*c)[otherName]; ok {
		room++
	}
	if _, known := (*c)[code]; !known && len(*c) >= room {
		code = otherName
	}
	(*c)[code] += n
}
