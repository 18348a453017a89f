package tools

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
)

// Record returns a middleware for Profile.Wrap that writes each finished tool call to an audit log: arguments without secrets,
// duration and outcome. The tool sets also record changes before they happen. If a record cannot be written, the error goes to
// log and the call succeeds.
func Record(records *audit.Log, log *slog.Logger) mcp.ToolMiddleware {
	return func(next mcp.RawHandler) mcp.RawHandler {
		return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
			call := mcp.CallFrom(ctx)
			if call == nil {
				return next(ctx, args)
			}
			start := time.Now()
			ctx, refused := audit.WithCall(ctx)
			result, err := next(ctx, args)
			if refused(call.Tool) {
				return result, err // the tool has recorded its refusal
			}
			outcome := err
			if err == nil && result != nil && result.IsError {
				parts, _ := result.Meta[protocol.ErrorMeta].(map[string]any)
				reason, _ := parts["reason"].(string)
				outcome = &security.Error{Code: security.Code(result.ErrorCode()), Reason: security.Reason(reason)}
			}
			failed := records.Record(context.WithoutCancel(ctx), audit.Entry{Operation: call.Tool, Params: args}, time.Since(start), outcome)
			if failed != nil {
				log.LogAttrs(ctx, slog.LevelError, "a call is missing in the audit log", slog.String("tool", call.Tool), slog.Any("error", failed))
			}
			return result, err
		}
	}
}

// identify makes the client of a call the one on whose behalf a tool runs.
func identify(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		if call == nil || call.Request == nil {
			return next(ctx, args)
		}
		peer, id := &call.Request.Peer, audit.Identity{}
		if id.UserID = peer.Principal; id.UserID == "" {
			id.UserID = call.Request.Meta.Client().Name
		}
		id.SessionID = strings.TrimSpace(peer.Transport + " " + peer.Address)
		return next(audit.WithIdentity(ctx, id), args)
	}
}
