package tasks_test

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/transport"
	"github.com/dougu-go/dougu/transport/httpclient"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// over serves a server over HTTP and connects a client that takes tasks.
func over(t *testing.T, srv *mcp.Server, o mcp.ClientOptions) (*mcp.Client, string) {
	t.Helper()
	h := httpserver.NewHandler(srv, &httpserver.Options{Log: quiet})
	web := httptest.NewServer(h)
	t.Cleanup(func() {
		web.CloseClientConnections()
		web.Close()
		must(t, h.Shutdown(context.WithoutCancel(t.Context())))
	})
	tasks.Declare(&o)
	client, err := mcp.Connect(t.Context(), &httpclient.Client{URL: web.URL, Options: &transport.Options{Log: quiet}}, mcp.Implementation{Name: "c", Version: "1"}, &o)
	must(t, err)
	t.Cleanup(func() { must(t, client.Close()) })
	return client, web.URL
}

// Over HTTP a task outlives the request that has brought it, and the header names it.
func TestHTTP_Modern(t *testing.T) {
	release := make(chan struct{})
	held := tool("held", func(ctx context.Context, _ none) (string, error) {
		select {
		case <-release:
			return "done", nil
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	})
	srv, _ := serve(t, tasks.Options{PollInterval: 20 * time.Millisecond}, held, interview)
	c, url := over(t, srv, mcp.ClientOptions{Elicit: elicit("Ada", "Bea", "Cid")})
	if text, err := mcp.Call[string](t.Context(), c, "interview", none{}); text != "Ada, Bea, Cid" || err != nil {
		t.Errorf("the answer is %q, %v", text, err)
	}
	task := start(t, c, "held", none{})
	is(t, task, tasks.Working)
	const get = `{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"taskId":"ID","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}}}`
	for header, want := range map[string]int{task.ID(): http.StatusOK, "another": http.StatusBadRequest, "": http.StatusBadRequest} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(strings.ReplaceAll(get, "ID", task.ID())))
		must(t, err)
		req.Header = http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tasks/get"}}
		if header != "" {
			req.Header.Set("Mcp-Name", header)
		}
		resp, err := http.DefaultClient.Do(req)
		must(t, err)
		must(t, resp.Body.Close())
		if resp.StatusCode != want {
			t.Errorf("with the header %q the status is %d, want %d", header, resp.StatusCode, want)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	close(release)
	if result, err := task.Wait(t.Context()); err != nil || said(result) != "done" {
		t.Errorf("in the end %q, %v", said(result), err)
	}
}

// In a session of 2025-11-25 tools are called as ever, unless the client asks for a
// task; the questions of one come on the stream of tasks/result.
func TestHTTP_Session(t *testing.T) {
	srv, _ := serve(t, tasks.Options{}, interview)
	c, _ := over(t, srv, mcp.ClientOptions{Revision: protocol.Rev20251125, Elicit: elicit("Ada", "Bea", "Cid", "Dan", "Eve", "Fay")})
	if text, err := mcp.Call[string](t.Context(), c, "interview", none{}); text != "Ada, Bea, Cid" || err != nil {
		t.Errorf("a call: %q, %v", text, err)
	}
	raw, err := c.Request(t.Context(), "tools/call", []byte(`{"name":"interview","task":{}}`), nil)
	must(t, err)
	_, rest, _ := strings.Cut(string(raw), `"taskId":"`)
	id, _, _ := strings.Cut(rest, `"`)
	got, err := ask(t.Context(), c, "tasks/result", map[string]any{"taskId": id})
	if err != nil || !strings.Contains(got, `"text":"Dan, Eve, Fay"`) || !strings.Contains(got, `"io.modelcontextprotocol/related-task":{"taskId":"`+id+`"}`) {
		t.Errorf("the result is %s, %v", got, err)
	}
	if _, err := ask(t.Context(), c, "tasks/list", map[string]any{}); code(err) != protocol.CodeMethodNotFound {
		t.Errorf("a list of tasks of nobody: %v", err)
	}
	for tool, err := range c.Tools(t.Context()) {
		if must(t, err); tool.TaskSupport() != mcp.TaskOptional {
			t.Errorf("%s says %q of tasks", tool.Name, tool.TaskSupport())
		}
	}
}
