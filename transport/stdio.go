package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// ServeStdio serves d on standard input and output until the input ends or ctx
// is done (2026-07-28, basic/transports/stdio). opts may be nil.
//
// Only protocol messages reach standard output: ServeStdio takes over the
// descriptor at its start. Later output of this process and its children to
// standard output goes to standard error instead.
func ServeStdio(ctx context.Context, d protocol.Dispatcher, opts *Options) error {
	if err := peer.CheckServing(ctx, d); err != nil {
		return err
	}
	out, err := claimStdout()
	if err != nil {
		return fmt.Errorf("taking over standard output: %w", err)
	}
	catchSIGPIPE()
	return ServeIO(ctx, d, os.Stdin, out, opts)
}

// ServeIO serves d on a reader and a writer, one message a line, until r ends
// or ctx is done. At the end it closes w, and r if r is an io.Closer. opts may
// be nil.
func ServeIO(ctx context.Context, d protocol.Dispatcher, r io.Reader, w io.WriteCloser, opts *Options) error {
	if err := peer.CheckServing(ctx, d); err != nil {
		return err
	}
	if r == nil || w == nil {
		return errors.New("serving: the reader or the writer is nil")
	}
	o := opts.orDefault()
	closeBoth := func() error {
		if c, ok := r.(io.Closer); ok {
			_ = c.Close()
		}
		return w.Close()
	}
	return serve(ctx, d, rpc.NewLines(r, w, closeBoth, o.MaxMessage), &protocol.Peer{Transport: "stdio"}, o)
}
