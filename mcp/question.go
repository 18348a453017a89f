package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/mcp/schema"
)

// Action is the reaction of a user to a question.
type Action string

// The actions (2026-07-28, client/elicitation).
const (
	Accept  Action = "accept"  // the user agreed or filled in the form
	Decline Action = "decline" // the user refused
	Cancel  Action = "cancel"  // the user dismissed the question without a decision
)

// Answer is a user's answer to a form.
type Answer[T any] struct {
	Action Action // Action is the reaction of the user.
	Value  T      // Value holds the fields of the form if Action is Accept.
}

// Question is a question for AskAll. Functions whose names end in Question construct it.
type Question struct {
	// Key identifies the question in its call. It must be the same in a replay, and unique in the
	// call.
	Key string

	capability Capability                                    // capability that the client needs
	request    func(protocol.Revision) protocol.InputRequest // question in the form of a revision
	check      func(json.RawMessage) error                   // validates an answer
	consent    bool                                          // an answer is valid for one run only
	byURL      bool                                          // question by URL
}

// ErrInputRequired is the error of a question whose answer is still missing. The call ends with the
// questions, whatever its handler returns, and a replay follows with the answers. A handler must
// therefore tolerate several runs up to its last question; see Once.
var ErrInputRequired = errors.New("the call waits for an answer of its client")

// Elicit asks the user to fill in a form with the fields of T. T is a flat struct of strings,
// numbers, booleans, enumerations and lists of enumerated strings (2026-07-28, client/elicitation);
// another T is an error. Further errors are those of AskAll.
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

// FormQuestion returns the question that Elicit asks, for AskAll. DecodeAnswer decodes its answer. A
// T that is not flat is an error.
func FormQuestion[T any](key, message string) (Question, error) {
	s, err := schema.InputFor[T]()
	if err != nil {
		return Question{}, fmt.Errorf("the form of question %q: %w", key, err)
	}
	if err := checkForm(s.JSON()); err != nil {
		return Question{}, fmt.Errorf("the form of question %q, %v: %w", key, reflect.TypeFor[T](), err)
	}
	return formQuestion(key, message, flatSchema(s.JSON()), s), nil
}

// RawFormQuestion returns a form question with a schema that is known only at run time.
// requestedSchema is a flat object schema (2026-07-28, client/elicitation); another one is an error.
func RawFormQuestion(key, message string, requestedSchema json.RawMessage) (Question, error) {
	s, err := schema.Compile(requestedSchema, schema.Options{})
	if err != nil {
		return Question{}, fmt.Errorf("the form of question %q: %w", key, err)
	}
	if err := checkForm(s.JSON()); err != nil {
		return Question{}, fmt.Errorf("the form of question %q: %w", key, err)
	}
	return formQuestion(key, message, requestedSchema, s), nil
}

// formQuestion returns a form question. requested is the schema for the client; s validates the
// answer.
func formQuestion(key, message string, requested json.RawMessage, s *schema.Schema) Question {
	return Question{
		Key: key, capability: CapElicitForm,
		request: func(rev protocol.Revision) protocol.InputRequest {
			params := []byte(`{`)
			if rev >= protocol.Rev20251125 {
				params = append(params, `"mode":"form",`...)
			}
			params = append(params, `"message":`...)
			params = jsonx.AppendQuoted(params, message)
			params = append(append(params, `,"requestedSchema":`...), requested...)
			return protocol.InputRequest{Method: "elicitation/create", Params: append(params, '}')}
		},
		check: func(raw json.RawMessage) error {
			action, content, err := parseElicitation(raw)
			if err != nil || action != Accept {
				return err
			}
			_, err = s.Prepare(content)
			return err
		},
	}
}

// flatSchema returns the members of an object schema that a form may have.
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

// parseElicitation parses the action and the content of an answer to an elicitation.
func parseElicitation(raw json.RawMessage) (Action, json.RawMessage, error) {
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

// DecodeAnswer decodes the raw answer to a FormQuestion.
func DecodeAnswer[T any](raw json.RawMessage) (Answer[T], error) {
	var answer Answer[T]
	action, content, err := parseElicitation(raw)
	if answer.Action = action; err != nil || action != Accept || content == nil {
		return answer, err
	}
	if err := unmarshal(content, &answer.Value); err != nil {
		return answer, fmt.Errorf("reading the user's answer: %w", err)
	}
	return answer, nil
}

// URLQuestion returns a question that asks the user to open a page, for example to enter a secret.
// Accept means consent to open the page, not success there; see ElicitationDone.
func URLQuestion(key, message, url string) Question {
	return Question{
		Key: key, capability: CapElicitURL, byURL: true,
		request: func(protocol.Revision) protocol.InputRequest {
			params := append([]byte(`{"mode":"url","message":`), jsonx.AppendQuoted(nil, message)...)
			params = appendMember(params, "url", url)
			return protocol.InputRequest{Method: "elicitation/create", Params: append(params, '}')}
		},
		check: func(raw json.RawMessage) error {
			_, _, err := parseElicitation(raw)
			return err
		},
	}
}

// ElicitURL asks the user to open a page; see URLQuestion.
func ElicitURL(ctx context.Context, key, message, url string) (Action, error) {
	answers, err := AskAll(ctx, URLQuestion(key, message, url))
	if err != nil {
		return "", err
	}
	action, _, err := parseElicitation(answers[0])
	return action, err
}

// Confirm asks the user to agree to message, and returns nil if the user agrees. A consent is valid
// for one run of the call. If it arrives again, or at another server that does not share
// ServerOptions.Spent, the question is repeated. If the user does not agree, the error is a
// *ToolError with the code DECLINED.
func Confirm(ctx context.Context, key, message string) error {
	q, err := FormQuestion[struct{}](key, message)
	if err != nil {
		return err
	}
	q.consent = true
	q.check = func(raw json.RawMessage) error { // clients may add content
		_, _, err := parseElicitation(raw)
		return err
	}
	answers, err := AskAll(ctx, q)
	if err != nil {
		return err
	}
	action, _, err := parseElicitation(answers[0])
	if err != nil {
		return err
	}
	if action != Accept {
		return &ToolError{Code: "DECLINED", Message: "the user did not agree: " + message, Next: "do not try again unless the user asks for it"}
	}
	return nil
}

// RootsQuestion returns a question for the folders that the client works in.
//
// Deprecated: roots are deprecated as of 2026-07-28.
func RootsQuestion(key string) Question {
	return rawQuestion(key, CapRoots, protocol.InputRequest{Method: "roots/list"}, "roots")
}

// rawQuestion returns a question whose answer is an object with the given member.
func rawQuestion(key string, needs Capability, request protocol.InputRequest, member string) Question {
	return Question{
		Key: key, capability: needs,
		request: func(protocol.Revision) protocol.InputRequest { return request },
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

// AskAll asks several questions in one round and returns the raw answers in the same order. The
// error is ErrInputRequired while an answer is missing, and ErrNoClient outside a call of a server.
// If the client lacks a capability, it is a *protocol.Error with protocol.CodeMissingCapability, or a *ToolError in
// revisions before 2026-07-28.
func AskAll(ctx context.Context, questions ...Question) ([]json.RawMessage, error) {
	call := CallFrom(ctx)
	if call == nil {
		return nil, ErrNoClient
	}
	if !call.canAsk {
		return nil, protocol.Errorf(protocol.CodeInternal, "%s cannot ask its client: only tools/call, prompts/get and resources/read can", call.Request.Method)
	}
	for _, q := range questions {
		if err := call.require(q.capability); err != nil {
			return nil, err
		}
	}
	if call.asker() == nil {
		watchQuestions(ctx, call, questions)
		return call.replay(ctx, questions)
	}
	requests := make(map[string]protocol.InputRequest, len(questions))
	for _, q := range questions {
		requests[q.Key] = call.sessionRequest(q)
	}
	got, err := call.awaitAnswers(ctx, requests)
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

// ErrNoClient is the error of a question in a handler that was called in process, without a client.
var ErrNoClient = errors.New("there is no client to ask")

// awaitAnswers waits for the client's answers. Meanwhile the call gives its place in the gate back, and
// its soft time limit is suspended.
func (call *Invocation) awaitAnswers(ctx context.Context, requests map[string]protocol.InputRequest) (map[string]json.RawMessage, error) {
	call.clock.pause()
	defer call.clock.resume()
	call.gate.leave()
	got, err := call.asker().Ask(ctx, requests)
	if err != nil {
		return nil, err
	}
	return got, call.gate.enter(ctx)
}
