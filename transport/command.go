package transport

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// Command connects clients to a server that it runs as a child process, over
// its standard input and output (2026-07-28, basic/transports/stdio). Closing
// the connection closes the child's input, and ends the child and everything
// that it has started if that does not do.
type Command struct {
	Path string // looked up in PATH
	Args []string
	Dir  string
	Env  []string // added to this process's own, or to Environ
	// Environ, if not nil, is what the server inherits instead of the whole
	// environment of this process, which may hold secrets that are not for it.
	Environ []string
	// Stderr receives each line that the server writes to standard error; it
	// says nothing of success or failure. Nil throws them away.
	Stderr func(line string)
	// Grace is how long the server has to end by itself, and again after having
	// been asked to. Default 2 s.
	Grace   time.Duration
	Options *Options
}

// Connect implements mcp.Transport. A server that ends because it is asked for
// a revision that it does not know is started again and asked as an older one.
func (t Command) Connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	conn, err := t.connect(ctx, host)
	if errors.Is(err, rpc.ErrClosed) && host.Revision == "" && ctx.Err() == nil {
		older := *host
		older.Revision = mcp.Rev20251125
		if again, errAgain := t.connect(ctx, &older); errAgain == nil {
			return again, nil
		}
	}
	return conn, err
}

func (t Command) connect(ctx context.Context, host *mcp.Host) (mcp.Conn, error) {
	cmd := exec.Command(t.Path, t.Args...)
	cmd.Dir = t.Dir
	switch {
	case t.Environ != nil:
		cmd.Env = slices.Concat(t.Environ, t.Env)
	case t.Env != nil:
		cmd.Env = append(os.Environ(), t.Env...)
	}
	words := new(process.LastLines)
	child, err := process.Start(cmd, func(line string) {
		words.Add(line)
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
	stop := func() error { return child.Stop(context.WithoutCancel(ctx), grace) }
	o := t.Options.orDefault()
	client, err := connect(ctx, rpc.NewLines(child.Stdout, child.Stdin, stop, o.MaxMessage), host, o)
	if err != nil {
		return nil, fmt.Errorf("talking to %s: %w", t.Path, explainEnd(err, child, words))
	}
	return &childConn{client, child, words}, nil
}
