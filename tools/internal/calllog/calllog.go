// Package calllog logs every tool call: the tool, the duration and the outcome, and at level debug the redacted arguments. Contents
// and results are not logged.
//
// [Log] has two middlewares, one around the server and one around each tool. Both must be installed.
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
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Log logs calls. Requests wraps a server and logs every call, also a call that reaches no tool. Tools wraps every tool and records
// its context, so that log messages can be sent to the client of the call (mcp.NewLogHandler). Its methods may be called
// concurrently.
type Log struct {
	log    *slog.Logger
	redact func(arguments []byte) []byte
}

// New returns a Log. redact shortens the arguments, which are JSON, and removes secrets. It is called only at level debug.
func New(log *slog.Logger, redact func(arguments []byte) []byte) *Log {
	return &Log{log: log, redact: redact}
}

// inner holds the context of a call inside the server, after a tool has started.
type inner struct {
	ctx atomic.Pointer[context.Context]
}

type innerKey struct{}

type shownKey struct{}

// WithShownFailures returns a context for calls whose caller shows the failures itself, for example on a terminal. They are logged at
// level debug instead of warn.
func WithShownFailures(ctx context.Context) context.Context {
	return context.WithValue(ctx, shownKey{}, true)
}

// Tools is a middleware for tools.Profile.Wrap. It must be the outermost one.
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

// Requests is a middleware for mcp.Server.Use. Requests other than tools/call pass unchanged.
func (l *Log) Requests(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
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
		level, outcome := classify(ctx, result, err)
		if level == slog.LevelWarn && ctx.Value(shownKey{}) != nil {
			level = slog.LevelDebug
		}
		if l.log.Enabled(logged, level) {
			attrs := append([]slog.Attr{slog.String("tool", toolName(req.Params)), slog.Float64("durationMs", float64(took.Microseconds())/1000), requestID(req)}, outcome...)
			l.log.LogAttrs(logged, level, "tool call", attrs...)
		}
		return result, err
	}
}

// requestID returns the id of the request, as JSON text.
func requestID(req *protocol.Request) slog.Attr {
	return slog.String("requestId", shorten(string(req.ID)))
}

// maxValue is the length in bytes to which values of the client are truncated.
const maxValue = 128

func shorten(s string) string {
	if len(s) > maxValue {
		return strings.ToValidUTF8(s[:maxValue], "") + "…"
	}
	return s
}

// toolName returns the name in the parameters of a call.
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

// classify returns the log level and the outcome of a call.
func classify(ctx context.Context, result protocol.Result, err error) (slog.Level, []slog.Attr) {
	outcome := func(text string, more ...slog.Attr) []slog.Attr {
		return append([]slog.Attr{slog.String("outcome", text)}, more...)
	}
	if err != nil {
		if ctx.Err() != nil {
			return slog.LevelInfo, outcome("cancelled")
		}
		if refused, ok := errors.AsType[*protocol.Error](err); ok {
			level := slog.LevelWarn
			if refused.Code == protocol.CodeInternal {
				level = slog.LevelError
			}
			return level, outcome("refused", slog.Int64("code", refused.Code), slog.String("error", shorten(refused.Message)))
		}
		return slog.LevelError, outcome("failed", slog.String("error", shorten(err.Error())))
	}
	if _, asks := result.(*protocol.InputRequired); asks {
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

// internalError is the code of an internal error of the server.
const internalError = "INTERNAL_ERROR"
