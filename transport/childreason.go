package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// childConn is a connection to a child process. Errors of a connection that is
// closed say how the child has ended.
type childConn struct {
	*clientConn
	child *process.Child
	words *lastLines
}

// Dispatch implements mcp.Dispatcher.
func (c *childConn) Dispatch(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
	result, err := c.clientConn.Dispatch(ctx, req)
	return result, explainEnd(err, c.child, c.words)
}

// explainEnd adds the exit code and the last lines of standard error of a child
// that has ended to the error of its connection.
func explainEnd(err error, child *process.Child, words *lastLines) error {
	if !errors.Is(err, rpc.ErrClosed) {
		return err
	}
	exit, ended := child.Exited()
	if !ended {
		return err
	}
	how := fmt.Sprintf("exit code %d", exit.Code)
	if exit.Signal != "" {
		how = "signal " + exit.Signal
	}
	said := words.String()
	switch {
	case said != "":
		return fmt.Errorf("%w: the server has ended with %s and said last: %s", err, how, said)
	case exit.Code != 0:
		return fmt.Errorf("%w: the server has ended with %s and said nothing", err, how)
	}
	return fmt.Errorf("%w: the server has ended", err)
}

const (
	// maxLastLines is the number of lines of standard error that an error has.
	maxLastLines = 5
	// maxLastLine is the length of each, in bytes.
	maxLastLine = 300
)

// lastLines keeps the last lines of a child's standard error.
type lastLines struct {
	mu    sync.Mutex
	lines []string
}

// add keeps a line that is not empty.
func (l *lastLines) add(line string) {
	if line = strings.TrimSpace(strings.ToValidUTF8(line[:min(len(line), maxLastLine)], "")); line == "" {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.lines) == maxLastLines {
		l.lines = l.lines[1:]
	}
	l.lines = append(l.lines, line)
}

// String returns the lines in one.
func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return strings.Join(l.lines, " | ")
}
