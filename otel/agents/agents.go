// Package agents makes spans of the runs of agents and of the tools that they
// call. A run belongs to the trace of the call that has ordered it, and the agent
// is told of its span in its environment, TRACEPARENT, as are the MCP servers that
// are started for it.
package agents

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/agents/executor"
)

const scope = "github.com/dougu-go/dougu/otel/agents"

const (
	// maxOpen bounds how many calls of tools are followed at once.
	maxOpen = 64
	// maxName bounds the names of tools, in bytes.
	maxName = 128
)

// Executor returns an executor that runs agents with e and makes a span of every run. It
// records neither prompts nor output nor arguments of tools. Without tracers it returns e.
func Executor(e executor.Executor, tracers trace.TracerProvider) executor.Executor {
	if tracers == nil {
		return e
	}
	return observed{e, tracers.Tracer(scope)}
}

type observed struct {
	executor.Executor
	tracer trace.Tracer
}

// Unwrap returns the executor that is observed; see executor.Find.
func (o observed) Unwrap() executor.Executor { return o.Executor }

// Run implements executor.Executor.
func (o observed) Run(ctx context.Context, s executor.Spec, tell func(executor.Event)) (exit executor.Exit, err error) {
	ctx, span := o.tracer.Start(parent(ctx), "invoke_agent "+o.Name(), trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "invoke_agent"), attribute.String("gen_ai.agent.name", o.Name()),
		attribute.String("gen_ai.agent.id", s.AgentID), attribute.String("gen_ai.request.model", s.Model)))
	defer span.End()
	var c propagation.MapCarrier = make(map[string]string, 2)
	propagation.TraceContext{}.Inject(ctx, c)
	t := mcp.TraceContext{Parent: c["traceparent"], State: c["tracestate"]}
	env := t.Environ()
	s.Env = within(s.Env, env)
	s.Servers = slices.Clone(s.Servers)
	for n := range s.Servers {
		s.Servers[n].Env = within(s.Servers[n].Env, env)
	}
	r := &run{o: o, ctx: ctx, span: span, tell: tell, open: make(map[string]trace.Span)}
	defer r.close()
	returned := false
	defer func() {
		if !returned {
			r.failed("panic")
		}
	}()
	exit, err = o.Executor.Run(mcp.WithTrace(ctx, t), s, r.hear)
	returned = true
	if failure := errorType(ctx, exit, err); failure != "" {
		r.failed(failure)
	}
	return exit, err
}

// parent is ctx with the span that a run belongs to: that of ctx, else that of the
// call that has ordered it.
func parent(ctx context.Context) context.Context {
	if trace.SpanContextFromContext(ctx).IsValid() {
		return ctx
	}
	t := mcp.TraceFrom(ctx)
	return propagation.TraceContext{}.Extract(ctx, propagation.MapCarrier{"traceparent": t.Parent, "tracestate": t.State})
}

// within is an environment in the trace that more tells of, in place of another.
func within(env, more []string) []string {
	if len(more) == 0 {
		return env
	}
	rest := slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		return strings.HasPrefix(v, "TRACEPARENT=") || strings.HasPrefix(v, "TRACESTATE=")
	})
	return append(rest, more...)
}

// errorType is the error.type of how a run has ended, empty if it went well.
func errorType(ctx context.Context, exit executor.Exit, err error) string {
	cause := context.Cause(ctx)
	switch {
	case err == nil && exit.Finished && !exit.Failed:
		return ""
	case cause != nil:
		return "cancelled" // or out of time: the record of the agent tells
	case errors.Is(err, executor.ErrUnauthenticated), errors.Is(exit.Cause, executor.ErrUnauthenticated):
		return "unauthenticated"
	case errors.Is(err, executor.ErrUnknownModel), errors.Is(exit.Cause, executor.ErrUnknownModel):
		return "unknown_model"
	case errors.Is(err, executor.ErrUnavailable), errors.Is(exit.Cause, executor.ErrUnavailable):
		return "unavailable"
	case err != nil:
		return "not_started"
	}
	return "failed"
}

// run is an agent that is running.
type run struct {
	o    observed
	ctx  context.Context
	span trace.Span
	tell func(executor.Event)
	open map[string]trace.Span // calls of tools, by their ids
}

// hear records an event of an agent and forwards it.
func (r *run) hear(e executor.Event) {
	defer r.tell(e)
	switch e.Kind {
	case executor.Init:
		if e.Session != "" {
			r.span.SetAttributes(attribute.String("gen_ai.conversation.id", clean(e.Session)))
		}
	case executor.ToolStarted:
		r.started(e.Tool)
	case executor.ToolCompleted:
		r.completed(e.Tool)
	case executor.Silence:
		r.span.AddEvent("silence")
	}
	if u := e.Usage; u != nil {
		r.span.SetAttributes(attribute.Int64("gen_ai.usage.input_tokens", u.InputTokens), attribute.Int64("gen_ai.usage.output_tokens", u.OutputTokens))
	}
}

func (r *run) started(tool *executor.Tool) {
	if tool == nil || tool.CallID == "" || len(r.open) >= maxOpen {
		return
	}
	if _, twice := r.open[tool.CallID]; twice {
		return
	}
	name := clean(cmp.Or(tool.Name, tool.Type))
	_, r.open[tool.CallID] = r.o.tracer.Start(r.ctx, strings.TrimSpace("execute_tool "+name), trace.WithAttributes(
		attribute.String("gen_ai.operation.name", "execute_tool"), attribute.String("gen_ai.tool.name", name)))
}

func (r *run) completed(tool *executor.Tool) {
	if tool == nil {
		return
	}
	span, ok := r.open[tool.CallID]
	if !ok {
		return
	}
	delete(r.open, tool.CallID)
	if tool.Failed {
		span.SetAttributes(attribute.String("error.type", "tool_error"))
		span.SetStatus(codes.Error, "")
	}
	span.End()
}

func (r *run) failed(how string) {
	r.span.SetAttributes(attribute.String("error.type", how))
	r.span.SetStatus(codes.Error, "")
}

// close ends the spans of calls that were never completed.
func (r *run) close() {
	for _, span := range r.open {
		span.SetAttributes(attribute.String("error.type", "abandoned"))
		span.SetStatus(codes.Error, "")
		span.End()
	}
}

// clean returns a name from an agent without invalid characters, shortened.
func clean(s string) string {
	s = strings.Map(func(c rune) rune {
		if c <= ' ' || c == 0x7f || c == utf8.RuneError {
			return '_'
		}
		return c
	}, s[:min(len(s), maxName)])
	return s
}
