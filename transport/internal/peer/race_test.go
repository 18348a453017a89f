package peer_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport/internal/peer"
)

// The first subscription and the first notification may come at once.
func TestRouter_FirstSubscriptionRace(t *testing.T) {
	for range 50 {
		var r peer.Router
		ctx, cancel := context.WithCancel(t.Context())
		var both sync.WaitGroup
		both.Go(func() { r.Received("notifications/tools/list_changed", nil) })
		both.Go(func() {
			req := &protocol.Request{ID: "1", Params: json.RawMessage(`{"notifications":{"toolsListChanged":true}}`), Notify: func(_ context.Context, n protocol.Notification) error {
				cancel()
				return nil
			}}
			if _, err := r.Listen(ctx, req, protocol.ServerCapabilities{}, nil); !errors.Is(err, context.Canceled) {
				t.Errorf("listening: %v", err)
			}
		})
		both.Wait()
	}
}
