package transport

import (
	"context"
	"io"

	"github.com/dougu-go/dougu/internal/rpc"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Stream carries JSON-RPC messages in both directions. A transport of another
// package implements it and uses ServeStream or ConnectStream. Each frame is
// one message.
//
// Read returns the next frame, which is valid until the next Read. The error
// io.EOF is a regular end. A *TooLargeError means that one frame was skipped
// and Read can be called again. Write sends one or more frames; each ends with
// its only newline. Close ends both directions and unblocks Read and Write. One
// goroutine calls Read, and one calls Write.
//
// A stream may have a method CloseUnblocksRead() bool. It returns true if Close
// ends a running Read whatever the other side does, which saves a goroutine.
type Stream = rpc.Stream

// TooLargeError is the error of a frame over the size limit of its stream. The
// frame was skipped.
type TooLargeError = rpc.TooLargeError

// ServeStream serves d to the peer at the other end of a stream until the
// stream ends or ctx is done, and closes the stream. opts may be nil. The
// stream itself limits the size of messages; Options.MaxMessage has no effect.
func ServeStream(ctx context.Context, d protocol.Dispatcher, s Stream, from protocol.Peer, opts *Options) error {
	return newServerConn(ctx, d, s, &from, opts.orDefault().rpc()).run()
}

// ConnectStream runs the handshake with the server at the other end of a stream
// and returns the connection, which closes the stream. It is the last step of
// Connect in an protocol.Transport. opts may be nil.
func ConnectStream(ctx context.Context, s Stream, host *protocol.Host, opts *Options) (protocol.Conn, error) {
	client, err := connect(ctx, s, host, opts.orDefault())
	if err != nil {
		return nil, err
	}
	return client, nil
}

// NewLines returns the Stream of stdio and sockets: one message a line, in
// UTF-8 (2026-07-28, basic/transports/stdio). maxMessage is the size in bytes
// of the largest message that is read; 0 means 16 MiB. Close calls closer,
// which may be nil.
func NewLines(r io.Reader, w io.Writer, closer func() error, maxMessage int) Stream {
	return rpc.NewLines(r, w, closer, maxMessage)
}
