package transport

import (
	"context"
	"io"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp"
)

// Stream carries messages in both directions: what a transport of one's own
// must implement. Each frame is one JSON-RPC message.
//
// Read returns the next frame, valid until the next Read; io.EOF is a regular
// end, and a *TooLargeError means that one frame was skipped and reading can go
// on. Write sends one or more frames, each ended by the one newline in it. Close
// ends both directions and unblocks Read and Write. Read and Write are called by
// one goroutine each. A stream with a method CloseUnblocksRead() bool that
// answers true, because Close ends a Read under way whatever the other side does,
// costs a goroutine less.
type Stream = rpc.Stream

// TooLargeError is a frame over the limit of its stream, which was skipped.
type TooLargeError = rpc.TooLargeError

// ServeStream serves d to the peer at the other end of a stream until the
// stream ends or ctx is done, and closes it. opts may be nil; a stream bounds
// its messages itself.
func ServeStream(ctx context.Context, d mcp.Dispatcher, s Stream, from mcp.Peer, opts *Options) error {
	return newServerConn(ctx, d, s, &from, opts.orDefault().rpc()).run()
}

// ConnectStream connects a client to the server at the other end of a stream,
// which the connection closes: it is what Connect of a transport ends with.
func ConnectStream(ctx context.Context, s Stream, host *mcp.Host, opts *Options) (mcp.Conn, error) {
	client, err := connect(ctx, s, host, opts.orDefault())
	if err != nil {
		return nil, err
	}
	return client, nil
}

// NewLines is the Stream of stdio and sockets: one message a line, in UTF-8
// (2026-07-28, basic/transports/stdio). maxMessage bounds a message that is read,
// in bytes; 0 means 16 MiB. closer, which may be nil, closes what is below.
func NewLines(r io.Reader, w io.Writer, closer func() error, maxMessage int) Stream {
	return rpc.NewLines(r, w, closer, maxMessage)
}
