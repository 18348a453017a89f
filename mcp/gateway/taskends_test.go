package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
)

// restarting is an upstream that is another server with each connection.
type restarting struct {
	t   *testing.T
	rev protocol.Revision

	mu     sync.Mutex
	worlds []*taskWorld
	conns  []protocol.Conn
}

// Connect implements protocol.Transport.
func (r *restarting) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	w := newTaskWorld(r.t)
	conn, err := speaking{transport.InMemory{Server: w.srv}, r.rev}.Connect(ctx, host)
	r.worlds, r.conns = append(r.worlds, w), append(r.conns, conn)
	return conn, err
}

// kill ends the last connection, and returns how many there have been.
func (r *restarting) kill() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	_ = r.conns[len(r.conns)-1].Close() // ending the connection is intended; the error does not matter
	return len(r.conns)
}

func TestTasks_UpstreamRestarts(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			up := &restarting{t: t, rev: rev}
			g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(up)})
			s := newSession(t, g)
			var opts mcp.ClientOptions
			tasks.Declare(&opts)
			c := connect(t, g, protocol.Latest, opts)
			id := s.begin("up_work")
			task, err := tasks.Start(t.Context(), c, "up_work", nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			before := up.kill()
			waittest.Until(t, "the upstream is back", func() bool {
				up.mu.Lock()
				defer up.mu.Unlock()
				return len(up.conns) > before
			})
			var all sync.WaitGroup
			for range 8 { // the same is told to all that ask at once
				all.Go(func() { s.expect("tasks/get", id, "while the task was at work") })
			}
			all.Wait()
			s.expect("tasks/get", id, "The server up was restarted while the task was at work")
			s.expect("tasks/get", id, `"status":"failed"`)
			s.refuse("tasks/result", id, protocol.CodeInternal, "its work may be done or not")
			s.refuse("tasks/cancel", id, protocol.CodeInvalidParams, "failed")
			s.expect("tasks/list", "", id)
			var refused *protocol.Error
			if _, err := task.Wait(t.Context()); !errors.As(err, &refused) || !strings.Contains(refused.Message, "was restarted") {
				t.Errorf("the task of a modern client ends with %v", err)
			}
			// An id of the upstream that was never a task is unknown rather than lost.
			s.refuse("tasks/get", id[:len(id)-2], protocol.CodeInvalidParams, "nknown task")
		})
	}
}

// A gateway with the same key knows the ids of the one before it.
func TestTasks_GatewayRestarts(t *testing.T) {
	w := newTaskWorld(t)
	for _, below := range []string{"local", string(protocol.Rev20251125), string(protocol.Latest)} {
		t.Run(below, func(t *testing.T) {
			key := []byte(strings.Repeat("k", 32))
			id := newSession(t, as(newGateway(t, gateway.Options{TaskKey: key}, w.upstream(below)), "alice")).begin("up_work")
			g := newGateway(t, gateway.Options{TaskKey: key}, w.upstream(below))
			s := newSession(t, as(g, "alice"))
			s.expect("tasks/get", id, `"status":"working"`)
			w.words <- "worked"
			s.expect("tasks/result", id, "worked")
			s.expect("tasks/list", "", id)
			newSession(t, as(g, "eve")).refuse("tasks/get", id, protocol.CodeInvalidParams, "nknown task")
		})
	}
}

// A tool of 2026-07-28 may answer without a task; a client of 2025-11-25 that wants one
// gets one that has ended.
func TestTasks_AnsweredAtOnce(t *testing.T) {
	w := newTaskWorld(t)
	s := newSession(t, newGateway(t, gateway.Options{}, w.upstream(string(protocol.Latest))))
	id := s.begin("up_plain")
	s.expect("tasks/get", id, `"status":"completed"`)
	s.expect("tasks/result", id, "at once")
	s.expect("tasks/list", "", id)
	s.refuse("tasks/cancel", id, protocol.CodeInvalidParams, "completed")
}

// withAnswers is an upstream of 2025-11-25 that answers as a test says.
type withAnswers struct {
	protocol.Conn
	answer func(req *protocol.Request) (string, error)
}

// Dispatch implements protocol.Dispatcher.
func (s withAnswers) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	if req.Method != "tools/call" && !strings.HasPrefix(req.Method, "tasks/") {
		return s.Conn.Dispatch(ctx, req)
	}
	raw, err := s.answer(req)
	if err != nil {
		return nil, err
	}
	return protocol.RawResult(raw), nil
}

// scripting connects to a world, and then answers itself.
type scripting struct {
	w        *taskWorld
	answer   func(req *protocol.Request) (string, error)
	notified chan func(protocol.Notification)
}

// Connect implements protocol.Transport.
func (s scripting) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := speaking{transport.InMemory{Server: s.w.srv}, protocol.Rev20251125}.Connect(ctx, host)
	if s.notified != nil {
		s.notified <- host.Notified
	}
	return withAnswers{conn, s.answer}, err
}

func TestTasks_HostileUpstream(t *testing.T) {
	long := strings.Repeat("x", 5000)
	for name, answer := range map[string]string{
		"no id":          `{"task":{"status":"working"}}`,
		"a long id":      `{"task":{"taskId":"` + long + `","status":"working"}}`,
		"a number":       `{"task":{"taskId":1,"status":"working"}}`,
		"unknown status": `{"task":{"taskId":"a","status":"dancing"}}`,
		"odd times":      `{"task":{"taskId":"a","status":"working","createdAt":7}}`,
		"a huge ttl":     `{"task":{"taskId":"a","status":"working","ttl":1e300,"pollInterval":-5}}`,
		"no object":      `[]`,
	} {
		t.Run(name, func(t *testing.T) {
			up := scripting{w: newTaskWorld(t), answer: func(*protocol.Request) (string, error) { return answer, nil }}
			s := newSession(t, newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(up)}))
			raw, err := s.send("tools/call", `{"name":"up_work","task":{}}`)
			if name == "a huge ttl" {
				if err != nil || !strings.Contains(raw, `"pollInterval":0`) {
					t.Errorf("%s, %v", raw, err)
				}
				return
			}
			var refused *protocol.Error
			if !errors.As(err, &refused) || len(refused.Message) > 500 {
				t.Errorf("the call is answered with %s, %v", raw, err)
			}
		})
	}
}

// The ttl that a client wants reaches the upstream, and the progress of a task reaches
// the client after its call was answered.
func TestTasks_TTLAndProgress(t *testing.T) {
	var params []string
	var mu sync.Mutex
	expired := false
	const state = `"taskId":"t1","status":"working","createdAt":"2026-01-01T00:00:00Z","lastUpdatedAt":"2026-01-01T00:00:00Z","ttl":60000`
	up := scripting{w: newTaskWorld(t), notified: make(chan func(protocol.Notification), 1), answer: func(req *protocol.Request) (string, error) {
		mu.Lock()
		defer mu.Unlock()
		params = append(params, string(req.Params))
		if req.Method == "tools/call" {
			return `{"task":{` + state + `}}`, nil
		}
		if !expired {
			return `{` + state + `}`, nil
		}
		return "", protocol.Errorf(protocol.CodeInvalidParams, "Task not found")
	}}
	g := newGateway(t, gateway.Options{}, gateway.Upstream{Name: "up", Connect: gateway.Always(up)})
	var told heard
	conn, err := speaking{transport.InMemory{Server: g}, protocol.Rev20251125}.Connect(t.Context(), &protocol.Host{Notified: func(n protocol.Notification) {
		told.add(n.Method() + string(n.AppendParams(nil, protocol.Rev20251125)))
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() }) // its end does not matter
	result, err := conn.Dispatch(t.Context(), &protocol.Request{
		Method: "tools/call", Params: json.RawMessage(`{"name":"up_work","arguments":{},"task":{"ttl":60000}}`),
		Notify: func(context.Context, protocol.Notification) error { return nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := result.AppendJSON(nil, protocol.Rev20251125)
	if err != nil || !strings.Contains(string(raw), `"ttl":60000`) {
		t.Errorf("the task is %s, %v", raw, err)
	}
	mu.Lock()
	if !strings.Contains(params[0], `"task":{"ttl":60000}`) || !strings.Contains(params[0], `"name":"work"`) {
		t.Errorf("the upstream is sent %s", params[0])
	}
	mu.Unlock()
	var created struct {
		Task struct {
			ID string `json:"taskId"`
		} `json:"task"`
	}
	if err := json.Unmarshal(raw, &created); err != nil {
		t.Fatal(err)
	}
	notify := <-up.notified
	progress := &protocol.RawNotification{Name: "notifications/progress", Params: json.RawMessage(`{"progressToken":"p9","progress":3,"total":4,"message":"nearly","_meta":{"io.modelcontextprotocol/related-task":{"taskId":"t1"}}}`)}
	waittest.Until(t, "the progress is told", func() bool {
		notify(progress) // the session may not listen yet
		told.mu.Lock()
		defer told.mu.Unlock()
		return strings.Contains(strings.Join(told.all, "\n"), `"nearly"`)
	})
	// The task has expired there.
	mu.Lock()
	expired = true
	mu.Unlock()
	if _, err := conn.Dispatch(t.Context(), &protocol.Request{Method: "tasks/get", Params: json.RawMessage(`{"taskId":"` + created.Task.ID + `"}`)}); err == nil || !strings.Contains(err.Error(), "nknown task") {
		t.Errorf("an expired task: %v", err)
	}
}

// The member task of a revision that does not have it begins no task at the upstream.
func TestTasks_MemberOfOtherRevisions(t *testing.T) {
	w := newTaskWorld(t)
	g := newGateway(t, gateway.Options{}, w.upstream(string(protocol.Rev20251125)))
	for _, rev := range []protocol.Revision{protocol.Rev20250618, protocol.Latest} {
		for _, member := range []string{`"task":{}`, `"task":5`, `"t\u0061sk":{}`} {
			w.words <- "worked"
			raw, err := connect(t, g, rev, mcp.ClientOptions{}).Request(t.Context(), "tools/call", []byte(`{"name":"up_work","arguments":{},`+member+`}`), nil)
			if err != nil || !strings.Contains(string(raw), `"text":"worked"`) {
				t.Errorf("%s with %s: %s, %v", rev, member, raw, err)
			}
		}
	}
}
