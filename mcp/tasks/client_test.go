package tasks_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// scripted is a server that answers with what a test wants.
type scripted struct {
	mu      sync.Mutex
	answers map[string][]any // by method: a result, or an error; the last one stays
	asked   []string
}

func (s *scripted) Dispatch(_ context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Method == "server/discover" {
		return &protocol.DiscoverResult{Server: mcp.Implementation{Name: "s", Version: "1"}, Supported: protocol.Revisions()}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, req.Method)
	answers := s.answers[req.Method]
	if len(answers) == 0 {
		return nil, protocol.Errorf(protocol.CodeMethodNotFound, "no %s", req.Method)
	}
	if len(answers) > 1 {
		s.answers[req.Method] = answers[1:]
	}
	if err, ok := answers[0].(error); ok {
		return nil, err
	}
	return protocol.RawResult(answers[0].(string)), nil
}

const (
	handle  = `{"resultType":"task","taskId":"x","status":"working","createdAt":"2026-08-01T10:00:00Z","lastUpdatedAt":"2026-08-01T10:00:00Z","ttlMs":null}`
	running = `{"resultType":"complete","taskId":"x","status":"working","createdAt":"2026-08-01T10:00:00Z","lastUpdatedAt":"2026-08-01T10:00:00Z","ttlMs":5000,"pollIntervalMs":100}`
	done    = `{"resultType":"complete","taskId":"x","status":"completed","createdAt":"2026-08-01T10:00:00Z","lastUpdatedAt":"2026-08-01T10:00:00Z","ttlMs":5000,"result":{"content":[{"type":"text","text":"done"}]}}`
)

// Whatever a server makes of a task, the call ends, and says why.
func TestCall_OddServers(t *testing.T) {
	task := func(members string) string { return `{"resultType":"complete",` + members + `}` }
	for name, tc := range map[string]struct {
		created string
		get     []any
		want    string // of the error, or the answer
	}{
		"no id":                 {created: `{"resultType":"task","status":"working"}`, want: "it has no id"},
		"no object":             {created: `{"resultType":"task","taskId":5}`, want: "reading a task"},
		"a strange type":        {created: `{"resultType":"strange"}`, want: `unknown type "strange"`},
		"done at once":          {created: strings.Replace(done, "complete\"", "task\"", 1), want: "done"},
		"no result":             {created: handle, get: []any{task(`"taskId":"x","status":"completed"`)}, want: "has no result"},
		"a strange status":      {created: handle, get: []any{task(`"taskId":"x","status":"asleep"`)}, want: `status "asleep"`},
		"another task":          {created: handle, get: []any{task(`"taskId":"y","status":"working"`)}, want: `with the task "y"`},
		"failed without saying": {created: handle, get: []any{task(`"taskId":"x","status":"failed"`)}, want: "does not say why"},
		"failed":                {created: handle, get: []any{task(`"taskId":"x","status":"failed","error":{"code":-5,"message":"broken"}`)}, want: "broken"},
		"cancelled":             {created: handle, get: []any{task(`"taskId":"x","status":"cancelled"`)}, want: "cancelled"},
		"forgotten":             {created: handle, get: []any{running, protocol.Errorf(protocol.CodeInvalidParams, "unknown")}, want: "unknown"},
		"a hostile interval":    {created: strings.Replace(handle, `null`, `-5,"pollIntervalMs":1e300`, 1), get: []any{done}, want: "done"},
		"a question of nobody":  {created: handle, get: []any{task(`"taskId":"x","status":"input_required","inputRequests":{"a":{"method":"no/such"}}`)}, want: "does not offer no/such"},
	} {
		t.Run(name, func(t *testing.T) {
			mcptest.Bubble(t, func(t *testing.T) {
				s := &scripted{answers: map[string][]any{"tools/call": {tc.created}, "tasks/get": tc.get, "tasks/cancel": {`{"resultType":"complete"}`}}}
				got, err := mcp.Call[string](t.Context(), connect(t, s, mcp.ClientOptions{}), "any", nil)
				if err != nil {
					got = err.Error()
				}
				if !strings.Contains(got, tc.want) {
					t.Errorf("got %q, want %q", got, tc.want)
				}
			})
		})
	}
}

// That a server cannot be reached for a while does not end the waiting; that it
// cannot be reached for long does.
func TestWait_PollsFail(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		s := &scripted{answers: map[string][]any{"tools/call": {handle}, "tasks/get": {`[]`, running, `[]`, `[]`, done}}}
		c := connect(t, s, mcp.ClientOptions{})
		if text, err := mcp.Call[string](t.Context(), c, "any", nil); text != "done" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		s.answers["tasks/get"] = []any{`[]`}
		s.answers["tasks/cancel"] = []any{`{"resultType":"complete"}`}
		s.asked = nil
		if _, err := mcp.Call[string](t.Context(), c, "any", nil); err == nil {
			t.Error("it waits for what it cannot read")
		}
		if last := s.asked[len(s.asked)-1]; last != "tasks/cancel" || len(s.asked) != 8 {
			t.Errorf("it has asked %q", s.asked)
		}
	})
}

// An answer that was given once is sent until it has arrived, and not asked for again.
func TestWait_AnswersLost(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		const asks = `{"resultType":"complete","taskId":"x","status":"input_required","createdAt":"2026-08-01T10:00:00Z","lastUpdatedAt":"2026-08-01T10:00:00Z","ttlMs":5000,"inputRequests":{"who":{"method":"elicitation/create","params":{"message":"?","requestedSchema":{"type":"object","properties":{}}}}}}`
		s := &scripted{answers: map[string][]any{"tools/call": {handle}, "tasks/get": {asks, asks, asks, done}, "tasks/update": {`[]`, `{"resultType":"complete"}`}}}
		c := connect(t, s, mcp.ClientOptions{Elicit: elicit("Ada")})
		if text, err := mcp.Call[string](t.Context(), c, "any", nil); text != "done" || err != nil {
			t.Errorf("got %q, %v", text, err)
		}
		if got := strings.Count(fmt.Sprint(s.asked), "tasks/update"); got != 2 {
			t.Errorf("the answer was sent %d times", got)
		}
	})
}

// Older servers are called as ever.
func TestCall_OlderServers(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work)
		for _, rev := range protocol.Revisions()[1:] {
			c := connect(t, srv, mcp.ClientOptions{Revision: rev, Timeout: time.Hour})
			task, err := tasks.Start(t.Context(), c, "work", minutes{1}, nil)
			must(t, err)
			if result, err := task.Wait(t.Context()); err != nil || said(result) != "done" || task.ID() != "" {
				t.Errorf("%s: %q, %v", rev, said(result), err)
			}
			must(t, task.Cancel(t.Context()))
			if result, err := tasks.Call(t.Context(), c, "work", minutes{1}, nil); err != nil || said(result) != "done" {
				t.Errorf("%s: %v", rev, err)
			}
		}
		if _, err := tasks.Start(t.Context(), connect(t, srv, mcp.ClientOptions{}), "work", func() {}, nil); err == nil {
			t.Error("a function was sent")
		}
	})
}

// A session's task that is cancelled takes back the question that its client is
// answering.
func TestSession_QuestionWithdrawn(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, interview)
		taken := make(chan error, 1)
		c := connect(t, srv, mcp.ClientOptions{Revision: protocol.Rev20251125, Elicit: func(ctx context.Context, _ mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
			<-ctx.Done()
			taken <- ctx.Err()
			return mcp.Answer[json.RawMessage]{}, ctx.Err()
		}})
		raw, err := c.Request(t.Context(), "tools/call", []byte(`{"name":"interview","task":{"ttl":60000}}`), nil)
		must(t, err)
		var created struct{ Task struct{ TaskID string } }
		must(t, json.Unmarshal(raw, &created))
		ended := make(chan error, 1)
		var waiting sync.WaitGroup
		waiting.Go(func() {
			_, err := ask(t.Context(), c, "tasks/result", map[string]any{"taskId": created.Task.TaskID})
			ended <- err
		})
		synctest.Wait()
		_, err = ask(t.Context(), c, "tasks/cancel", map[string]any{"taskId": created.Task.TaskID})
		must(t, err)
		waiting.Wait()
		if err := <-ended; code(err) != protocol.CodeInternal || !strings.Contains(err.Error(), "cancelled") {
			t.Errorf("the result is %v", err)
		}
		if err := <-taken; !errors.Is(err, context.Canceled) {
			t.Errorf("the question ended with %v", err)
		}
	})
}

// Tasks are listed page by page, to those who own them.
func TestSession_List(t *testing.T) {
	mcptest.Bubble(t, func(t *testing.T) {
		srv, _ := serve(t, tasks.Options{}, work)
		c := connect(t, as{srv, "alice"}, mcp.ClientOptions{Revision: protocol.Rev20251125})
		for range 150 {
			_, err := c.Request(t.Context(), "tools/call", []byte(`{"name":"work","arguments":{"minutes":0},"task":{}}`), nil)
			must(t, err)
		}
		_, err := connect(t, as{srv, "bob"}, mcp.ClientOptions{Revision: protocol.Rev20251125}).Request(t.Context(), "tools/call", []byte(`{"name":"work","arguments":{"minutes":0},"task":{}}`), nil)
		must(t, err)
		seen := make(map[string]bool)
		params := map[string]any{}
		for pages := 1; ; pages++ {
			raw, err := ask(t.Context(), c, "tasks/list", params)
			must(t, err)
			var page struct {
				Tasks      []struct{ TaskID string }
				NextCursor string
			}
			must(t, json.Unmarshal([]byte(raw), &page))
			for _, task := range page.Tasks {
				seen[task.TaskID] = true
			}
			if page.NextCursor == "" {
				if pages != 2 {
					t.Errorf("there are %d pages", pages)
				}
				break
			}
			params["cursor"] = page.NextCursor
		}
		if len(seen) != 150 {
			t.Errorf("%d tasks are listed", len(seen))
		}
	})
}
