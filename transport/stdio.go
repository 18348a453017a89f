package transport

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// ServeStdio serves d on standard input and output until the input ends or ctx
// is done (2026-07-28, basic/transports/stdio). opts may be nil.
//
// From its first moment nothing but the protocol reaches standard output: the
// descriptor is taken over, and whatever else prints there, handlers and their
// children included, prints to standard error instead.
func ServeStdio(ctx context.Context, d mcp.Dispatcher, opts *Options) error {
	out, err := claimStdout()
	if err != nil {
		return fmt.Errorf("taking over standard output: %w", err)
	}
	surviveClosedStderr()
	return ServeIO(ctx, d, os.Stdin, out, opts)
}

// ServeIO serves d on a pair of streams, one message a line, until r ends or
// ctx is done. w is closed at the end, and so is r if it is an io.Closer.
func ServeIO(ctx context.Context, d mcp.Dispatcher, r io.Reader, w io.WriteCloser, opts *Options) error {
	o := opts.orDefault()
	closeBoth := func() error {
		if c, ok := r.(io.Closer); ok {
			_ = c.Close()
		}
		return w.Close()
	}
	return serve(ctx, d, rpc.NewLines(r, w, closeBoth, o.MaxMessage), &mcp.Peer{Transport: "stdio"}, o)
}
