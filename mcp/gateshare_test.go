package mcp_test

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// The calls of one principal do not keep those of others out, however many there are.
func TestGate_ShareOfPrincipals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		running, finish := make(map[string]*atomic.Int64), make(chan struct{})
		principals := []string{"greedy", "modest", "", "third"}
		for _, p := range principals {
			running[p] = new(atomic.Int64)
		}
		srv := gated(t, mcp.NewGate(8), mcp.NewTool(mcp.Tool{Name: "work"}, func(ctx context.Context, _ struct{}) (string, error) {
			n := running[mcp.CallFrom(ctx).Request.Peer.Principal]
			n.Add(1)
			defer n.Add(-1)
			select {
			case <-finish:
			case <-ctx.Done():
			}
			return "done", ctx.Err()
		}))
		var work group.Group
		call := func(ctx context.Context, principal string, times int) {
			for range times {
				work.Go(func() {
					_, _ = srv.Dispatch(ctx, &protocol.Request{Method: "tools/call", Params: json.RawMessage(`{"name":"work"}`), Peer: protocol.Peer{Principal: principal}}) // its end is counted
				})
			}
			synctest.Wait()
		}
		check := func(when string, want ...int64) {
			t.Helper()
			got := make([]int64, len(principals))
			for i, p := range principals {
				got[i] = running[p].Load()
			}
			if fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("%s %v calls of %q run, want %v", when, got, principals, want)
			}
		}
		giveUp, cancel := context.WithCancel(t.Context())
		call(giveUp, "greedy", 20)
		check("alone", 4, 0, 0, 0)
		call(t.Context(), "modest", 20)
		check("beside another", 4, 2, 0, 0)
		call(t.Context(), "", 20)
		check("beside the user of the machine", 4, 2, 2, 0)
		call(t.Context(), "third", 1)
		check("when all places are taken", 4, 2, 2, 0)
		cancel()
		synctest.Wait()
		check("when one has given up", 0, 2, 5, 1)
		close(finish)
		synctest.Wait()
		work.Wait()
		check("in the end", 0, 0, 0, 0)
	})
}
