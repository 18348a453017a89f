package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/schema"
)

// InputRequest is a question as it goes to the client: one of the methods
// elicitation/create, sampling/createMessage and roots/list with its params.
type InputRequest struct {
	Method string          `json:"method"`
	Params json.RawMessage `json:"params,omitempty"`
}

// Asker puts questions to a client and waits for the answers, which it returns
// under the same keys.
type Asker interface {
	Ask(ctx context.Context, questions map[string]InputRequest) (map[string]json.RawMessage, error)
}

// Action is what a user did with a question.
type Action string

// The actions (2026-07-28, client/elicitation).
const (
	Accept  Action = "accept"
	Decline Action = "decline"
	Cancel  Action = "cancel"
)

// Answer is a user's answer to a form. Value is set when the user accepted.
type Answer[T any] struct {
	Action Action
	Value  T
}

// Question is one of several that AskAll puts in one round.
type Question struct {
	// Key names the question within the call. It must be the same when the
	// handler runs again, and no two questions of a call may share one.
	Key string

	needs   Capability
	request func(Revision) InputRequest
	check   func(json.RawMessage) error // of the answer's shape
	consent bool                        // the answer may serve one run only
	page    bool                        // it sends the user to a page
}

// ErrInputRequired is what a question returns when its answer is not there yet.
// The call ends, whatever the handler then returns, and the handler runs again
// once the client has the answer: a handler must expect to be run several
// times up to its last question, see Once.
var ErrInputRequired = errors.New("the call waits for an answer of its client")

// Elicit asks the user to fill in a form with the fields of T, a flat struct of
// strings, numbers, booleans and enumerations (2026-07-28, client/elicitation).
func Elicit[T any](ctx context.Context, key, message string) (Answer[T], error) {
	q, err := FormQuestion[T](key, message)
	if err != nil {
		return Answer[T]{}, err
	}
	answers, err := AskAll(ctx, q)
	if err != nil {
		return Answer[T]{}, err
	}
	return DecodeAnswer[T](answers[0])
}

// FormQuestion is the question that Elicit asks, for AskAll; DecodeAnswer reads
// its answer.
func FormQuestion[T any](key, message string) (Question, error) {
	s, err := schema.InputFor[T]()
	if err != nil {
		return Question{}, fmt.Errorf("the form of question %q: %w", key, err)
	}
	return formQuestion(key, message, flatSchema(s.JSON()), s), nil
}

// RawFormQuestion is a form whose schema is known only at run time: a flat
// object schema as 2026-07-28, client/elicitation, allows.
func RawFormQuestion(key, message string, requestedSchema json.RawMessage) (Question, error) {
	s, err := schema.Compile(requestedSchema, schema.Options{})
	if err != nil {
		return Question{}, fmt.Errorf("the form of question %q: %w", key, err)
	}
	return formQuestion(key, message, requestedSchema, s), nil
}

func formQuestion(key, message string, requested json.RawMessage, s *schema.Schema) Question {
	return Question{
		Key: key, needs: CapElicitForm,
		request: func(rev Revision) InputRequest {
			params := []byte(`{`)
			if rev >= Rev20251125 {
				params = append(params, `"mode":"form",`...)
			}
			params = append(params, `"message":`...)
			params = jsonx.AppendQuoted(params, message)
			params = append(append(params, `,"requestedSchema":`...), requested...)
			return InputRequest{Method: "elicitation/create", Params: append(params, '}')}
		},
		check: func(raw json.RawMessage) error {
			action, content, err := elicited(raw)
			if err != nil || action != Accept {
				return err
			}
			_, err = s.Prepare(content)
			return err
		},
	}
}

// flatSchema keeps of an object schema the members that a form may have.
func flatSchema(full json.RawMessage) json.RawMessage {
	flat := []byte(`{"type":"object"`)
	members := jsonx.Object(full)
	for members.Next() {
		switch key := string(members.Key()); key {
		case "properties", "required":
			flat = append(append(flat, `,"`+key+`":`...), members.Value()...)
		}
	}
	return append(flat, '}')
}

// elicited reads the shape that every answer to an elicitation has.
func elicited(raw json.RawMessage) (Action, json.RawMessage, error) {
	var answer struct {
		Action  Action          `json:"action"`
		Content json.RawMessage `json:"content"`
	}
	if err := unmarshal(raw, &answer); err != nil {
		return "", nil, fmt.Errorf("reading an answer: %w", err)
	}
	switch answer.Action {
	case Accept, Decline, Cancel:
		return answer.Action, answer.Content, nil
	}
	return "", nil, fmt.Errorf("an answer's action is accept, decline or cancel, not %q", answer.Action)
}

// DecodeAnswer reads the answer to a FormQuestion.
func DecodeAnswer[T any](raw json.RawMessage) (Answer[T], error) {
	var answer Answer[T]
	action, content, err := elicited(raw)
	if answer.Action = action; err != nil || action != Accept || content == nil {
		return answer, err
	}
	if err := unmarshal(content, &answer.Value); err != nil {
		return answer, fmt.Errorf("reading the user's answer: %w", err)
	}
	return answer, nil
}

// URLQuestion asks the user to go to a page, such as one where a secret is
// entered. Accept means consent to open it, not that anything happened there:
// see ElicitationDone.
func URLQuestion(key, message, url string) Question {
	return Question{
		Key: key, needs: CapElicitURL, page: true,
		request: func(Revision) InputRequest {
			params := append([]byte(`{"mode":"url","message":`), jsonx.AppendQuoted(nil, message)...)
			params = appendMember(params, "url", url)
			return InputRequest{Method: "elicitation/create", Params: append(params, '}')}
		},
		check: func(raw json.RawMessage) error {
			_, _, err := elicited(raw)
			return err
		},
	}
}

// ElicitURL asks the user to go to a page; see URLQuestion.
func ElicitURL(ctx context.Context, key, message, url string) (Action, error) {
	answers, err := AskAll(ctx, URLQuestion(key, message, url))
	if err != nil {
		return "", err
	}
	action, _, err := elicited(answers[0])
	return action, err
}

// Confirm asks the user to agree to exactly message and returns nil if so. An
// agreement serves one run of the call: sent a second time, or to another server
// that does not share ServerOptions.Spent, it is asked for again. Otherwise the
// error is a *ToolError with the code DECLINED.
func Confirm(ctx context.Context, key, message string) error {
	q, err := FormQuestion[struct{}](key, message)
	if err != nil {
		return err
	}
	q.consent = true
	q.check = func(raw json.RawMessage) error { // clients may add what they like
		_, _, err := elicited(raw)
		return err
	}
	answers, err := AskAll(ctx, q)
	if err != nil {
		return err
	}
	action, _, err := elicited(answers[0])
	if err != nil {
		return err
	}
	if action != Accept {
		return &ToolError{Code: "DECLINED", Message: "the user did not agree: " + message, Next: "do not try again unless the user asks for it"}
	}
	return nil
}

// SamplingQuestion asks the client's model; params are those of
// sampling/createMessage.
//
// Deprecated: sampling is deprecated as of 2026-07-28.
func SamplingQuestion(key string, params json.RawMessage) Question {
	needs := CapSampling
	members := jsonx.Object(params)
	for members.Next() {
		if string(members.Key()) == "tools" {
			needs = CapSamplingTools
		}
	}
	return rawQuestion(key, needs, InputRequest{Method: "sampling/createMessage", Params: params}, "content")
}

// RootsQuestion asks for the folders that the client works in.
//
// Deprecated: roots are deprecated as of 2026-07-28.
func RootsQuestion(key string) Question {
	return rawQuestion(key, CapRoots, InputRequest{Method: "roots/list"}, "roots")
}

// rawQuestion is a question whose answer must have a member.
func rawQuestion(key string, needs Capability, request InputRequest, member string) Question {
	return Question{
		Key: key, needs: needs,
		request: func(Revision) InputRequest { return request },
		check: func(raw json.RawMessage) error {
			var answer map[string]json.RawMessage
			if err := unmarshal(raw, &answer); err != nil {
				return fmt.Errorf("reading an answer: %w", err)
			}
			if answer[member] == nil {
				return fmt.Errorf("the answer to %s has no %q", request.Method, member)
			}
			return nil
		},
	}
}

// AskAll puts several questions in one round and returns the raw answers in
// their order. The error is ErrInputRequired while an answer is missing, a
// *Error with CodeMissingCapability when the client cannot be asked, and
// ErrNoClient outside a server's call.
func AskAll(ctx context.Context, questions ...Question) ([]json.RawMessage, error) {
	call := CallFrom(ctx)
	if call == nil {
		return nil, ErrNoClient
	}
	if !call.asks {
		return nil, Errorf(CodeInternal, "%s cannot ask its client: only tools/call, prompts/get and resources/read can", call.Request.Method)
	}
	for _, q := range questions {
		if err := call.require(q.needs); err != nil {
			return nil, err
		}
	}
	if call.asker() == nil {
		watchQuestions(ctx, call, questions)
		return call.replay(ctx, questions)
	}
	requests := make(map[string]InputRequest, len(questions))
	for _, q := range questions {
		requests[q.Key] = call.identified(q)
	}
	got, err := call.await(ctx, requests)
	if err != nil {
		return nil, fmt.Errorf("asking the client: %w", err)
	}
	answers := make([]json.RawMessage, len(questions))
	for i, q := range questions {
		if err := q.check(got[q.Key]); err != nil {
			return nil, &ToolError{Code: "INVALID_ANSWER", Message: fmt.Sprintf("the client's answer to question %q does not fit: %v", q.Key, err), Next: "call again to ask again"}
		}
		answers[i] = got[q.Key]
	}
	return answers, nil
}

// ErrNoClient is returned to a tool that asks while no client is there, because
// it was called in process.
var ErrNoClient = errors.New("there is no client to ask")

// await waits for the client's answers, outside of the call's gate and while its
// clock stands still.
func (call *Invocation) await(ctx context.Context, requests map[string]InputRequest) (map[string]json.RawMessage, error) {
	call.clock.pause()
	defer call.clock.resume()
	call.gate.leave()
	got, err := call.asker().Ask(ctx, requests)
	if err != nil {
		return nil, err
	}
	return got, call.gate.enter(ctx)
}
