package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// ElicitForm is a form for the user (2026-07-28, client/elicitation).
type ElicitForm struct {
	Message string          `json:"message"`         // Message explains the question to the user.
	Schema  json.RawMessage `json:"requestedSchema"` // Schema is a JSON Schema: an object with flat properties.
}

// receivedQuestions is an input_required result as the client receives it.
type receivedQuestions struct {
	Requests map[string]protocol.InputRequest `json:"inputRequests"` // questions by key
	State    *string                          `json:"requestState"`  // request state for the next round; nil if absent
}

// answerQuestions answers the questions of one round. It returns members for the params of the next
// request, each with a comma before it. raw is the input_required result of method.
func (c *Client) answerQuestions(ctx context.Context, method string, raw json.RawMessage) ([]byte, error) {
	var asked receivedQuestions
	if err := unmarshal(raw, &asked); err != nil {
		return nil, fmt.Errorf("reading the server's questions: %w", err)
	}
	switch {
	case method != "tools/call" && method != "prompts/get" && method != "resources/read":
		return nil, fmt.Errorf("the server asks in answer to %s, where it must not", method)
	case len(asked.Requests) == 0 && asked.State == nil:
		return nil, errors.New("the server wants input and asks for none")
	case len(asked.Requests) == 0:
		// Without questions the server only asks for a repetition of the request.
		if err := wait.Sleep(ctx, repeatDelay); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })
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

// answerSessionQuestion answers a question that arrives as a request of a session. It suspends the
// time limits of all in-flight requests meanwhile.
func (c *Client) answerSessionQuestion(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
	c.deadlines.pause()
	defer c.deadlines.resume()
	return c.answer(ctx, q)
}

// Answer answers a question of the server with the functions of the options, like a question during
// a call. Extensions use it for questions that they receive in other ways.
func (c *Client) Answer(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
	if err := c.check(ctx); err != nil {
		return nil, fmt.Errorf("answering %s: %w", q.Method, err)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	unhook := context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })
	defer unhook()
	return c.answer(ctx, q)
}

// answer answers one question. A question of an undeclared capability is an error.
func (c *Client) answer(ctx context.Context, q protocol.InputRequest) (json.RawMessage, error) {
	switch {
	case q.Method == "elicitation/create" && (c.opts.Elicit != nil || c.opts.ElicitURL != nil):
		return c.answerElicitation(ctx, q.Params)
	case q.Method == "sampling/createMessage" && c.opts.Sample != nil:
		return c.answerSampling(ctx, q.Params)
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
	return nil, protocol.Errorf(protocol.CodeMethodNotFound, "Method not found: the client does not offer %s", q.Method)
}

// answerElicitation answers elicitation/create with Elicit or ElicitURL, according to its mode.
func (c *Client) answerElicitation(ctx context.Context, params json.RawMessage) (json.RawMessage, error) {
	var p struct {
		ElicitForm
		Mode string `json:"mode"`
		URL  string `json:"url"`
	}
	if err := unmarshal(params, &p); err != nil {
		return nil, protocol.Errorf(protocol.CodeInvalidParams, "Invalid params of elicitation/create: %v", err)
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
		err = protocol.Errorf(protocol.CodeInvalidParams, "Invalid params: the client does not offer elicitation of mode %q", p.Mode)
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

// withDefaults adds the defaults of form to properties that are absent from the content of an
// accepted answer.
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
		return filled, nil // the server validates the content
	}
	for name, property := range schema.Properties {
		if _, given := filled[name]; !given && property.Default != nil && !isNull(property.Default) {
			filled[name] = property.Default
		}
	}
	return filled, nil
}
