package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// methodListen is a request that stays open while the client listens (2026-07-28,
// basic/patterns/subscriptions). Its duration is not recorded.
const methodListen = "subscriptions/listen"

// Requests measures all requests of a server by method. Put it into mcp.Server.Use before
// middleware that can refuse requests. Unknown methods are counted together as "other".
func (r *Recorder) Requests(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (result protocol.Result, err error) {
		start := time.Now()
		r.requesting.Add(1)
		returned := false
		defer func() { // also if the handler panics; the panic continues
			r.requesting.Add(-1)
			how, code := failed, codeInternal
			if returned {
				tool, _ := result.(*mcp.ToolResult)
				how, code = classify(ctx, tool, err)
			}
			name := req.Method
			var refused *protocol.Error
			if errors.As(err, &refused) && refused.Code == protocol.CodeMethodNotFound || name == "" || checkName(name, maxLabel) != nil {
				name = otherName
			}
			count := r.methods.forName(name)
			if name == methodListen {
				count.ended[how].Add(1)
				return
			}
			count.record(how, code, time.Since(start))
		}()
		result, err = next(ctx, req)
		returned = true
		return result, err
	}
}
