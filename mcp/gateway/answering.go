package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/mcp"
)

const (
	// maxRounds is how many times in a row an upstream may ask before it answers.
	maxRounds = 16
	// maxQuestions is how many questions there may be in one round.
	maxQuestions = 64
	// askAgain is how long a request waits that the upstream wants again without
	// asking anything.
	askAgain = time.Second
)

// answering passes a request of a session on to an upstream of 2026-07-28, which
// asks by ending the request, and answers its questions as the session does: by
// requests to the client (2026-07-28, basic/patterns/mrtr).
func (m *member) answering(ctx context.Context, l *link, req, out *mcp.Request, repeatable bool) (mcp.Result, error) {
	got, result, err := m.rounds(ctx, l, req, out, repeatable)
	switch {
	case err != nil && result == nil:
		return m.failed(ctx, req, err)
	case got.raw == nil:
		return result, err
	case handleOf(got.raw, true) != nil:
		return m.failed(ctx, req, errors.New("it answered with a task that was not asked for"))
	}
	return adapted(got.raw, mcp.Latest, req)
}

// rounds returns the raw result at the end of all questions. A result without raw is
// that of a question that was not answered. repeatable is as in pass.
func (m *member) rounds(ctx context.Context, l *link, req, out *mcp.Request, repeatable bool) (rawResult, mcp.Result, error) {
	params := out.Params
	for range maxRounds {
		got, err := m.exchange(ctx, l, out, repeatable)
		if err != nil {
			return rawResult{}, nil, err
		}
		if l != got.link {
			l = got.link
			l.calls.Add(1)
			defer l.calls.Add(-1)
		}
		asked, err := readAsked(got.raw)
		if err != nil {
			return rawResult{}, nil, err
		}
		if asked == nil {
			return got, nil, nil
		}
		if !mayAsk(req.Method) || req.Asker == nil && len(asked.Requests) > 0 {
			return rawResult{}, nil, errors.New("it asks where nobody can be asked")
		}
		answers, err := asked.answers(ctx, req)
		if err != nil {
			result, err := m.unanswered(ctx, req, err)
			return rawResult{}, result, err
		}
		if out.Params, err = answered(params, answers); err != nil {
			return rawResult{}, nil, err
		}
	}
	return rawResult{}, nil, fmt.Errorf("it asked %d times without answering", maxRounds)
}

// unanswered answers a request whose client did not answer a question.
func (m *member) unanswered(ctx context.Context, req *mcp.Request, err error) (mcp.Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	failure := &mcp.ToolError{Code: "NO_ANSWER", Message: "a question of the server " + m.up.Name + " was not answered: " + brief(err.Error()), Next: "do without it, or ask the user to answer", Err: err}
	if req.Method == "tools/call" {
		return mcp.ErrorResult(failure), nil
	}
	return nil, mcp.Errorf(mcp.CodeInternal, "%s", failure.Message)
}

// asked is a result that asks.
type asked struct {
	Requests map[string]mcp.InputRequest `json:"inputRequests"`
	State    *string                     `json:"requestState"`
}

// readAsked reads a result that asks; nil is a complete one, or a task.
func readAsked(raw json.RawMessage) (*asked, error) {
	kind := "complete"
	members := jsonx.Object(raw)
	for members.Next() {
		if members.Name() == "resultType" {
			var err error
			if kind, err = jsonx.Unquote(members.Value()); err != nil {
				return nil, errors.New("the type of its result is not a string")
			}
			break
		}
	}
	switch {
	case members.Err() != nil:
		return nil, fmt.Errorf("its result is malformed: %w", members.Err())
	case kind == "complete", kind == "task":
		return nil, nil
	case kind != "input_required":
		return nil, fmt.Errorf("its result has the unknown type %q", brief(kind))
	}
	a := new(asked)
	if err := json.Unmarshal(raw, a); err != nil {
		return nil, fmt.Errorf("its questions cannot be read: %w", err)
	}
	if len(a.Requests) > maxQuestions || len(a.Requests) == 0 && a.State == nil {
		return nil, fmt.Errorf("it asks %d questions at once", len(a.Requests))
	}
	return a, nil
}

// answers puts the questions to the client and returns the members of the next
// round's params, each after a comma.
func (a *asked) answers(ctx context.Context, req *mcp.Request) ([]byte, error) {
	var out []byte
	if len(a.Requests) == 0 {
		if err := wait.For(ctx, askAgain); err != nil {
			return nil, err
		}
	} else {
		caps := req.Meta.Capabilities()
		for _, q := range a.Requests {
			if !isKind(q, caps) {
				return nil, fmt.Errorf("the client cannot be asked %s", brief(q.Method))
			}
		}
		got, err := req.Asker.Ask(ctx, a.Requests)
		if err != nil {
			return nil, err
		}
		out = append(out, `,"inputResponses":{`...)
		for i, key := range slices.Sorted(maps.Keys(got)) {
			if i > 0 {
				out = append(out, ',')
			}
			out = append(append(jsonx.AppendQuoted(out, key), ':'), got[key]...)
		}
		out = append(out, '}')
	}
	if a.State != nil {
		out = jsonx.AppendQuoted(append(out, `,"requestState":`...), *a.State)
	}
	return out, nil
}

// answered are params with the answers of a round.
func answered(params json.RawMessage, answers []byte) (json.RawMessage, error) {
	plain := without(params, "inputResponses", "requestState", "_meta")
	if len(plain) < 2 || len(answers) == 0 {
		return json.RawMessage(plain), nil
	}
	end := len(plain) - 1
	for plain[end] != '}' { // white space
		end--
	}
	out := append(append([]byte(nil), plain[:end]...), answers...)
	return append(out, '}'), nil
}
