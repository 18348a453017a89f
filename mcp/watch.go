package mcp

import (
	"context"

	"github.com/dougu-go/dougu/mcp/internal/replay"
)

// watchQuestions reports questions to package mcptest, if it runs the handler.
func watchQuestions(ctx context.Context, call *Invocation, questions []Question) {
	f := replay.Watcher(ctx)
	for i := 0; f != nil && i < len(questions); i++ {
		request := questions[i].request(call.Request.Meta.Revision)
		f(replay.Event{Key: questions[i].Key, Question: &request})
	}
}

// watchStep reports a step of Once to package mcptest, if it runs the handler.
func watchStep(ctx context.Context, key string) {
	if f := replay.Watcher(ctx); f != nil {
		f(replay.Event{Key: key})
	}
}
