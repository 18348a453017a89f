package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// CallOptions are for one request. Nil has the defaults.
type CallOptions struct {
	// OnProgress, if set, receives the progress of the request, in order, before
	// the call returns.
	OnProgress func(ProgressNotification)
	// Meta are further members of the request's _meta.
	Meta Meta
	// Timeout and HardTimeout, when not zero, replace those of the client. With
	// Timeout alone, HardTimeout is ten times as long.
	Timeout     time.Duration
	HardTimeout time.Duration
	// NoCache asks the server even if a result was kept.
	NoCache bool
}

// Call calls a tool and decodes its structured content into Out, or its text if
// Out is a string. What the tool failed with is a *ToolFailure.
func Call[Out any](ctx context.Context, c *Client, name string, args any) (Out, error) {
	var out Out
	result, err := c.CallTool(ctx, name, args, nil)
	if err != nil {
		return out, err
	}
	if result.IsError {
		return out, &ToolFailure{Tool: name, Result: result}
	}
	if text, ok := any(&out).(*string); ok {
		*text = result.text()
		return out, nil
	}
	if _, ok := any(out).(None); ok {
		return out, nil
	}
	structured := result.Structured
	if structured == nil {
		structured = json.RawMessage(result.text()) // servers before 2025-06-18
	}
	if err := unmarshal(structured, &out); err != nil {
		return out, fmt.Errorf("reading the result of %s: %w", name, err)
	}
	return out, nil
}

// ToolFailure is a result with isError, as an error.
type ToolFailure struct {
	Tool   string
	Result *ToolResult
}

func (e *ToolFailure) Error() string { return e.Tool + ": " + e.Result.text() }

// ErrorCode is the code that the tool gave, where the server is one that says.
func (e *ToolFailure) ErrorCode() string { return e.Result.ErrorCode() }

// text joins the blocks of text.
func (r *ToolResult) text() string {
	var text []string
	for _, block := range r.Blocks() {
		if t, ok := block.(TextContent); ok && t.Text != "" {
			text = append(text, t.Text)
		}
	}
	return strings.Join(text, "\n")
}

// CallTool calls a tool (2026-07-28, server/tools). args is what encodes as a
// JSON object, or nil. The error is a *Error if the server answered with one, a
// *TimeoutError if it did not answer. A result may have IsError.
func (c *Client) CallTool(ctx context.Context, name string, args any, opts *CallOptions) (*ToolResult, error) {
	params := jsonx.AppendQuoted([]byte(`{"name":`), name)
	if args != nil {
		var err error
		if params, err = marshal(append(params, `,"arguments":`...), args); err != nil {
			return nil, fmt.Errorf("encoding the arguments of %s: %w", name, err)
		}
	}
	result := new(ToolResult)
	if err := c.ask(ctx, "tools/call", params, opts, result); err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	if c.opts.ValidateResults && !result.IsError {
		if err := c.validate(ctx, name, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// Request sends a request of any method, such as one of an extension, and
// returns its raw result. params is a JSON object, or nil; its _meta is added to,
// with the members of opts.Meta before all others. Questions of the server are
// answered, and nothing is cached. A result of an unknown type is returned if
// the client declares extensions, which may define it, and is an error otherwise.
//
// Subscriptions are for Subscribe.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	if method == "subscriptions/listen" {
		return nil, fmt.Errorf("requesting %s: it is what Subscribe is for", method)
	}
	if opts == nil {
		opts = new(CallOptions)
	}
	open, meta, err := openParams(params)
	if err != nil {
		return nil, fmt.Errorf("requesting %s: %w", method, err)
	}
	all := *opts
	all.Meta = merged(meta, opts.Meta)
	raw, _, err := c.rounds(ctx, method, open, &all, len(c.opts.Extensions) > 0)
	if err != nil {
		return nil, fmt.Errorf("requesting %s: %w", method, err)
	}
	return raw, nil
}

// openParams returns params without their _meta and closing brace, and the
// members of that _meta.
func openParams(params json.RawMessage) (open []byte, meta Meta, err error) {
	open = []byte(`{`)
	if len(params) == 0 {
		return open, nil, nil
	}
	if err := jsonx.Valid(params); err != nil {
		return nil, nil, fmt.Errorf("the params are not JSON: %w", err)
	}
	members := jsonx.Object(params)
	for members.Next() {
		if members.Name() == "_meta" {
			var raw map[string]json.RawMessage
			if err := unmarshal(members.Value(), &raw); err != nil {
				return nil, nil, fmt.Errorf("the _meta of the params: %w", err)
			}
			meta = make(Meta, len(raw))
			for key, value := range raw {
				meta[key] = value
			}
			continue
		}
		if len(open) > 1 {
			open = append(open, ',')
		}
		open = append(jsonx.AppendQuoted(open, members.Name()), ':')
		open = append(open, members.Value()...)
	}
	if err := members.Err(); err != nil {
		return nil, nil, fmt.Errorf("the params are not a JSON object: %w", err)
	}
	return open, meta, nil
}
