package tasks_test

import (
	"encoding/json"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/tasks"
)

// BenchmarkGet is what a poll costs beside what carries it.
func BenchmarkGet(b *testing.B) {
	runner := tasks.New(&tasks.Options{Log: quiet})
	defer runner.Close()
	task, err := runner.Begin(b.Context(), protocol.TaskStart{Tool: "t", Request: new(protocol.Request), Cancel: func(error) {}})
	must(b, err)
	defer task.End(mcp.Text("done"), false, nil)
	task.Report("half of it is done")
	wire, err := task.Handle().AppendJSON(nil, protocol.Latest)
	must(b, err)
	var handle struct{ TaskID string }
	must(b, json.Unmarshal(wire, &handle))
	req := &protocol.Request{Method: "tasks/get", Params: json.RawMessage(`{"taskId":"` + handle.TaskID + `","_meta":{}}`), Meta: protocol.RequestMeta{Revision: protocol.Latest}}
	b.ReportAllocs()
	for b.Loop() {
		result, err := runner.Serve(b.Context(), req, nil)
		if err != nil {
			b.Fatal(err)
		}
		if wire, err = result.AppendJSON(wire[:0], protocol.Latest); err != nil {
			b.Fatal(err)
		}
	}
}
