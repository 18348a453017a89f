package tasks_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// Whatever is asked of tasks, the answer is JSON or a protocol error that does not
// blame the server.
func FuzzServe(f *testing.F) {
	for _, method := range []string{"tasks/get", "tasks/update", "tasks/cancel", "tasks/result", "tasks/list"} {
		for _, params := range []string{``, `{}`, `[]`, `{"taskId":"x"}`, `{"taskId":null}`, `{"taskId":"","inputResponses":{"a":1}}`, `{"cursor":"MTIgeA"}`, `{"taskId":"x","taskId":"y"}`} {
			f.Add(method, params, true)
		}
	}
	runner := tasks.New(&tasks.Options{Log: quiet})
	f.Cleanup(func() { must(f, runner.Close()) })
	task, err := runner.Begin(f.Context(), protocol.TaskStart{Tool: "t", Request: new(protocol.Request), Cancel: func(error) {}})
	must(f, err)
	task.End(mcp.Text("done"), false, nil)
	wire, err := task.Handle().AppendJSON(nil, protocol.Latest)
	must(f, err)
	var handle struct{ TaskID string }
	must(f, json.Unmarshal(wire, &handle))
	f.Fuzz(func(t *testing.T, method, params string, modern bool) {
		if params != "" && !json.Valid([]byte(params)) {
			return // transports have refused it
		}
		req := &protocol.Request{Method: method, Params: json.RawMessage(params), Meta: protocol.RequestMeta{Revision: protocol.Rev20251125}}
		if modern {
			req.Meta.Revision = protocol.Latest
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		result, err := runner.Serve(ctx, req, func(string) error { return nil })
		if err != nil {
			if c := code(err); c != protocol.CodeInvalidParams && c != protocol.CodeMethodNotFound {
				t.Errorf("%s %s: %v", method, params, err)
			}
			return
		}
		answer, err := result.AppendJSON(nil, req.Meta.Revision)
		if err != nil || !json.Valid(answer) {
			t.Errorf("%s %s: %s, %v", method, params, answer, err)
		}
	})
}
