package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxRounds limits the consecutive rounds of questions before a result.
	maxRounds = 16
	// repeatDelay is the delay before the client repeats a request whose result asks for a repetition
	// without questions.
	repeatDelay = time.Second
)

// request sends a request and decodes its result. params lacks the closing brace.
func (c *Client) request(ctx context.Context, method string, params []byte, opts *CallOptions, result any) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if opts == nil {
		opts = new(CallOptions)
	}
	raw, _, err := c.requestAnswering(ctx, method, params, opts, false)
	if err != nil {
		return err
	}
	return unmarshal(raw, result)
}

// requestCached sends a request whose result may be cached, or takes the result from the cache. uri is set
// for resources/read only.
func (c *Client) requestCached(ctx context.Context, method, uri string, params []byte, opts *CallOptions, result any) error {
	if err := c.check(ctx); err != nil {
		return err
	}
	if opts == nil {
		opts = new(CallOptions)
	}
	key, err := cacheKey(ctx, method, params, opts.Meta)
	if err != nil {
		return err
	}
	if !opts.NoCache {
		if raw, ok := c.cache.get(key); ok {
			return unmarshal(raw, result)
		}
	}
	epoch := c.cache.currentEpoch()
	raw, asked, err := c.requestAnswering(ctx, method, params, opts, false)
	if err != nil {
		return err
	}
	if err := unmarshal(raw, result); err != nil {
		return err
	}
	if !asked && c.Revision().Modern() {
		c.cache.put(epoch, &cached{method: method, uri: uri, key: key, raw: raw})
	}
	return nil
}

// requestAnswering sends a request and answers the server's questions until there is a result (2026-07-28,
// basic/patterns/mrtr). params lacks the closing brace. asked reports whether the server asked.
// open permits results of unknown types.
func (c *Client) requestAnswering(ctx context.Context, method string, params []byte, opts *CallOptions, open bool) (raw json.RawMessage, asked bool, err error) {
	meta, err := requestMeta(ctx, opts.Meta)
	if err != nil {
		return nil, false, err
	}
	var answers []byte
	for range maxRounds {
		raw, err := c.requestOnce(ctx, method, closeObject(params, answers), meta, opts)
		if err != nil {
			return nil, asked, err
		}
		kind, err := resultType(raw)
		switch {
		case err != nil:
			return nil, asked, err
		case kind == "complete":
			return raw, asked, nil
		case kind != "input_required" && open:
			return raw, asked, nil
		case kind == "task" && method == "tools/call" && c.opts.Task != nil:
			raw, err = c.opts.Task(ctx, c, raw)
			return raw, true, err
		case kind != "input_required":
			return nil, asked, fmt.Errorf("the server's result has the unknown type %q", kind)
		}
		asked = true
		if answers, err = c.answerQuestions(ctx, method, raw); err != nil {
			return nil, asked, err
		}
	}
	return nil, asked, fmt.Errorf("the server asked %d times without answering", maxRounds)
}

// requestOnce sends a request once, within its time limits, and returns the raw result.
func (c *Client) requestOnce(ctx context.Context, method string, params, meta json.RawMessage, opts *CallOptions) (json.RawMessage, error) {
	soft, hard := c.limits(opts)
	ctx, clock, stop := c.deadlines.begin(ctx, method, soft, hard)
	defer stop()
	req := &protocol.Request{Method: method, Params: params, Meta: protocol.RequestMeta{LogLevel: c.opts.LogLevel, Raw: meta}}
	if opts.OnProgress != nil || clock != nil && reportsProgress(method) {
		req.Notify = func(_ context.Context, n protocol.Notification) error {
			if p, ok := n.(*protocol.ProgressNotification); ok {
				clock.extend()
				if opts.OnProgress != nil {
					opts.OnProgress(*p)
				}
			}
			return nil
		}
	}
	return c.dispatch(ctx, req)
}

// reportsProgress reports whether a request of method may take long enough for progress
// notifications.
func reportsProgress(method string) bool {
	return !strings.HasSuffix(method, "/list") && method != "server/discover" && method != "ping"
}

// dispatch sends one request and returns its raw result. If the time limit has ended ctx, the error
// is the *TimeoutError, whatever the transport returns.
func (c *Client) dispatch(ctx context.Context, req *protocol.Request) (json.RawMessage, error) {
	result, err := c.send(ctx, req)
	if err != nil {
		var timeout *TimeoutError
		var answered *protocol.Error
		if errors.As(context.Cause(ctx), &timeout) && !errors.As(err, &answered) {
			return nil, timeout
		}
		return nil, err
	}
	return result.AppendJSON(nil, protocol.Latest)
}

// requireResult returns next with an error in place of a missing result, which a faulty middleware
// returns.
func requireResult(next Handler) Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		result, err := next(ctx, req)
		if err == nil && isNil(result) {
			err = fmt.Errorf("%s: a middleware returned neither a result nor an error", req.Method)
		}
		return result, err
	}
}

// requestMeta returns the _meta of a request: the caller's members and the trace context of ctx. It
// returns nil if both are empty.
func requestMeta(ctx context.Context, meta Meta) (json.RawMessage, error) {
	var trace []byte
	if _, given := meta["traceparent"]; !given {
		trace = TraceFrom(ctx).appendMembers(nil)
	}
	if len(meta) == 0 && len(trace) == 0 {
		return nil, nil
	}
	raw := []byte(`{}`)
	if len(meta) > 0 {
		var err error
		if raw, err = marshal(nil, meta); err != nil {
			return nil, fmt.Errorf("encoding the _meta of a request: %w", err)
		}
	}
	return closeObject(raw[:len(raw)-1], trace), nil
}

// closeObject appends members to an open object and closes it. more begins with a comma, or is
// empty.
func closeObject(open, more []byte) []byte {
	out := make([]byte, 0, len(open)+len(more)+1)
	out = append(out, open...)
	if len(open) == 1 && len(more) > 0 {
		more = more[1:] // the comma
	}
	return append(append(out, more...), '}')
}

// resultType returns the type of a result. Results of older revisions have no type and are
// complete.
func resultType(raw json.RawMessage) (string, error) {
	kind := "complete"
	members := jsonx.Object(raw)
	for members.Next() {
		if string(members.Key()) == "resultType" {
			var err error
			if kind, err = jsonx.Unquote(members.Value()); err != nil {
				return "", fmt.Errorf("the type of the server's result is %s, not a string", members.Value())
			}
			break
		}
	}
	if err := members.Err(); err != nil {
		return "", fmt.Errorf("the server's result is not an object: %w", err)
	}
	return kind, nil
}
