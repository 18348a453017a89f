package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// CallOptions configures one request. Nil selects the defaults.
type CallOptions struct {
	// OnProgress, if set, receives the progress notifications of the request, in order, before the
	// call returns.
	OnProgress func(protocol.ProgressNotification)
	// Meta holds additional members for the _meta of the request.
	Meta Meta
	// Timeout and HardTimeout, if not zero, replace the values of ClientOptions. If only Timeout is
	// set, HardTimeout is ten times Timeout.
	Timeout     time.Duration
	HardTimeout time.Duration
	// NoCache sends the request even if the cache has a result.
	NoCache bool
}

// Call calls a tool and decodes its structured content into Out. If Out is string, it returns the
// text of the result. If Out is None, it ignores the content. If Out is a TypedResult, its Content
// has the blocks that are no text. A result with IsError is returned as a *ToolFailure.
func Call[Out any](ctx context.Context, c *Client, name string, args any) (Out, error) {
	var out Out
	result, err := c.CallTool(ctx, name, args, nil)
	if err != nil {
		return out, err
	}
	if result.IsError {
		return out, &ToolFailure{Tool: name, Result: result}
	}
	if typed, ok := any(&out).(typedOutput); ok {
		err := typed.decode(name, result)
		return out, err
	}
	if _, ok := any(out).(typedOutput); ok { // a nil pointer
		reflect.ValueOf(&out).Elem().Set(reflect.New(reflect.TypeFor[Out]().Elem()))
		err := any(out).(typedOutput).decode(name, result)
		return out, err
	}
	return decodeResult[Out](name, result)
}

// decodeResult decodes the result of a tool without an error into Out; see Call.
func decodeResult[Out any](name string, result *ToolResult) (Out, error) {
	var out Out
	if text, ok := any(&out).(*string); ok {
		*text = result.text()
		return out, nil
	}
	if _, ok := any(out).(None); ok {
		return out, nil
	}
	if result.Structured == nil {
		// Revisions before 2025-06-18 have no structured content, and a server may omit it.
		if err := unmarshal(json.RawMessage(result.text()), &out); err != nil {
			return out, fmt.Errorf("reading the result of %s: it has no structured content, and its text is not the JSON: %w", name, err)
		}
		return out, nil
	}
	if err := unmarshal(result.Structured, &out); err != nil {
		return out, fmt.Errorf("reading the result of %s: %w", name, err)
	}
	return out, nil
}

// ToolFailure is the error of a call whose result has IsError.
type ToolFailure struct {
	Tool   string      // Tool is the name of the tool.
	Result *ToolResult // Result is the result with its content.
}

// Error returns the name of the tool and the text of the result.
func (e *ToolFailure) Error() string { return e.Tool + ": " + e.Result.text() }

// ErrorCode returns the error code of the result, or "" if the server sends none.
func (e *ToolFailure) ErrorCode() string { return e.Result.ErrorCode() }

// text returns the text blocks of the result, separated by line breaks.
func (r *ToolResult) text() string {
	var text []string
	for _, block := range r.Blocks() {
		if t, ok := block.(TextContent); ok && t.Text != "" {
			text = append(text, t.Text)
		}
	}
	return strings.Join(text, "\n")
}

// CallTool calls a tool (2026-07-28, server/tools). args must encode as a JSON object; nil means no
// arguments. The result may have IsError. If the server responds with an error, the returned error
// wraps *protocol.Error. If it does not respond in time, the error wraps *TimeoutError.
func (c *Client) CallTool(ctx context.Context, name string, args any, opts *CallOptions) (*ToolResult, error) {
	params := jsonx.AppendQuoted([]byte(`{"name":`), name)
	if args != nil {
		var err error
		if params, err = marshal(append(params, `,"arguments":`...), args); err != nil {
			return nil, fmt.Errorf("encoding the arguments of %s: %w", name, err)
		}
	}
	result := new(ToolResult)
	if err := c.request(ctx, "tools/call", params, opts, result); err != nil {
		return nil, fmt.Errorf("calling %s: %w", name, err)
	}
	if c.opts.CheckResults && !result.IsError {
		if err := c.validate(ctx, name, result); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// Request sends a request of any method, for example of an extension, and returns the raw result.
// params is a JSON object or nil. Its _meta is merged with opts.Meta, which takes precedence. The
// client answers questions of the server, and caches nothing. A result of an unknown type is
// returned if the client declares extensions; otherwise it is an error. Use Subscribe for
// subscriptions/listen.
func (c *Client) Request(ctx context.Context, method string, params json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	if err := c.check(ctx); err != nil {
		return nil, fmt.Errorf("requesting %s: %w", method, err)
	}
	if method == "subscriptions/listen" {
		return nil, fmt.Errorf("requesting %s: use Subscribe instead", method)
	}
	if opts == nil {
		opts = new(CallOptions)
	}
	open, meta, err := openParams(params)
	if err != nil {
		return nil, fmt.Errorf("requesting %s: %w", method, err)
	}
	all := *opts
	all.Meta = mergeMaps(meta, opts.Meta)
	raw, _, err := c.requestAnswering(ctx, method, open, &all, len(c.opts.Extensions) > 0)
	if err != nil {
		return nil, fmt.Errorf("requesting %s: %w", method, err)
	}
	return raw, nil
}

// openParams splits params. open is the object without _meta and without its closing brace; meta
// holds the members of _meta.
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
