package mcp_test

import (
	"context"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// What changes at one instance can be told at another, and does not come back.
func TestForwardChange(t *testing.T) {
	s := mcp.NewServer(mcp.Implementation{Name: "s", Version: "1"}, nil)
	if err := mcp.AddTool(s, mcp.Tool{Name: "t"}, func(context.Context, struct{}) (string, error) { return "", nil }); err != nil {
		t.Fatal(err)
	}
	woken := 0
	all := s.WatchAll(func() { woken++ })
	defer all.Stop()
	client, ok := s.Watch(protocol.SubscriptionFilter{ToolsListChanged: true}, func() {})
	if !ok {
		t.Fatal("the server cannot be watched")
	}
	defer client.Stop()
	s.ResourceUpdated("test://nobody/has/subscribed/to/it")
	if got := all.Take(); len(got) != 1 || got[0].Method() != "notifications/resources/updated" || woken != 1 {
		t.Errorf("noted %v", got)
	}
	s.ForwardChange(&protocol.ListChangedNotification{List: "tools"})
	s.ForwardChange(&protocol.RawNotification{Name: "notifications/other"})
	if got := client.Take(); len(got) != 1 || got[0].Method() != "notifications/tools/list_changed" {
		t.Errorf("a client is told %v", got)
	}
	if got := all.Take(); len(got) != 0 {
		t.Errorf("what another instance has told is noted: %v", got)
	}
	for i := range 2000 {
		s.ResourceUpdated("test://" + string(rune('a'+i%26)) + string(rune(0x4e00+i)))
	}
	if got := all.Take(); len(got) != 1025 || got[1024].Method() != "notifications/resources/list_changed" {
		t.Errorf("noted %d", len(got))
	}
}
