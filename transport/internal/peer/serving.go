package peer

import (
	"context"
	"errors"
	"reflect"

	"github.com/dougu-go/dougu/mcp"
)

// CheckServing returns an error if the context or the Dispatcher of an endpoint is nil.
func CheckServing(ctx context.Context, d mcp.Dispatcher) error {
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
func Serving(d mcp.Dispatcher) mcp.Dispatcher {
	if isNil(d) {
		return noServer{}
	}
	return d
}

// isNil reports whether d is nil or a nil pointer.
func isNil(d mcp.Dispatcher) bool {
	if d == nil {
		return true
	}
	v := reflect.ValueOf(d)
	return v.Kind() == reflect.Pointer && v.IsNil()
}

// noServer is a Dispatcher without a server.
type noServer struct{}

// Dispatch implements mcp.Dispatcher.
func (noServer) Dispatch(context.Context, *mcp.Request) (mcp.Result, error) {
	return nil, mcp.Errorf(mcp.CodeInternal, "The server is misconfigured: it is nil")
}
