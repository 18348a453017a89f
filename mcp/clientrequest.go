package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// request sends a request whose params lack the closing brace, and answers the
// server's questions until there is a result (2026-07-28, basic/patterns/mrtr).
func (c *Client) request(ctx context.Context, method string, params []byte, opts *CallOptions) (json.RawMessage, error) {
	if opts == nil {
		opts = new(CallOptions)
	}
	var answers []byte
	for range maxRounds {
		req := &Request{Method: method, Meta: RequestMeta{LogLevel: c.opts.LogLevel}}
		if opts.Meta != nil {
			req.Meta.Raw = mustMarshal(nil, opts.Meta)
		}
		req.Params = closeObject(params, answers)
		if opts.OnProgress != nil {
			req.Notify = func(_ context.Context, n Notification) error {
				if p, ok := n.(*ProgressNotification); ok {
					opts.OnProgress(*p)
				}
				return nil
			}
		}
		raw, asked, err := c.dispatch(ctx, req)
		if err != nil || asked == nil {
			return raw, err
		}
		if answers, err = c.answerAll(ctx, method, asked); err != nil {
			return nil, err
		}
	}
	return nil, fmt.Errorf("the server asked %d times without answering", maxRounds)
}

// closeObject ends an object whose members may be followed by more.
func closeObject(open, more []byte) []byte {
	out := make([]byte, 0, len(open)+len(more)+1)
	out = append(out, open...)
	if len(open) == 1 && len(more) > 0 {
		more = more[1:] // the comma
	}
	return append(append(out, more...), '}')
}

// askedFor is an input_required result as it is received.
type askedFor struct {
	Requests map[string]InputRequest `json:"inputRequests"`
	State    *string                 `json:"requestState"`
}

// dispatch sends one request and tells a result from questions.
func (c *Client) dispatch(ctx context.Context, req *Request) (json.RawMessage, *askedFor, error) {
	result, err := c.conn.Dispatch(ctx, req)
	if err != nil {
		return nil, nil, err
	}
	raw, err := result.AppendJSON(nil, Latest)
	if err != nil {
		return nil, nil, err
	}
	switch kind, err := resultType(raw); {
	case err != nil:
		return nil, nil, err
	case kind == "complete":
		return raw, nil, nil
	case kind == "input_required":
		asked := new(askedFor)
		if err := unmarshal(raw, asked); err != nil {
			return nil, nil, fmt.Errorf("reading the server's questions: %w", err)
		}
		return nil, asked, nil
	default:
		return nil, nil, fmt.Errorf("the server's result has the unknown type %q", kind)
	}
}

// resultType reads a result's type; older servers do not have it.
func resultType(raw json.RawMessage) (string, error) {
	members := jsonx.Object(raw)
	for members.Next() {
		if string(members.Key()) == "resultType" {
			return jsonx.Unquote(members.Value())
		}
	}
	return "complete", members.Err()
}

// answerAll answers one round of questions; the result begins with a comma and
// belongs into the params of the next round.
func (c *Client) answerAll(ctx context.Context, method string, asked *askedFor) ([]byte, error) {
	switch {
	case method != "tools/call" && method != "prompts/get" && method != "resources/read":
		return nil, fmt.Errorf("the server asks in answer to %s, where it must not", method)
	case len(asked.Requests) == 0 && asked.State == nil:
		return nil, errors.New("the server wants input and asks for none")
	}
	if len(asked.Requests) == 0 {
		// Nothing to answer: the server only wants the request again, later.
		select {
		case <-time.After(time.Second):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	var out []byte
	if len(asked.Requests) > 0 {
		out = append(out, `,"inputResponses":{`...)
		for i, key := range sortedKeys(asked.Requests) {
			answer, err := c.answer(ctx, asked.Requests[key])
			if err != nil {
				return nil, fmt.Errorf("answering the server's question %q: %w", key, err)
			}
			if i > 0 {
				out = append(out, ',')
			}
			out = append(jsonx.AppendQuoted(out, key), ':')
			out = append(out, answer...)
		}
		out = append(out, '}')
	}
	if asked.State != nil {
		out = jsonx.AppendQuoted(append(out, `,"requestState":`...), *asked.State)
	}
	return out, nil
}

// answer answers one question. A server must not ask for what the client did
// not declare.
func (c *Client) answer(ctx context.Context, q InputRequest) (json.RawMessage, error) {
	switch q.Method {
	case "elicitation/create":
		return c.answerElicitation(ctx, q.Params)
	case "sampling/createMessage":
		if c.opts.Sample != nil {
			return c.opts.Sample(ctx, q.Params)
		}
	case "roots/list":
		if c.opts.Roots != nil {
			roots, err := c.opts.Roots(ctx)
			if err != nil {
				return nil, err
			}
			if roots == nil {
				roots = []Root{}
			}
			return marshal(nil, map[string]any{"roots": roots})
		}
	}
	return nil, Errorf(CodeMethodNotFound, "Method not found: the client does not offer %s", q.Method)
}

func (c *Client) answerElicitation(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p struct {
		ElicitForm
		Mode string `json:"mode"`
		URL  string `json:"url"`
	}
	if err := unmarshal(params, &p); err != nil {
		return nil, Errorf(CodeInvalidParams, "Invalid params of elicitation/create: %v", err)
	}
	switch {
	case (p.Mode == "" || p.Mode == "form") && c.opts.Elicit != nil:
		answer, err := c.opts.Elicit(ctx, p.ElicitForm)
		if err != nil {
			return nil, err
		}
		wire := map[string]any{"action": answer.Action}
		if answer.Action == Accept {
			wire["content"] = json.RawMessage(canonical(answer.Value))
		}
		return marshal(nil, wire)
	case p.Mode == "url" && c.opts.ElicitURL != nil:
		action, err := c.opts.ElicitURL(ctx, p.Message, p.URL)
		if err != nil {
			return nil, err
		}
		return marshal(nil, map[string]any{"action": action})
	}
	return nil, Errorf(CodeInvalidParams, "Invalid params: the client does not offer elicitation of mode %q", p.Mode)
}

// notified sorts the notifications that belong to no request.
func (c *Client) notified(n Notification) {
	switch n := n.(type) {
	case *LogNotification:
		if c.opts.OnLog != nil {
			c.opts.OnLog(*n)
		}
	case *ListChangedNotification:
		if c.opts.OnListChanged != nil {
			c.opts.OnListChanged(n.List)
		}
	}
}

// subscribe keeps a subscription open for as long as the client is connected.
func (c *Client) subscribe(ctx context.Context) {
	caps := c.conn.Discovered().Capabilities
	filter := SubscriptionFilter{
		ToolsListChanged:     caps.Tools != nil && caps.Tools.ListChanged,
		PromptsListChanged:   caps.Prompts != nil && caps.Prompts.ListChanged,
		ResourcesListChanged: caps.Resources != nil && caps.Resources.ListChanged,
	}
	params := mustMarshal(nil, map[string]any{"notifications": filter})
	_, _ = c.conn.Dispatch(ctx, &Request{
		Method: "subscriptions/listen", Params: params,
		Notify: func(_ context.Context, n Notification) error {
			c.notified(n)
			return nil
		},
	})
}
