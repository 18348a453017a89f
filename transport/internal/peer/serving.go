package peer

import (
	"context"
	"errors"
	"reflect"

	"github.com/dougu-go/dougu/mcp/protocol"
)

// CheckServing returns an error if the context or the Dispatcher of an endpoint is nil.
func CheckServing(ctx context.Context, d protocol.Dispatcher) error {
	switch {
	case ctx == nil:
		return errors.New("serving: the context is nil")
	case isNil(d):
		return errors.New("serving: the server is nil")
	}
	return nil
}

// Serving returns d, or a Dispatcher that refuses every request if d is nil, for handlers whose
// constructors return no error.
func Serving(d protocol.Dispatcher) protocol.Dispatcher {
	if isNil(d) {
		return noServer{}
	}
	return d
}

// isNil reports whether d is nil or a nil pointer.
func isNil(d protocol.Dispatcher) bool {
	if d == nil {
		return true
	}
	v := reflect.ValueOf(d)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// noServer is a Dispatcher without a server.
type noServer struct{}

// Dispatch implements protocol.Dispatcher.
func (noServer) Dispatch(context.Context, *protocol.Request) (protocol.Result, error) {
	return nil, protocol.Errorf(protocol.CodeInternal, "The server is misconfigured: it is nil")
}
