package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/wait"
)

// ElicitForm is a form that a server asks the user to fill in. Schema is a flat
// object schema (2026-07-28, client/elicitation).
type ElicitForm struct {
	Message string          `json:"message"`
	Schema  json.RawMessage `json:"requestedSchema"`
}

// askedFor is an input_required result as it is received.
type askedFor struct {
	Requests map[string]InputRequest `json:"inputRequests"`
	State    *string                 `json:"requestState"`
}

// answerAll answers one round of questions; the result begins with a comma and
// belongs into the params of the next round.
func (c *Client) answerAll(ctx context.Context, method string, raw json.RawMessage) ([]byte, error) {
	var asked askedFor
	if err := unmarshal(raw, &asked); err != nil {
		return nil, fmt.Errorf("reading the server's questions: %w", err)
	}
	switch {
	case method != "tools/call" && method != "prompts/get" && method != "resources/read":
		return nil, fmt.Errorf("the server asks in answer to %s, where it must not", method)
	case len(asked.Requests) == 0 && asked.State == nil:
		return nil, errors.New("the server wants input and asks for none")
	case len(asked.Requests) == 0:
		// Nothing to answer: the server only wants the request again, later.
		if err := wait.For(ctx, askAgain); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(c.life, func() { cancel(ErrClosed) })
	defer unhook()
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

// answerWhileWaiting answers a question that comes while requests wait, as it
// does in sessions.
func (c *Client) answerWhileWaiting(ctx context.Context, q InputRequest) (json.RawMessage, error) {
	c.waits.pause()
	defer c.waits.resume()
	return c.answer(ctx, q)
}

// Answer answers a question of the server's as one that comes in a call is
// answered, by the functions of the options: for extensions, which bring questions
// in other ways.
func (c *Client) Answer(ctx context.Context, q InputRequest) (json.RawMessage, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(c.life, func() { cancel(ErrClosed) })
	defer unhook()
	return c.answer(ctx, q)
}

// answer answers one question. A server must not ask for what the client did
// not declare.
func (c *Client) answer(ctx context.Context, q InputRequest) (json.RawMessage, error) {
	switch {
	case q.Method == "elicitation/create" && (c.opts.Elicit != nil || c.opts.ElicitURL != nil):
		return c.answerElicitation(ctx, q.Params)
	case q.Method == "sampling/createMessage" && c.opts.Sample != nil:
		return c.opts.Sample(ctx, q.Params)
	case q.Method == "roots/list" && c.opts.Roots != nil:
		roots, err := c.opts.Roots(ctx)
		if err != nil {
			return nil, err
		}
		if roots == nil {
			roots = []Root{}
		}
		return marshal(nil, map[string]any{"roots": roots})
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
	var answer Answer[json.RawMessage]
	var err error
	form := p.Mode == "" || p.Mode == "form"
	switch {
	case form && c.opts.Elicit != nil:
		answer, err = c.opts.Elicit(ctx, p.ElicitForm)
	case p.Mode == "url" && c.opts.ElicitURL != nil:
		answer.Action, err = c.opts.ElicitURL(ctx, p.Message, p.URL)
	default:
		err = Errorf(CodeInvalidParams, "Invalid params: the client does not offer elicitation of mode %q", p.Mode)
	}
	if err != nil {
		return nil, err
	}
	wire := map[string]any{"action": answer.Action}
	switch answer.Action {
	case "":
		wire["action"] = Cancel
	case Accept:
		if !form {
			break
		}
		if wire["content"], err = withDefaults(answer.Value, p.Schema); err != nil {
			return nil, err
		}
	case Decline, Cancel:
	default:
		return nil, fmt.Errorf("the answer's action is %q, not accept, decline or cancel", answer.Action)
	}
	return marshal(nil, wire)
}

// withDefaults fills in what the content of an accepted form leaves out and has
// a default for.
func withDefaults(content, form json.RawMessage) (map[string]json.RawMessage, error) {
	filled := make(map[string]json.RawMessage)
	if len(content) > 0 {
		if err := unmarshal(content, &filled); err != nil {
			return nil, fmt.Errorf("the content of an accepted form must be a JSON object: %w", err)
		}
	}
	if filled == nil { // null
		filled = make(map[string]json.RawMessage)
	}
	var schema struct {
		Properties map[string]struct {
			Default json.RawMessage `json:"default"`
		} `json:"properties"`
	}
	if err := unmarshal(form, &schema); err != nil {
		return filled, nil // it is the server who judges the content
	}
	for name, property := range schema.Properties {
		if _, given := filled[name]; !given && property.Default != nil && !isNull(property.Default) {
			filled[name] = property.Default
		}
	}
	return filled, nil
}
