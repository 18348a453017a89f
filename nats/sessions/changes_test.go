package sessions_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/nats/internal/natstest"
	"github.com/dougu-go/dougu/nats/sessions"
)

// A change at one instance is notified once to the clients of all instances, and does not
// go round in circles.
func TestShareChanges(t *testing.T) {
	server := natstest.Start(t)
	newServer := func() (*mcp.Server, chan struct{}, protocol.Watch) {
		srv := mcp.NewServer(mcp.Implementation{Name: "test", Version: "1"}, nil)
		if err := srv.Replace("test", mcp.Features{
			Tools: []mcp.ServerTool{mcp.NewTool(mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", nil })},
			Resources: []mcp.ServerResource{mcp.NewResource(mcp.Resource{URI: "test://a", Name: "a"}, func(context.Context, string) ([]mcp.ResourceContents, error) {
				return nil, nil
			})},
		}); err != nil {
			t.Fatal(err)
		}
		stop, err := newStore(t, server, sessions.Options{}).ShareChanges(srv)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(stop)
		signal := make(chan struct{}, 1)
		watch, ok := srv.Watch(protocol.SubscriptionFilter{ToolsListChanged: true, ResourceSubscriptions: []string{"test://a"}}, func() {
			select {
			case signal <- struct{}{}:
			default:
			}
		})
		if !ok {
			t.Fatal("the server cannot be watched")
		}
		t.Cleanup(watch.Stop)
		return srv, signal, watch
	}
	one, _, oneHears := newServer()
	_, signal, otherHears := newServer()
	expect := func(want string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		select {
		case <-signal:
		case <-ctx.Done():
			t.Fatalf("%s did not come", want)
		}
		if got := otherHears.Take(); len(got) != 1 || got[0].Method() != want {
			t.Errorf("told %v, want %s", got, want)
		}
	}
	one.ResourceUpdated("test://a")
	expect("notifications/resources/updated")
	if err := mcp.AddTool(one, mcp.Tool{Name: "more"}, func(context.Context, struct{}) (string, error) { return "", nil }); err != nil {
		t.Fatal(err)
	}
	expect("notifications/tools/list_changed")
	one.ResourceUpdated("test://b") // without a subscription
	one.ResourceUpdated("test://a")
	expect("notifications/resources/updated")
	if got := oneHears.Take(); len(got) != 2 { // two that say the same are one
		t.Errorf("the instance itself heard %v", got)
	}
}
