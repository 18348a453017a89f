package mcp

import "context"

// ReplayEvent is something that a handler does on its way to a question, and
// must do again in the same way when it runs once more with the answer.
type ReplayEvent struct {
	// Key is that of the question or step.
	Key string
	// Question is what is asked; nil for a step of Once.
	Question *InputRequest
}

type watchKey struct{}

// WatchReplay returns a context in which f hears, in order, of the questions and
// steps of the handlers that are run again for their answers. It serves tests,
// see package mcptest.
func WatchReplay(ctx context.Context, f func(ReplayEvent)) context.Context {
	return context.WithValue(ctx, watchKey{}, f)
}

func watchQuestions(ctx context.Context, call *Invocation, questions []Question) {
	f, ok := ctx.Value(watchKey{}).(func(ReplayEvent))
	for i := 0; ok && i < len(questions); i++ {
		request := questions[i].request(call.Request.Meta.Revision)
		f(ReplayEvent{Key: questions[i].Key, Question: &request})
	}
}

func watchStep(ctx context.Context, key string) {
	if f, ok := ctx.Value(watchKey{}).(func(ReplayEvent)); ok {
		f(ReplayEvent{Key: key})
	}
}
