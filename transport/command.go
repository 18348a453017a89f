package transport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Command is an protocol.Transport that runs a server as a child process and speaks
// over its standard input and output (2026-07-28, basic/transports/stdio). Each
// connection has a process of its own. Closing the connection closes the input
// of the process; if the process does not end, it is ended together with its
// descendants.
type Command struct {
	// Path is the program. A name without a separator is looked up in PATH.
	Path string
	// Args are the arguments after the program name.
	Args []string
	// Dir is the working directory. Empty: the directory of this process.
	Dir string
	// Env holds variables, as "NAME=value", that are added to Environ, or to
	// the environment of this process if Environ is nil.
	Env []string
	// Environ, if not nil, replaces the inherited environment. Set it if the
	// environment of this process holds secrets that the server must not have.
	Environ []string
	// Stderr receives each line that the server writes to standard error; a
	// line there is no sign of failure. Nil discards the lines.
	Stderr func(line string)
	// Grace is the time in which the server must end by itself after its input
	// has closed, and again after it was asked to end. Default 2 s. A server
	// without a successful handshake has a tenth of a second at most.
	Grace time.Duration
	// Options limit the connection. Nil selects the defaults.
	Options *Options
}

// unconnectedGrace is the longest grace of a server without a successful handshake.
const unconnectedGrace = 100 * time.Millisecond

// Connect implements protocol.Transport. If the server ends during the handshake
// because it does not know the revision, it is started a second time with
// revision 2025-11-25.
func (t Command) Connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	conn, err := t.connect(ctx, host)
	if errors.Is(err, rpc.ErrClosed) && host.Revision == "" && ctx.Err() == nil {
		older := *host
		older.Revision = protocol.Rev20251125
		if again, errAgain := t.connect(ctx, &older); errAgain == nil {
			return again, nil
		}
	}
	return conn, err
}

func (t Command) connect(ctx context.Context, host *protocol.Host) (protocol.Conn, error) {
	cmd := exec.Command(t.Path, t.Args...)
	cmd.Dir = t.Dir
	switch {
	case t.Environ != nil:
		cmd.Env = slices.Concat(t.Environ, t.Env)
	case t.Env != nil:
		cmd.Env = append(os.Environ(), t.Env...)
	}
	stderrTail := new(process.LastLines)
	child, err := process.Start(cmd, func(line string) {
		stderrTail.Add(line)
		if t.Stderr != nil {
			t.Stderr(line)
		}
	})
	if err != nil {
		return nil, err
	}
	grace := t.Grace
	if grace <= 0 {
		grace = 2 * time.Second
	}
	var connected atomic.Bool
	stop := func() error {
		if !connected.Load() {
			// The time limit of the client is over, or the server is none.
			return child.Stop(context.WithoutCancel(ctx), min(grace, unconnectedGrace))
		}
		return child.Stop(context.WithoutCancel(ctx), grace)
	}
	o := t.Options.orDefault()
	client, err := connect(ctx, rpc.NewLines(child.Stdout, child.Stdin, stop, o.MaxMessage), host, o)
	if err != nil {
		return nil, fmt.Errorf("talking to %s: %w", t.Path, addExitReason(err, child, stderrTail))
	}
	connected.Store(true)
	return &childConn{client, child, stderrTail}, nil
}
