package peer_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// names returns the lists, URIs and loggers of notifications, in order.
func names(notes []protocol.Notification) string {
	var all []string
	for _, n := range notes {
		switch n := n.(type) {
		case *protocol.ListChangedNotification:
			all = append(all, n.List)
		case *protocol.ResourceUpdatedNotification:
			all = append(all, n.URI)
		case *protocol.LogNotification:
			all = append(all, "log "+n.Logger)
		case *protocol.ProgressNotification:
			all = append(all, fmt.Sprint("progress ", n.Progress))
		default:
			all = append(all, n.Method())
		}
	}
	return strings.Join(all, ",")
}

func TestInbox_OrderAndRepetitions(t *testing.T) {
	var box peer.Inbox
	for _, n := range []protocol.Notification{
		&protocol.ListChangedNotification{List: "tools"},
		&protocol.ResourceUpdatedNotification{URI: "a:b"},
		&protocol.ListChangedNotification{List: "tools"},
		&protocol.ListChangedNotification{List: "tools", Subscription: "2"},
		&protocol.ResourceUpdatedNotification{URI: "a:c"},
		&protocol.ResourceUpdatedNotification{URI: "a:b"},
		&protocol.ProgressNotification{Progress: 1},
		&protocol.ProgressNotification{Progress: 1},
		&protocol.LogNotification{Logger: "x"},
		&protocol.RawNotification{Name: "notifications/other"},
		&protocol.AcknowledgedNotification{Filter: protocol.SubscriptionFilter{ResourceSubscriptions: []string{"a:b"}}},
	} {
		box.Put(n)
	}
	select {
	case <-box.Signal():
	default:
		t.Error("an inbox with notifications does not say so")
	}
	const want = "tools,a:b,tools,a:c,progress 1,progress 1,log x,notifications/other,notifications/subscriptions/acknowledged"
	if got := names(box.Take()); got != want {
		t.Errorf("took %s\nwant %s", got, want)
	}
	if rest := box.Take(); rest != nil {
		t.Errorf("took %s again", names(rest))
	}
	box.Put(&protocol.ListChangedNotification{List: "tools"})
	if got := names(box.Take()); got != "tools" {
		t.Errorf("a change after the first was taken is lost: %q", got)
	}
}

func TestInbox_Bounds(t *testing.T) {
	t.Run("by number", func(t *testing.T) {
		var box peer.Inbox
		for i := range 5000 {
			box.Put(&protocol.ProgressNotification{Progress: float64(i)})
		}
		notes := box.Take()
		if len(notes) != 4096 || notes[4095].(*protocol.ProgressNotification).Progress != 4999 || notes[0].(*protocol.ProgressNotification).Progress != 904 {
			t.Errorf("kept %d notifications, from %v on", len(notes), notes[0])
		}
	})
	t.Run("by size", func(t *testing.T) {
		large := json.RawMessage(strings.Repeat("1", 6<<20))
		var box peer.Inbox
		for i := range 5 {
			box.Put(&protocol.LogNotification{Logger: fmt.Sprint(i), Data: large})
		}
		if got := names(box.Take()); got != "log 3,log 4" {
			t.Errorf("kept %s", got)
		}
		box.Put(&protocol.RawNotification{Name: "notifications/huge", Params: json.RawMessage(strings.Repeat("1", 20<<20))})
		if got := names(box.Take()); got != "notifications/huge" {
			t.Errorf("one that is too large alone: %q", got)
		}
	})
}
