// Package calllog writes every call of a tool into a log: which tool, how long it
// took and how it ended, and at level debug what it was called with. Contents and
// results are never logged.
package calllog

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"strings"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/jsonx"
	"github.com/dougu-go/dougu/mcp"
)

// Log logs calls. Its two middlewares belong together: Requests around a server
// sees every call, those that never reach a tool as well; Tools around every tool
// lets what is logged of a call go to the call's client, see mcp.NewLogHandler.
type Log struct {
	log    *slog.Logger
	redact func(arguments []byte) []byte
}

// New returns a Log. redact shortens the JSON of arguments and takes secrets out
// of it.
func New(log *slog.Logger, redact func(arguments []byte) []byte) *Log {
	return &Log{log: log, redact: redact}
}

// inner is the context of a call inside the server, once there is one.
type inner struct {
	ctx atomic.Pointer[context.Context]
}

type innerKey struct{}

// Tools is a middleware for tools.Profile.Wrap. It must be the outermost.
func (l *Log) Tools(next mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		call := mcp.CallFrom(ctx)
		if in, ok := ctx.Value(innerKey{}).(*inner); ok {
			logged := context.WithoutCancel(ctx)
			in.ctx.Store(&logged)
		}
		if call != nil && l.log.Enabled(ctx, slog.LevelDebug) {
			l.log.LogAttrs(ctx, slog.LevelDebug, "tool called", slog.String("tool", call.Tool), requestID(call.Request), slog.String("arguments", string(l.redact(args))))
		}
		return next(ctx, args)
	}
}

// Requests is a middleware for mcp.Server.Use.
func (l *Log) Requests(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *mcp.Request) (mcp.Result, error) {
		if req.Method != "tools/call" {
			return next(ctx, req)
		}
		in := new(inner)
		start := time.Now()
		result, err := next(context.WithValue(ctx, innerKey{}, in), req)
		took := time.Since(start)
		logged := context.WithoutCancel(ctx)
		if called := in.ctx.Load(); called != nil {
			logged = *called
		}
		level, outcome := judge(ctx, result, err)
		if l.log.Enabled(logged, level) {
			attrs := append([]slog.Attr{slog.String("tool", toolName(req.Params)), slog.Float64("durationMs", float64(took.Microseconds())/1000), requestID(req)}, outcome...)
			l.log.LogAttrs(logged, level, "tool call", attrs...)
		}
		return result, err
	}
}

// requestID is the id as the client wrote it.
func requestID(req *mcp.Request) slog.Attr {
	return slog.String("requestId", shorten(string(req.ID)))
}

// longest is how much is logged of what a client made up, in bytes.
const longest = 128

func shorten(s string) string {
	if len(s) > longest {
		return strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}

// toolName is the name that the params of a call have.
func toolName(params json.RawMessage) string {
	if len(params) == 0 {
		return ""
	}
	members := jsonx.Object(params)
	for members.Next() {
		if string(members.Key()) == "name" {
			if name, err := jsonx.Unquote(members.Value()); err == nil {
				return shorten(name)
			}
		}
	}
	return ""
}

// judge says how a call has ended, and how much that matters.
func judge(ctx context.Context, result mcp.Result, err error) (slog.Level, []slog.Attr) {
	outcome := func(text string, more ...slog.Attr) []slog.Attr {
		return append([]slog.Attr{slog.String("outcome", text)}, more...)
	}
	if err != nil {
		if ctx.Err() != nil {
			return slog.LevelInfo, outcome("cancelled")
		}
		if protocol, ok := errors.AsType[*mcp.Error](err); ok {
			level := slog.LevelWarn
			if protocol.Code == mcp.CodeInternal {
				level = slog.LevelError
			}
			return level, outcome("refused", slog.Int64("code", protocol.Code), slog.String("error", shorten(protocol.Message)))
		}
		return slog.LevelError, outcome("failed", slog.String("error", shorten(err.Error())))
	}
	if _, asks := result.(*mcp.InputRequired); asks {
		return slog.LevelInfo, outcome("input required")
	}
	answer, ok := result.(*mcp.ToolResult)
	if !ok || !answer.IsError {
		return slog.LevelInfo, outcome("ok")
	}
	if ctx.Err() != nil {
		return slog.LevelInfo, outcome("cancelled")
	}
	code := answer.ErrorCode()
	level := slog.LevelWarn
	if code == internalError {
		level = slog.LevelError
	}
	return level, outcome("error", slog.String("code", code))
}

// internalError is the code of what is the server's own fault.
const internalError = "INTERNAL_ERROR"
