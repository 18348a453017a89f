package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// Declare enables tasks for clients with these options. CallTool and mcp.Call then wait for the end
// of a call that becomes a task, and answer its questions as in other calls. When the context of
// the call ends, the task is cancelled. Only the context and the server limit the time of a task.
func Declare(o *mcp.ClientOptions) {
	o.Extensions = maps.Clone(o.Extensions)
	if o.Extensions == nil {
		o.Extensions = make(map[string]json.RawMessage, 1)
	}
	o.Extensions[ID] = json.RawMessage(`{}`)
	o.Task = await
}

// CallOptions configures one call. Nil selects the defaults.
type CallOptions struct {
	mcp.CallOptions
	// OnChange, if set, receives the first state of the task and every changed state that polling
	// finds.
	OnChange func(Info)
}

// onChangeKey is the context key of CallOptions.OnChange.
type onChangeKey struct{}

// Call is mcp.Client.CallTool with more options. The options of the client need Declare; without it
// no call becomes a task.
func Call(ctx context.Context, c *mcp.Client, name string, args any, o *CallOptions) (*mcp.ToolResult, error) {
	if o == nil {
		o = new(CallOptions)
	}
	return c.CallTool(context.WithValue(ctx, onChangeKey{}, o.OnChange), name, args, &o.CallOptions)
}

// await implements mcp.ClientOptions.Task.
func await(ctx context.Context, c *mcp.Client, created json.RawMessage) (json.RawMessage, error) {
	t, err := newTask(c, created)
	if err != nil {
		return nil, err
	}
	onChange, _ := ctx.Value(onChangeKey{}).(func(Info))
	info, err := t.watch(ctx, onChange)
	if err != nil {
		t.cancelAbandoned(ctx)
		return nil, err
	}
	return info.outcome()
}

// Start calls a tool and returns after the first response. Usually the response is a running task;
// Task.Wait waits for its end. If the server returns the result at once, the task has ended
// already. The options of the client need Declare.
func Start(ctx context.Context, c *mcp.Client, name string, args any, o *mcp.CallOptions) (*Task, error) {
	params := jsonx.AppendQuoted([]byte(`{"name":`), name)
	if args != nil {
		raw, err := json.Marshal(args)
		if err != nil {
			return nil, fmt.Errorf("encoding the arguments of %s: %w", name, err)
		}
		params = append(append(params, `,"arguments":`...), raw...)
	}
	raw, err := c.Request(ctx, "tools/call", append(params, '}'), o)
	if err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	var head struct {
		Type string `json:"resultType"`
	}
	if err := json.Unmarshal(raw, &head); err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	switch head.Type {
	case "task":
		return newTask(c, raw)
	case "", "complete":
		return &Task{client: c, last: Info{Status: Completed, raw: raw}}, nil
	}
	return nil, fmt.Errorf("calling %s: the server's result has the unknown type %q", name, head.Type)
}

// Open returns a task that was started earlier, perhaps by another client; its id can be stored.
// Open does not contact the server.
func Open(c *mcp.Client, id string) *Task {
	return &Task{client: c, last: Info{ID: id, Status: Working}}
}
