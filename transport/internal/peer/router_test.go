package peer_test

import (
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// Notifications go to the request that they name, otherwise to the host.
func TestRouter_Targets(t *testing.T) {
	var r peer.Router
	progress, closeProgress := r.Open(`"p1"`)
	listen, closeListen := r.Open(`4`)
	for _, n := range [][2]string{
		{"notifications/progress", `{"progressToken":"p1","progress":1}`},
		{"notifications/progress", `{"progressToken":"p2","progress":2}`},
		{"notifications/progress", `{"progress":3}`},
		{"notifications/progress", `{"progressToken":"p1","progress":"much"}`},
		{"notifications/subscriptions/acknowledged", `{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"notifications":{"toolsListChanged":true}}`},
		{"notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":4}}`},
		{"notifications/tools/list_changed", `{"_meta":{"io.modelcontextprotocol/subscriptionId":"4"}}`},
		{"notifications/resources/updated", `{"_meta":{"io.modelcontextprotocol/subscriptionId":4},"uri":"a:b"}`},
		{"notifications/message", `{"level":"info","logger":"l","data":1}`},
		{"notifications/prompts/list_changed", ``},
		{"notifications/unheard/of", `{}`},
		{"notifications/message", `[`},
	} {
		r.Received(n[0], []byte(n[1]))
	}
	if got := names(progress.Take()); got != "progress 1" {
		t.Errorf("the request got %s", got)
	}
	if got := names(listen.Take()); got != "notifications/subscriptions/acknowledged,tools,a:b" {
		t.Errorf("the subscription got %s", got)
	}
	closeProgress()
	closeListen()
	r.Received("notifications/progress", []byte(`{"progressToken":"p1","progress":5}`))
	if got := names(progress.Take()); got != "" {
		t.Errorf("a request that has ended got %s", got)
	}
	done := make(chan struct{})
	close(done)
	var heard []protocol.Notification
	r.Deliver(&protocol.Host{Notified: func(n protocol.Notification) { heard = append(heard, n) }}, done)
	if got := names(heard); got != "progress 3,log l,prompts,notifications/unheard/of" {
		t.Errorf("the host got %s", got)
	}
}

func TestRouter_HostWithoutNotified(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var r peer.Router
		done := make(chan struct{})
		go r.Deliver(new(protocol.Host), done)
		r.Received("notifications/tools/list_changed", nil)
		synctest.Wait()
		close(done)
	})
}
