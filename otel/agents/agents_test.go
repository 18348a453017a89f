package agents_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"go.opentelemetry.io/otel/codes"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/otel"
	"github.com/dougu-go/dougu/otel/agents"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools"
	crew "github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// stage is an executor that runs a function as its agent.
type stage struct {
	play func(ctx context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error)
}

func (stage) Name() string { return "stage" }
func (stage) Models(context.Context) ([]executor.Model, error) {
	return []executor.Model{{ID: "small"}}, nil
}
func (s stage) Run(ctx context.Context, spec executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
	return s.play(ctx, spec, tell)
}
func (stage) Close() error { return nil }

func recorder() (*tracetest.SpanRecorder, *sdktrace.TracerProvider) {
	spans := tracetest.NewSpanRecorder()
	return spans, sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(spans))
}

func attributes(s sdktrace.ReadOnlySpan) map[string]string {
	all := make(map[string]string)
	for _, a := range s.Attributes() {
		all[string(a.Key)] = a.Value.String()
	}
	return all
}

func named(t *testing.T, spans *tracetest.SpanRecorder, name string) sdktrace.ReadOnlySpan {
	t.Helper()
	for _, s := range spans.Ended() {
		if s.Name() == name {
			return s
		}
	}
	t.Fatalf("no span is called %q", name)
	return nil
}

func TestAgents_RunSpan(t *testing.T) {
	spans, tracers := recorder()
	var got executor.Spec
	var heard []executor.Kind
	e := agents.Executor(stage{func(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		got = s
		tell(executor.Event{Kind: executor.Init, Session: "one two"})
		tell(executor.Event{Kind: executor.ToolStarted, Tool: &executor.Tool{CallID: "1", Type: "edit\nTool", Args: []byte(`"private"`)}})
		tell(executor.Event{Kind: executor.ToolStarted, Tool: &executor.Tool{CallID: "1", Type: "again"}})
		tell(executor.Event{Kind: executor.ToolCompleted, Tool: &executor.Tool{CallID: "1", Failed: true, Error: "private"}})
		tell(executor.Event{Kind: executor.ToolCompleted, Tool: &executor.Tool{CallID: "never begun"}})
		tell(executor.Event{Kind: executor.ToolStarted})
		tell(executor.Event{Kind: executor.ToolStarted, Tool: &executor.Tool{CallID: "2", Server: "git", Name: "log"}})
		tell(executor.Event{Kind: executor.Finished, Text: "private", Usage: &record.Usage{InputTokens: 10, OutputTokens: 2}})
		return executor.Exit{Finished: true}, nil
	}}, tracers)
	given := executor.Spec{
		AgentID: "a-1", Model: "small", Prompt: "private", Env: []string{"TRACEPARENT=00-x", "TRACESTATE=y", "A=b"},
		Servers: []executor.Server{{Name: "home", Env: []string{"TRACEPARENT=00-x"}}},
	}
	if _, err := e.Run(t.Context(), given, func(e executor.Event) { heard = append(heard, e.Kind) }); err != nil {
		t.Fatal(err)
	}
	span := named(t, spans, "invoke_agent stage")
	want := "TRACEPARENT=00-" + span.SpanContext().TraceID().String() + "-" + span.SpanContext().SpanID().String() + "-01"
	if !slices.Equal(got.Env, []string{"A=b", want}) || !slices.Equal(got.Servers[0].Env, []string{want}) || given.Servers[0].Env[0] != "TRACEPARENT=00-x" {
		t.Errorf("the environments are %q and %q", got.Env, got.Servers)
	}
	for key, want := range map[string]string{"gen_ai.agent.id": "a-1", "gen_ai.request.model": "small", "gen_ai.conversation.id": "one_two", "gen_ai.usage.input_tokens": "10", "gen_ai.usage.output_tokens": "2", "error.type": ""} {
		if got := attributes(span)[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	edit, log := named(t, spans, "execute_tool edit_Tool"), named(t, spans, "execute_tool log")
	if edit.Parent().SpanID() != span.SpanContext().SpanID() || attributes(edit)["error.type"] != "tool_error" || attributes(log)["error.type"] != "abandoned" {
		t.Errorf("the tools are %v and %v", edit.Attributes(), log.Attributes())
	}
	if len(heard) != 8 {
		t.Errorf("handed on were %v", heard)
	}
	for _, s := range spans.Ended() {
		for _, a := range s.Attributes() {
			if strings.Contains(a.Value.String(), "private") {
				t.Errorf("%s tells %s", s.Name(), a.Value.String())
			}
		}
	}
}

func TestAgents_FailedRuns(t *testing.T) {
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	for want, test := range map[string]struct {
		ctx  context.Context
		exit executor.Exit
		err  error
	}{
		"cancelled":       {gone, executor.Exit{}, nil},
		"unauthenticated": {t.Context(), executor.Exit{Cause: executor.ErrUnauthenticated}, nil},
		"unknown_model":   {t.Context(), executor.Exit{Cause: executor.ErrUnknownModel}, nil},
		"unavailable":     {t.Context(), executor.Exit{}, executor.ErrUnavailable},
		"not_started":     {t.Context(), executor.Exit{}, errors.New("no luck")},
		"failed":          {t.Context(), executor.Exit{Finished: true, Failed: true}, nil},
	} {
		spans, tracers := recorder()
		e := agents.Executor(stage{func(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) {
			return test.exit, test.err
		}}, tracers)
		_, _ = e.Run(test.ctx, executor.Spec{}, func(executor.Event) {})
		span := named(t, spans, "invoke_agent stage")
		if got := attributes(span)["error.type"]; got != want || span.Status().Code != codes.Error {
			t.Errorf("error.type is %q, want %q", got, want)
		}
	}
	spans, tracers := recorder()
	e := agents.Executor(stage{func(context.Context, executor.Spec, func(executor.Event)) (executor.Exit, error) { panic("boom") }}, tracers)
	func() {
		defer func() { _ = recover() }()
		_, _ = e.Run(t.Context(), executor.Spec{}, func(executor.Event) {})
	}()
	if got := attributes(named(t, spans, "invoke_agent stage"))["error.type"]; got != "panic" {
		t.Errorf("error.type is %q", got)
	}
	if plain := (stage{}); agents.Executor(plain, nil) == nil {
		t.Error("without tracers there is no executor")
	}
}

// roleSet is the one role that there is.
type roleSet struct{}

func (roleSet) Role(id string) (roles.Role, bool) { return roleSet{}.Roles()[0], id == "worker" }
func (roleSet) Roles() []roles.Role {
	return []roles.Role{{ID: "worker", Executor: "stage", Model: "small"}}
}

// The trace of whoever orders an agent reaches the agent, long after the call was
// answered.
func TestAgents_TraceOfOrder(t *testing.T) {
	spans, tracers := recorder()
	instruments, err := otel.New(otel.Options{Tracers: tracers})
	if err != nil {
		t.Fatal(err)
	}
	root, err := security.OpenRoot(security.RootOptions{Dirs: []string{t.TempDir()}, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	env := make(chan []string, 1)
	e := agents.Executor(stage{func(_ context.Context, s executor.Spec, tell func(executor.Event)) (executor.Exit, error) {
		env <- s.Env
		tell(executor.Event{Kind: executor.Init, Session: "s"})
		tell(executor.Event{Kind: executor.Finished, Text: "done"})
		return executor.Exit{Finished: true}, nil
	}}, tracers)
	set, err := crew.New(t.Context(), tools.Env{Root: root}, crew.Options{Executors: []executor.Executor{e}, Roles: roleSet{}, Stagger: -1, StateDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close(context.Background())
	group, err := set.CreateGroup(t.Context(), crew.GroupArgs{Description: "a test"})
	if err != nil {
		t.Fatal(err)
	}
	serve := instruments.Server(func(ctx context.Context, _ *protocol.Request) (protocol.Result, error) {
		_, err := set.Run(ctx, crew.RunArgs{GroupID: group.GroupID, Role: "worker", Prompt: "work"})
		return protocol.EmptyResult{}, err
	})
	if _, err := serve(t.Context(), &protocol.Request{Method: "tools/call", Params: []byte(`{"name":"run_agent"}`)}); err != nil {
		t.Fatal(err)
	}
	select {
	case got := <-env:
		order := named(t, spans, "tools/call run_agent")
		if !slices.ContainsFunc(got, func(v string) bool {
			return strings.HasPrefix(v, "TRACEPARENT=00-"+order.SpanContext().TraceID().String())
		}) {
			t.Errorf("the environment is %q", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("the agent was not run")
	}
	if err := set.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := named(t, spans, "invoke_agent stage").Parent().SpanID(), named(t, spans, "tools/call run_agent").SpanContext().SpanID(); got != want {
		t.Errorf("the parent is %s, want %s", got, want)
	}
}
