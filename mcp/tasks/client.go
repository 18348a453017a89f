package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// Declare makes the clients that are connected with these options take tasks: their
// CallTool, and mcp.Call, wait for the end of a call that has become one, and answer
// its questions as they would in another call. When the context of the call ends,
// the task is cancelled. How long a task takes is bounded by that context alone,
// and by the server.
func Declare(o *mcp.ClientOptions) {
	o.Extensions = maps.Clone(o.Extensions)
	if o.Extensions == nil {
		o.Extensions = make(map[string]json.RawMessage, 1)
	}
	o.Extensions[ID] = json.RawMessage(`{}`)
	o.Task = await
}

// CallOptions are for one call. Nil has the defaults.
type CallOptions struct {
	mcp.CallOptions
	// OnChange, if set, receives the call's task whenever it has been asked for and
	// has changed, from the beginning on.
	OnChange func(Info)
}

type onChangeKey struct{}

// Call is mcp.Client.CallTool with more options. The client must have been connected
// with options that Declare has seen, else no call ever becomes a task.
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
		t.abandon(ctx)
		return nil, err
	}
	return info.outcome()
}

// Start calls a tool and returns as soon as it is answered, in most cases with a
// task that is at work: Task.Wait waits for its end. Where the server answers with
// the result itself, or does not know tasks, the task has ended. The client must
// have been connected with options that Declare has seen.
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

// Open returns a task that was started before, perhaps by a client that is gone: an
// id may be written down. Nothing is asked of the server yet.
func Open(c *mcp.Client, id string) *Task {
	return &Task{client: c, last: Info{ID: id, Status: Working}}
}
