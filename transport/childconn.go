package transport

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// childConn is a connection to a child process. Errors of a closed connection
// contain the exit code of the child and the last lines of its standard error.
type childConn struct {
	*clientConn
	child      *process.Child
	stderrTail *process.LastLines
}

// Dispatch implements protocol.Dispatcher.
func (c *childConn) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	result, err := c.clientConn.Dispatch(ctx, req)
	return result, addExitReason(err, c.child, c.stderrTail)
}

// Err implements protocol.Ender.
func (c *childConn) Err() error {
	select {
	case <-c.Done():
		return addExitReason(rpc.ErrClosed, c.child, c.stderrTail)
	default:
		return nil
	}
}

// addExitReason adds the exit code and the last lines of standard error to the
// error of a connection whose child has ended, and the last lines to the error
// of a child that did not answer in time. Other errors are returned unchanged.
func addExitReason(err error, child *process.Child, stderrTail *process.LastLines) error {
	if late := (*mcp.TimeoutError)(nil); errors.As(err, &late) {
		if said := stderrTail.String(); said != "" {
			return fmt.Errorf("%w; the server said last: %s", err, said)
		}
		return err
	}
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	exit, ended := child.Exited()
	if !ended {
		return err
	}
	return fmt.Errorf("%w: the server has ended with %s", err, stderrTail.After(exit))
}
