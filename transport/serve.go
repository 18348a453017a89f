package transport

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Endpoint is an address at which a Dispatcher is served. Stdio, Listen and
// HTTP are endpoints.
type Endpoint interface {
	// Serve serves d until ctx is done or the endpoint ends by itself. The end
	// of ctx is no error. When Serve returns, all of its goroutines have ended,
	// except handlers that ignore the end of their context.
	Serve(ctx context.Context, d protocol.Dispatcher) error
}

// Serve serves d at all endpoints. If ctx is done, or one endpoint fails or
// ends (stdio ends with its input), Serve ends all others. It returns after all
// have ended, with the errors of all.
func Serve(ctx context.Context, d protocol.Dispatcher, endpoints ...Endpoint) error {
	if ctx == nil {
		return errors.New("serving: the context is nil")
	}
	if slices.Contains(endpoints, nil) {
		return errors.New("serving: an endpoint is nil")
	}
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
	// The group recovers the panic of an endpoint and calls OnPanic before Wait returns.
	running.OnPanic = func(v any, stack []byte) { fail(fmt.Errorf("panic while serving: %v\n%s", v, stack)) }
	for _, endpoint := range endpoints {
		running.Go(func() {
			defer cancel() // the end of one endpoint, for whatever reason, ends all
			if err := endpoint.Serve(ctx, d); err != nil {
				fail(err)
			}
		})
	}
	running.Wait()
	return errors.Join(failed...)
}

// Stdio is the Endpoint that serves on standard input and output, as ServeStdio
// does. A process must not have more than one.
type Stdio struct {
	// Options limit the connection. Nil selects the defaults.
	Options *Options
}

// Serve implements Endpoint.
func (e Stdio) Serve(ctx context.Context, d protocol.Dispatcher) error {
	return ServeStdio(ctx, d, e.Options)
}
