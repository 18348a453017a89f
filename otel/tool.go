package otel

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
)

// Tool is a mcp.ToolMiddleware that makes a span of the run of a tool, within the span of
// its request. It is for tools.Profile.Wrap and mcp.ServerTool.Wrap. Server is enough for
// most programs; Tool also measures tasks, which run on after the response, and calls in
// process.
func (i *Instruments) Tool(next mcp.RawHandler) mcp.RawHandler {
	if i == nil || i.tracer == nil {
		return next
	}
	return func(ctx context.Context, args json.RawMessage) (result *mcp.ToolResult, err error) {
		l := labels{}
		if call := mcp.CallFrom(ctx); call != nil && isName(call.Tool) {
			l.tool = call.Tool
		}
		ctx, op := i.operateTool(ctx, l)
		returned := false
		defer func() {
			o := outcome{failure: errorPanic}
			if returned {
				o = outcomeOfTool(ctx, result, err)
			}
			op.end(ctx, o)
		}()
		result, err = next(ctx, args)
		returned = true
		return result, err
	}
}

func (i *Instruments) operateTool(ctx context.Context, l labels) (context.Context, operation) {
	l.method = executeTool // for the name alone
	name := l.name()
	l.method = ""
	op := operation{i: i, start: time.Now()}
	ctx, op.span = i.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindInternal), trace.WithAttributes(l.append(nil)...))
	if t := i.inject(ctx); t.Parent != "" {
		ctx = mcp.WithTrace(ctx, t)
	}
	return ctx, op
}

// outcomeOfTool returns the outcome of a tool. Its text for the model is left out, except for
// the error code.
func outcomeOfTool(ctx context.Context, result *mcp.ToolResult, err error) outcome {
	if err == nil {
		if result == nil {
			return outcome{}
		}
		return outcomeOf(ctx, result, nil)
	}
	if errors.Is(err, mcp.ErrInputRequired) {
		return outcome{kind: "input_required"}
	}
	o := outcomeOfError(ctx, err)
	if o.protocol == 0 && o.failure == otherError {
		o.failure = toolError
		o.code = mcp.ErrorResult(err).ErrorCode()
	}
	return o
}
