package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/internal/replay"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Answers holds the answers of a user to the questions of a handler, by key. A value is the content
// of an accepted form as a struct or map, an mcp.Action, the answer of a model as a
// *mcp.SampleResult, or the whole answer as a json.RawMessage, which an answer to roots must be.
type Answers map[string]any

// maxRounds limits the rounds of questions of one request.
const maxRounds = 100

// CheckReplay calls a tool, answers its questions until it returns a result, and returns the
// result. args must encode as a JSON object; nil means no arguments.
//
// Revision 2026-07-28 runs a handler again from its start after each round of answers, so every run
// must repeat the same questions and steps. The test fails if a run asks other questions than the
// run before, asks them in another order, or uses other keys of mcp.Once, which records the result of a
// step for later runs. It also fails if a question has no answer or an invalid answer. Only
// questions and steps are compared: CheckReplay does not see other side effects, such as a file
// that each run writes again.
func CheckReplay(t testing.TB, d protocol.Dispatcher, tool string, args any, answers Answers) *mcp.ToolResult {
	t.Helper()
	params := map[string]any{"name": tool}
	if args != nil {
		params["arguments"] = args
	}
	result := new(mcp.ToolResult)
	if err := json.Unmarshal(CheckReplayOf(t, d, "tools/call", params, answers), result); err != nil {
		t.Fatalf("the result of %s: %v", tool, err)
	}
	return result
}

// CheckReplayOf is CheckReplay for any method with questions: tools/call, prompts/get and
// resources/read. It returns the result as JSON.
func CheckReplayOf(t testing.TB, d protocol.Dispatcher, method string, params map[string]any, answers Answers) json.RawMessage {
	t.Helper()
	r := &replayRun{t: t, d: checked(t, d), method: method, params: params, answers: answers}
	for r.round = 1; r.round <= maxRounds; r.round++ {
		if result := r.run(); result != nil {
			return result
		}
	}
	t.Fatalf("%s has asked %d times: a question whose key changes is never answered", method, maxRounds)
	return nil
}

// replayRun is the state of one request over its rounds.
type replayRun struct {
	t       testing.TB
	d       protocol.Dispatcher
	method  string
	params  map[string]any
	answers Answers

	round     int                        // current round, from 1
	path      []replay.Event             // questions and steps of the last round, to its first unanswered question
	state     string                     // request state
	responses map[string]json.RawMessage // answers for the next round, by key
	asked     map[string]string          // answered questions as text, by key
}

// run executes one round. It returns the result, or nil if the handler asked questions.
func (r *replayRun) run() json.RawMessage {
	r.t.Helper()
	wire, events := r.dispatch()
	r.compare(events)
	var result struct {
		Type     string                           `json:"resultType"`
		Requests map[string]protocol.InputRequest `json:"inputRequests"`
		State    string                           `json:"requestState"`
	}
	if err := json.Unmarshal(wire, &result); err != nil {
		r.t.Fatalf("round %d of %s: the result is malformed: %v", r.round, r.method, err)
	}
	if result.Type != "input_required" {
		return wire
	}
	r.state, r.responses = result.State, make(map[string]json.RawMessage)
	if r.asked == nil {
		r.asked = make(map[string]string)
	}
	for key, question := range result.Requests {
		words := question.Method + " " + string(question.Params)
		if before, again := r.asked[key]; again && before == words {
			r.t.Fatalf("round %d asks %q again: the answer %v does not fit %s", r.round, key, r.answers[key], words)
		} else if again {
			r.t.Fatalf("round %d asks %q in other words than before, so that its answer is lost:\nfirst %s\n then %s", r.round, key, before, words)
		}
		r.asked[key] = words
		r.responses[key] = r.answer(key, question)
	}
	r.path = events
	for i, e := range events {
		if _, open := result.Requests[e.Key]; e.Question != nil && open {
			r.path = events[:i+1]
			break
		}
	}
	return nil
}

// dispatch sends the request of this round. It returns the encoded result and the events of the
// handler: its questions and its steps of mcp.Once, which package mcp reports to the function of
// replay.Watch.
func (r *replayRun) dispatch() (json.RawMessage, []replay.Event) {
	r.t.Helper()
	params := map[string]any{"_meta": map[string]any{
		"io.modelcontextprotocol/protocolVersion": protocol.Latest,
		"io.modelcontextprotocol/clientCapabilities": json.RawMessage(
			`{"elicitation":{"form":{},"url":{}},"sampling":{"context":{},"tools":{}},"roots":{}}`),
	}}
	for name, value := range r.params {
		params[name] = value
	}
	if r.responses != nil {
		params["inputResponses"], params["requestState"] = r.responses, r.state
	}
	raw, err := json.Marshal(params)
	if err != nil {
		r.t.Fatalf("encoding the params of %s: %v", r.method, err)
	}
	meta, err := protocol.ReadMeta(raw)
	if err != nil {
		r.t.Fatal(err)
	}
	var mu sync.Mutex
	var events []replay.Event
	ctx := replay.Watch(r.t.Context(), func(e replay.Event) {
		mu.Lock()
		defer mu.Unlock()
		events = append(events, e)
	})
	result, err := r.d.Dispatch(ctx, &protocol.Request{
		ID: "1", Method: r.method, Params: raw, Meta: meta, Peer: protocol.Peer{Transport: "mcptest"},
		Notify: func(context.Context, protocol.Notification) error { return nil },
	})
	var wire []byte
	if err == nil {
		wire, err = result.AppendJSON(nil, protocol.Latest)
	}
	if err != nil {
		r.t.Fatalf("round %d of %s: %v", r.round, r.method, err)
	}
	return wire, events
}

// compare reports a difference between the events of this round and the last one.
func (r *replayRun) compare(events []replay.Event) {
	r.t.Helper()
	for i, before := range r.path {
		if i == len(events) {
			r.t.Errorf("round %d ended before it came to %s, as round %d did", r.round, describe(before), r.round-1)
			return
		}
		if now := events[i]; describe(now) != describe(before) {
			r.t.Errorf("round %d came to %s where round %d came to %s", r.round, describe(now), r.round-1, describe(before))
			return
		}
	}
}

// describe returns an event as text for messages.
func describe(e replay.Event) string {
	if e.Question == nil {
		return fmt.Sprintf("the step %q", e.Key)
	}
	return fmt.Sprintf("the question %q: %s %s", e.Key, e.Question.Method, e.Question.Params)
}

// answer returns the encoded answer to a question. A missing answer fails the test.
func (r *replayRun) answer(key string, question protocol.InputRequest) json.RawMessage {
	r.t.Helper()
	answer, ok := r.answers[key]
	if !ok {
		r.t.Fatalf("round %d asks %q, to which there is no answer: %s", r.round, key, question.Params)
	}
	var wire any
	switch answer := answer.(type) {
	case json.RawMessage:
		return answer
	case *mcp.SampleResult:
		wire = answer
	case mcp.Action:
		elicited := map[string]any{"action": answer}
		if answer == mcp.Accept && !strings.Contains(string(question.Params), `"mode":"url"`) {
			elicited["content"] = map[string]any{}
		}
		wire = elicited
	default:
		wire = map[string]any{"action": mcp.Accept, "content": answer}
	}
	raw, err := json.Marshal(wire)
	if err != nil {
		r.t.Fatalf("encoding the answer to %q: %v", key, err)
	}
	return raw
}
