package telemetry

import (
	"context"
	"errors"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// methodListen is a request that lasts for as long as its client listens (2026-07-28, basic/patterns/subscriptions): how long
// says nothing.
const methodListen = "subscriptions/listen"

// Requests measures all requests of a server, whatever their method: put it into mcp.Server.Use, before what may refuse some.
// Methods that the server does not know are counted together, as "other".
func (r *Recorder) Requests(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (result mcp.Result, err error) {
		start := time.Now()
		r.requesting.Add(1)
		returned := false
		defer func() { // also when the handler panics, which goes on its way
			r.requesting.Add(-1)
			how, code := failed, codeInternal
			if returned {
				tool, _ := result.(*mcp.ToolResult)
				how, code = classify(ctx, tool, err)
			}
			name := req.Method
			var protocol *mcp.Error
			if errors.As(err, &protocol) && protocol.Code == mcp.CodeMethodNotFound || name == "" || checkName(name, maxLabel) != nil {
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
