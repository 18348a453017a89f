package mcp

import (
	"context"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// ReplayEvent is a question or a step that a handler executes before its end. A replay must execute
// the same events in the same order.
type ReplayEvent struct {
	// Key is the key of the question or step.
	Key string
	// Question is the question; nil for a step of Once.
	Question *protocol.InputRequest
}

// watchKey is the context key of the function of WatchReplay.
type watchKey struct{}

// WatchReplay returns a copy of ctx in which f receives, in order, the questions and steps of
// handlers that can be replayed. It is for tests; see package mcptest.
func WatchReplay(ctx context.Context, f func(ReplayEvent)) context.Context {
	return context.WithValue(ctx, watchKey{}, f)
}

// watchQuestions reports questions to the function of WatchReplay, if any.
func watchQuestions(ctx context.Context, call *Invocation, questions []Question) {
	f, ok := ctx.Value(watchKey{}).(func(ReplayEvent))
	for i := 0; ok && i < len(questions); i++ {
		request := questions[i].request(call.Request.Meta.Revision)
		f(ReplayEvent{Key: questions[i].Key, Question: &request})
	}
}

// watchStep reports a step of Once to the function of WatchReplay, if any.
func watchStep(ctx context.Context, key string) {
	if f, ok := ctx.Value(watchKey{}).(func(ReplayEvent)); ok {
		f(ReplayEvent{Key: key})
	}
}
