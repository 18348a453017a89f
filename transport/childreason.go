package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// childConn is a connection to a child process. Errors of a connection that is
// closed say how the child has ended.
type childConn struct {
	*clientConn
	child *process.Child
	words *process.LastLines
}

// Dispatch implements mcp.Dispatcher.
func (c *childConn) Dispatch(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	result, err := c.clientConn.Dispatch(ctx, req)
	return result, explainEnd(err, c.child, c.words)
}

// Err implements mcp.Ender.
func (c *childConn) Err() error {
	select {
	case <-c.Done():
		return explainEnd(rpc.ErrClosed, c.child, c.words)
	default:
		return nil
	}
}

// explainEnd adds the exit code and the last lines of standard error of a child
// that has ended to the error of its connection.
func explainEnd(err error, child *process.Child, words *process.LastLines) error {
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	exit, ended := child.Exited()
	if !ended {
		return err
	}
	return fmt.Errorf("%w: the server has ended with %s", err, words.After(exit))
}
