//go:build unix

package transport_test

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// A client that reads nothing does not keep the server from ending.
func TestServeIO_UnreadAnswers(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(cancel context.CancelFunc, in *os.File)
		most time.Duration
	}{
		"cancelled":    {func(cancel context.CancelFunc, _ *os.File) { cancel() }, time.Second},
		"end of input": {func(_ context.CancelFunc, in *os.File) { _ = in.Close() }, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			srv := mcp.NewServer(mcp.Implementation{Name: "unread", Version: "1"}, nil)
			theirIn, in, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			out, theirOut, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer out.Close()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			served := make(chan error, 1)
			go func() { served <- transport.ServeIO(ctx, srv, theirIn, theirOut, nil) }()
			for i := range 2000 {
				fmt.Fprintf(in, `{"jsonrpc":"2.0","id":%d,"method":"server/discover","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`+"\n", i)
			}
			time.Sleep(100 * time.Millisecond) // the pipe is full by then
			began := time.Now()
			c.end(cancel, in)
			select {
			case <-served:
			case <-time.After(time.Minute):
				t.Fatal("it does not end")
			}
			if took := time.Since(began); took > c.most {
				t.Errorf("it has ended after %v", took)
			}
		})
	}
}
