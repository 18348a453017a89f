package transport

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// Endpoint is a place at which a Dispatcher can be served: Stdio, Listen, HTTP.
type Endpoint interface {
	// Serve serves d until ctx is done, which is no error, or the endpoint
	// ends by itself. When it returns, nothing of it runs any more, but what
	// ignores that its context has ended.
	Serve(ctx context.Context, d mcp.Dispatcher) error
}

// Serve serves d at all endpoints at once. When ctx is done, or one endpoint
// fails or ends, as standard input does when the client is gone, all others are
// ended too; Serve returns when they have, with everything that went wrong.
func Serve(ctx context.Context, d mcp.Dispatcher, endpoints ...Endpoint) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var (
		running group.Group
		mu      sync.Mutex
		failed  []error
	)
	fail := func(err error) {
		mu.Lock()
		defer mu.Unlock()
		failed = append(failed, err)
	}
	running.OnPanic = func(v any, stack []byte) { fail(fmt.Errorf("panic while serving: %v\n%s", v, stack)) }
	for _, endpoint := range endpoints {
		running.Go(func() {
			defer cancel()
			if err := endpoint.Serve(ctx, d); err != nil {
				fail(err)
			}
		})
	}
	running.Wait()
	return errors.Join(failed...)
}

// Stdio is the Endpoint of ServeStdio. A process has one.
type Stdio struct {
	Options *Options // nil has the defaults
}

// Serve implements Endpoint.
func (e Stdio) Serve(ctx context.Context, d mcp.Dispatcher) error {
	return ServeStdio(ctx, d, e.Options)
}
