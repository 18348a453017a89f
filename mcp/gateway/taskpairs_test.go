package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
)

// taskWorld is an upstream with tools of every task support.
type taskWorld struct {
	srv   *mcp.Server
	words chan string // result text that ends the tool work
	ended chan error  // why a work has ended
}

func newTaskWorld(t *testing.T) *taskWorld {
	t.Helper()
	runner := tasks.New(&tasks.Options{PollInterval: 20 * time.Millisecond})
	t.Cleanup(func() {
		if err := runner.Close(); err != nil {
			t.Error(err)
		}
	})
	w := &taskWorld{words: make(chan string, 10), ended: make(chan error, 10)}
	w.srv = mcp.NewServer(mcp.Implementation{Name: "world", Version: "1"}, &mcp.ServerOptions{Tasks: runner})
	tool := func(name string, support mcp.TaskSupport, h func(context.Context) (string, error)) mcp.ServerTool {
		return mcp.NewTool(mcp.Tool{Name: name}, func(ctx context.Context, _ struct{}) (string, error) { return h(ctx) }).With(mcp.ToolOptions{Task: support})
	}
	work := func(ctx context.Context) (string, error) {
		mcp.Progress(ctx, 1, 2, "half")
		select {
		case word := <-w.words:
			return word, nil
		case <-ctx.Done():
			w.ended <- context.Cause(ctx)
			return "", context.Cause(ctx)
		}
	}
	err := w.srv.Replace("test", mcp.Features{Tools: []mcp.ServerTool{
		tool("work", mcp.TaskOptional, work),
		tool("must", mcp.TaskRequired, work),
		tool("plain", "", func(context.Context) (string, error) { return "at once", nil }),
		tool("fails", mcp.TaskOptional, func(context.Context) (string, error) { return "", errors.New("no luck") }),
		tool("breaks", mcp.TaskOptional, func(context.Context) (string, error) { return "", protocol.Errorf(-5, "broken") }),
		tool("asks", mcp.TaskOptional, func(ctx context.Context) (string, error) {
			answer, err := mcp.Elicit[approval](ctx, "sure", "Really?")
			if err != nil {
				return "", err
			}
			return string(answer.Action) + " " + answer.Value.Why, nil
		}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// upstream is the world behind a connection: "local", or a revision.
func (w *taskWorld) upstream(below string) gateway.Upstream {
	if below == "local" {
		return gateway.Upstream{Name: "up", Server: w.srv}
	}
	return gateway.Upstream{Name: "up", Asks: true, Connect: inMemory(w.srv, protocol.Revision(below))}
}

var taskUpstreams = []string{"local", string(protocol.Rev20251125), string(protocol.Latest)}

// session is a client of 2025-11-25 with scripted messages.
type session struct {
	protocol.Conn
	t      *testing.T
	mu     sync.Mutex
	status []string // params of notifications/tasks/status
	asked  []string // params of questions
}

func newSession(t *testing.T, d protocol.Dispatcher) *session {
	t.Helper()
	s := &session{t: t}
	host := &protocol.Host{
		Capabilities: protocol.ClientCapabilities{Elicitation: &protocol.ElicitationCapability{Form: new(struct{})}},
		Answer: func(_ context.Context, q protocol.InputRequest) (json.RawMessage, error) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.asked = append(s.asked, string(q.Params))
			return json.RawMessage(`{"action":"accept","content":{"really":true,"why":"because"}}`), nil
		},
		Notified: func(n protocol.Notification) {
			s.mu.Lock()
			defer s.mu.Unlock()
			if n.Method() == "notifications/tasks/status" {
				s.status = append(s.status, string(n.AppendParams(nil, protocol.Rev20251125)))
			}
		},
	}
	var err error
	if s.Conn, err = (speaking{transport.InMemory{Server: d}, protocol.Rev20251125}).Connect(t.Context(), host); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() }) // its end does not matter
	return s
}

// send sends a request and returns its result as it has come, or the error.
func (s *session) send(method, params string) (string, error) {
	result, err := s.Dispatch(s.t.Context(), &protocol.Request{Method: method, Params: json.RawMessage(params)})
	if err != nil {
		return "", err
	}
	raw, err := result.AppendJSON(nil, protocol.Rev20251125)
	return string(raw), err
}

// begin calls a tool as a task and returns its id.
func (s *session) begin(name string) string {
	s.t.Helper()
	raw, err := s.send("tools/call", `{"name":"`+name+`","arguments":{},"task":{"ttl":60000}}`)
	var created struct {
		Task struct {
			ID string `json:"taskId"`
		} `json:"task"`
	}
	if err != nil || json.Unmarshal([]byte(raw), &created) != nil || !strings.HasPrefix(created.Task.ID, "gwt.") {
		s.t.Fatalf("calling %s as a task: %s, %v", name, raw, err)
	}
	return created.Task.ID
}

// expect sends a request about a task whose result must contain text.
func (s *session) expect(method, id, text string) {
	s.t.Helper()
	raw, err := s.send(method, `{"taskId":"`+id+`"}`)
	if err != nil || !strings.Contains(raw, text) {
		s.t.Errorf("%s: %s, %v; want %s", method, raw, err, text)
	}
}

// refuse sends a request about a task that must fail with code.
func (s *session) refuse(method, id string, code int64, text string) {
	s.t.Helper()
	raw, err := s.send(method, `{"taskId":"`+id+`"}`)
	var refused *protocol.Error
	if !errors.As(err, &refused) || refused.Code != code || !strings.Contains(refused.Message, text) {
		s.t.Errorf("%s: %s, %v; want error %d with %q", method, raw, err, code, text)
	}
}

func TestTasks_SessionInFrontOf(t *testing.T) {
	for _, below := range taskUpstreams {
		t.Run(below, func(t *testing.T) {
			w := newTaskWorld(t)
			g := newGateway(t, gateway.Options{}, w.upstream(below))
			s := newSession(t, as(g, "alice"))
			if got := string(s.Discovered().Capabilities.Other["tasks"]); !strings.Contains(got, `"list"`) || !strings.Contains(got, `"call"`) {
				t.Errorf("the capability is %s", got)
			}
			listed, err := s.send("tools/list", `{}`)
			if err != nil || !strings.Contains(listed, `"taskSupport":"required"`) || !strings.Contains(listed, `"taskSupport":"optional"`) {
				t.Errorf("the tools are %s, %v", listed, err)
			}

			// A plain call, and one that must be a task.
			if raw, err := s.send("tools/call", `{"name":"up_plain"}`); err != nil || !strings.Contains(raw, "at once") {
				t.Errorf("a plain call: %s, %v", raw, err)
			}
			var refused *protocol.Error
			if _, err := s.send("tools/call", `{"name":"up_must","arguments":{}}`); !errors.As(err, &refused) || refused.Code != protocol.CodeMethodNotFound {
				t.Errorf("a tool that requires a task: %v", err)
			}

			// The life of a task.
			id := s.begin("up_must")
			s.expect("tasks/get", id, `"status":"working"`)
			s.expect("tasks/list", "", id)
			w.words <- "worked"
			s.expect("tasks/result", id, `"text":"worked"`)
			s.expect("tasks/result", id, `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`)
			s.expect("tasks/get", id, `"status":"completed"`)
			s.refuse("tasks/cancel", id, protocol.CodeInvalidParams, "completed")
			waittest.Until(t, "the end is told", func() bool {
				s.mu.Lock()
				defer s.mu.Unlock()
				return len(s.status) > 0 && strings.Contains(s.status[len(s.status)-1], `"status":"completed"`) && strings.Contains(s.status[len(s.status)-1], id)
			})

			// Cancellation.
			id = s.begin("up_work")
			s.expect("tasks/cancel", id, `"status":"cancelled"`)
			if err := <-w.ended; !errors.Is(err, tasks.ErrCancelled) {
				t.Errorf("the work has ended with %v", err)
			}
			s.expect("tasks/get", id, `"status":"cancelled"`)
			s.refuse("tasks/result", id, protocol.CodeInternal, "cancelled")

			// Failures: the result of a tool, and an error of the protocol.
			id = s.begin("up_fails")
			s.expect("tasks/result", id, `"isError":true`)
			s.expect("tasks/get", id, `"status":"failed"`)
			id = s.begin("up_breaks")
			s.refuse("tasks/result", id, -5, "broken")
			s.expect("tasks/get", id, `"status":"failed"`)

			// A question.
			id = s.begin("up_asks")
			s.expect("tasks/result", id, "accept because")
			s.mu.Lock()
			if len(s.asked) != 1 || !strings.Contains(s.asked[0], `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`) {
				t.Errorf("the client was asked %q", s.asked)
			}
			s.mu.Unlock()

			// Tasks of others do not exist.
			eve := newSession(t, as(g, "eve"))
			for _, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
				eve.refuse(method, id, protocol.CodeInvalidParams, "nknown task")
			}
			if raw, err := eve.send("tasks/list", `{}`); err != nil || raw != `{"tasks":[]}` {
				t.Errorf("eve's tasks are %s, %v", raw, err)
			}
		})
	}
}

func TestTasks_ModernInFrontOf(t *testing.T) {
	for _, below := range taskUpstreams {
		t.Run(below, func(t *testing.T) {
			w := newTaskWorld(t)
			g := newGateway(t, gateway.Options{}, w.upstream(below))
			var asked []string
			opts := mcp.ClientOptions{Elicit: func(_ context.Context, form mcp.ElicitForm) (mcp.Answer[json.RawMessage], error) {
				asked = append(asked, form.Message)
				return mcp.Answer[json.RawMessage]{Action: mcp.Accept, Value: json.RawMessage(`{"really":true,"why":"because"}`)}, nil
			}}
			tasks.Declare(&opts)
			c := connect(t, as(g, "alice"), protocol.Latest, opts)
			if names := strings.Join(toolNames(t, c), " "); !strings.Contains(names, "up_must") {
				t.Errorf("the tools are %s", names)
			}
			task, err := tasks.Start(t.Context(), c, "up_must", nil, nil)
			if err != nil || !strings.HasPrefix(task.ID(), "gwt.") {
				t.Fatalf("the task is %+v, %v", task, err)
			}
			var told heard
			sub, err := c.Subscribe(t.Context(), protocol.SubscriptionFilter{TaskIDs: []string{task.ID()}}, func(n protocol.Notification) {
				told.add(string(n.AppendParams(nil, protocol.Latest)))
			})
			if err != nil || len(sub.Filter().TaskIDs) != 1 {
				t.Fatalf("the subscription is for %+v, %v", sub.Filter(), err)
			}
			w.words <- "worked"
			result, err := task.Wait(t.Context())
			if err != nil || result.Content[0].(mcp.TextContent).Text != "worked" {
				t.Errorf("the result is %+v, %v", result, err)
			}
			waittest.Until(t, "the end is told with its result", func() bool {
				told.mu.Lock()
				defer told.mu.Unlock()
				all := strings.Join(told.all, "")
				return strings.Contains(all, `"status":"completed"`) && strings.Contains(all, `"text":"worked"`) && strings.Contains(all, task.ID())
			})
			if err := sub.Close(); err != nil {
				t.Error(err)
			}

			task, err = tasks.Start(t.Context(), c, "up_work", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			if err := task.Cancel(t.Context()); err != nil {
				t.Error(err)
			}
			if _, err := task.Wait(t.Context()); !errors.Is(err, tasks.ErrCancelled) {
				t.Errorf("the cancelled task has ended with %v", err)
			}
			if err := <-w.ended; !errors.Is(err, tasks.ErrCancelled) {
				t.Errorf("the work has ended with %v", err)
			}

			var failure *mcp.ToolFailure
			if _, err := mcp.Call[string](t.Context(), c, "up_fails", struct{}{}); !errors.As(err, &failure) {
				t.Errorf("a tool that fails: %v", err)
			}
			var refused *protocol.Error
			if _, err := mcp.Call[string](t.Context(), c, "up_breaks", struct{}{}); !errors.As(err, &refused) || refused.Code != -5 {
				t.Errorf("a call that is refused: %v", err)
			}
			if got := call(t, c, "up_asks", struct{}{}); got != "accept because" || len(asked) != 1 {
				t.Errorf("with a question: %q, asked %q", got, asked)
			}

			eve := connect(t, as(g, "eve"), protocol.Latest, opts)
			if _, err := tasks.Open(eve, task.ID()).Get(t.Context()); err == nil || !strings.Contains(err.Error(), "nknown task") {
				t.Errorf("somebody else gets %v", err)
			}
		})
	}
}

// A client that cannot take tasks calls the same tools without.
func TestTasks_ClientsWithout(t *testing.T) {
	for _, below := range taskUpstreams {
		for _, above := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
			t.Run(string(above)+" in front of "+below, func(t *testing.T) {
				w := newTaskWorld(t)
				g := newGateway(t, gateway.Options{}, w.upstream(below))
				c := connect(t, g, above, mcp.ClientOptions{})
				names := strings.Join(toolNames(t, c), " ")
				if strings.Contains(names, "must") || !strings.Contains(names, "up_work") {
					t.Errorf("the tools are %s", names)
				}
				w.words <- "worked"
				if got := call(t, c, "up_work", struct{}{}); got != "worked" {
					t.Errorf("a plain call says %q", got)
				}
				raw, err := c.Request(t.Context(), "tools/call", []byte(`{"name":"up_must","arguments":{}}`), nil)
				var refused *protocol.Error
				if above.Modern() && (!errors.As(err, &refused) || refused.Code != protocol.CodeMissingCapability) {
					t.Errorf("a tool that requires a task: %s, %v", raw, err)
				}
				if !above.Modern() && !strings.Contains(string(raw), "MISSING_CAPABILITY") {
					t.Errorf("a tool that requires a task: %s, %v", raw, err)
				}
				if raw, err := c.Request(t.Context(), "tasks/list", nil, nil); err == nil {
					t.Errorf("tasks/list is answered with %s", raw)
				}
			})
		}
	}
}
