package mcp_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

func TestTraceContext_Environ(t *testing.T) {
	const parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
	for _, test := range []struct {
		name  string
		trace mcp.TraceContext
		want  []string
	}{
		{"none", mcp.TraceContext{}, nil},
		{"a parent", mcp.TraceContext{Parent: parent, Baggage: "user=ada"}, []string{"TRACEPARENT=" + parent}},
		{"a state too", mcp.TraceContext{Parent: parent, State: "a=1,b=2"}, []string{"TRACEPARENT=" + parent, "TRACESTATE=a=1,b=2"}},
		{"a state of several lines", mcp.TraceContext{Parent: parent, State: "a=1\nX=2"}, []string{"TRACEPARENT=" + parent}},
		{"a state with a NUL", mcp.TraceContext{Parent: parent, State: "a=\x00"}, []string{"TRACEPARENT=" + parent}},
		{"a long state", mcp.TraceContext{Parent: parent, State: "a=" + strings.Repeat("1", 600)}, []string{"TRACEPARENT=" + parent}},
		{"a state alone", mcp.TraceContext{State: "a=1"}, nil},
		{"a short parent", mcp.TraceContext{Parent: parent[:54]}, nil},
		{"a long parent", mcp.TraceContext{Parent: parent + "-x"}, nil},
		{"capitals", mcp.TraceContext{Parent: strings.ToUpper(parent)}, nil},
		{"another version", mcp.TraceContext{Parent: "01" + parent[2:]}, nil},
		{"dashes elsewhere", mcp.TraceContext{Parent: strings.Replace(parent, "36-", "3-6", 1)}, nil},
		{"a NUL", mcp.TraceContext{Parent: strings.Replace(parent, "4bf9", "4b\x009", 1)}, nil},
	} {
		if got := test.trace.Environ(); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

func TestSessionMeta_OnEndOnce(t *testing.T) {
	var session protocol.SessionMeta
	var told []string
	tell := func(what string) func() { return func() { told = append(told, what) } }
	if !session.OnEnd("a", tell("a")) || session.OnEnd("a", tell("a again")) || !session.OnEnd("b", tell("b")) || session.Ended() {
		t.Fatal("a session that goes on is told of once for each key")
	}
	session.End()
	session.End()
	slices.Sort(told)
	if !session.Ended() || !slices.Equal(told, []string{"a", "b"}) {
		t.Errorf("told %q", told)
	}
	if session.OnEnd("c", tell("c")) {
		t.Error("the end of what has ended was promised")
	}
}
