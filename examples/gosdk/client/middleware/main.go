// Command middleware has middleware that asks for progress with every request of a client. The connection numbers the requests.
package main

import (
	"context"
	"log"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func main() {
	_ = mcp.ClientOptions{Use: []mcp.Middleware{askForProgress}}
}

func askForProgress(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		req.Notify = func(_ context.Context, n protocol.Notification) error { return log.Output(1, n.Method()) }
		return next(ctx, req)
	}
}
