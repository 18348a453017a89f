package gateway_test

import (
	"slices"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Servers in the process, as a child and on a connection are one server to a
// client of either era.
func TestGateway_SeveralUpstreams(t *testing.T) {
	for _, rev := range eras {
		t.Run(string(rev), func(t *testing.T) {
			here := newServer("here")
			g := newGateway(t, gateway.Options{},
				gateway.Upstream{Name: "a", Server: here},
				gateway.Upstream{Name: "b", Connect: gateway.Always(child(t))},
				gateway.Upstream{Name: "c", Connect: inMemory(newServer("old"), protocol.Rev20241105)})
			var told heard
			c := connect(t, g, rev, mcp.ClientOptions{OnListChanged: func(list string) { told.add(list) }})
			names := toolNames(t, c)
			want := []string{"a_echo", "a_count", "a_deploy", "a_wait", "b_echo", "b_count", "b_deploy", "b_wait", "c_echo", "c_count", "c_deploy", "c_wait"}
			if !slices.Equal(names, want) {
				t.Errorf("the tools are %q", names)
			}
			for tool, server := range map[string]string{"a_echo": "here", "b_echo": "child", "c_echo": "old"} {
				if got := call(t, c, tool, echoArgs{"hello"}); got != server+" says hello" {
					t.Errorf("%s: %s", tool, got)
				}
			}
			if err := here.Remove("test"); err != nil {
				t.Fatal(err)
			}
			waittest.Until(t, "the change of the list is told", func() bool { return told.has("tools") })
			if names := toolNames(t, c); !slices.Equal(names, want[4:]) {
				t.Errorf("then the tools are %q", names)
			}
		})
	}
}
