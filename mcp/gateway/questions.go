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
	"github.com/dougu-go/dougu/mcp/protocol"
)

const (
	// maxRounds limits the rounds of questions of one request.
	maxRounds = 16
	// maxQuestions limits the questions of one round.
	maxQuestions = 64
	// askAgain is the delay before a request is repeated without questions.
	askAgain = time.Second
)

// forwardWithQuestions forwards a request of a session to an upstream of 2026-07-28. It sends the
// upstream's questions to the client as requests (2026-07-28, basic/patterns/mrtr).
func (m *member) forwardWithQuestions(ctx context.Context, l *link, req, out *protocol.Request, repeatable bool) (protocol.Result, error) {
	got, result, err := m.runRounds(ctx, l, req, out, repeatable)
	switch {
	case err != nil && result == nil:
		return m.errorResult(ctx, req, err)
	case got.raw == nil:
		return result, err
	case handleOf(got.raw, true) != nil:
		return m.errorResult(ctx, req, errors.New("it answered with a task that was not requested"))
	}
	return adaptResult(got.raw, protocol.Latest, req)
}

// runRounds returns the raw result after all questions. A result without raw is the response to a
// request with an unanswered question. repeatable is as in pass.
func (m *member) runRounds(ctx context.Context, l *link, req, out *protocol.Request, repeatable bool) (rawResult, protocol.Result, error) {
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
		asked, err := readQuestions(got.raw)
		if err != nil {
			return rawResult{}, nil, err
		}
		if asked == nil {
			return got, nil, nil
		}
		if !mayAsk(req.Method) || req.Asker == nil && len(asked.Requests) > 0 {
			return rawResult{}, nil, errors.New("it asks a question where no client can answer")
		}
		answers, err := asked.answers(ctx, req)
		if err != nil {
			result, err := m.unansweredError(ctx, req, err)
			return rawResult{}, result, err
		}
		if out.Params, err = withAnswers(params, answers); err != nil {
			return rawResult{}, nil, err
		}
	}
	return rawResult{}, nil, fmt.Errorf("it asked %d times without answering", maxRounds)
}

// unansweredError returns the response to a request with an unanswered question.
func (m *member) unansweredError(ctx context.Context, req *protocol.Request, err error) (protocol.Result, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	failure := &mcp.ToolError{Code: "NO_ANSWER", Message: "a question of the server " + m.up.Name + " was not answered: " + safeText(err.Error()), Next: "do without it, or ask the user to answer", Err: err}
	if req.Method == "tools/call" {
		return mcp.ErrorResult(failure), nil
	}
	return nil, protocol.Errorf(protocol.CodeInternal, "%s", failure.Message)
}

// questionResult is a result with questions.
type questionResult struct {
	Requests map[string]protocol.InputRequest `json:"inputRequests"`
	State    *string                          `json:"requestState"`
}

// readQuestions parses a result with questions. It returns nil for a complete result or a task.
func readQuestions(raw json.RawMessage) (*questionResult, error) {
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
		return nil, fmt.Errorf("its result has the unknown type %q", safeText(kind))
	}
	a := new(questionResult)
	if err := json.Unmarshal(raw, a); err != nil {
		return nil, fmt.Errorf("its questions cannot be read: %w", err)
	}
	if len(a.Requests) > maxQuestions || len(a.Requests) == 0 && a.State == nil {
		return nil, fmt.Errorf("it asks %d questions at once", len(a.Requests))
	}
	return a, nil
}

// answers sends the questions to the client and returns the members for the next round's params,
// each after a comma.
func (a *questionResult) answers(ctx context.Context, req *protocol.Request) ([]byte, error) {
	var out []byte
	if len(a.Requests) == 0 {
		if err := wait.Sleep(ctx, askAgain); err != nil {
			return nil, err
		}
	} else {
		caps := req.Meta.Capabilities()
		for _, q := range a.Requests {
			if !isKind(q, caps) {
				return nil, fmt.Errorf("the client cannot answer %s", safeText(q.Method))
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

// withAnswers returns params with the answers of a round.
func withAnswers(params json.RawMessage, answers []byte) (json.RawMessage, error) {
	plain := withoutMembers(params, "inputResponses", "requestState", "_meta")
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
