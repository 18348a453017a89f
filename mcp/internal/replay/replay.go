// Package replay reports the questions and steps of handlers to package mcptest, which checks that a
// replay executes the same ones in the same order.
package replay

import (
	"context"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// Event is a question or a step that a handler executes before its end.
type Event struct {
	Key      string                 // Key is the key of the question or step.
	Question *protocol.InputRequest // Question is the question; nil for a step of mcp.Once.
}

// watchKey is the context key of the function of Watch.
type watchKey struct{}

// Watch returns a copy of ctx in which f receives, in order, the questions and steps of handlers that
// can be replayed.
func Watch(ctx context.Context, f func(Event)) context.Context {
	return context.WithValue(ctx, watchKey{}, f)
}

// Watcher returns the function of Watch, or nil.
func Watcher(ctx context.Context) func(Event) {
	f, _ := ctx.Value(watchKey{}).(func(Event))
	return f
}
