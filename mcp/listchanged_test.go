package mcp_test

import (
	"sync/atomic"
	"testing"

	"github.com/dougu-go/dougu/internal/waittest"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/mcptest"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// What middleware makes of a list changes when it says so.
func TestListChanged(t *testing.T) {
	srv := mcptest.Server(t, mcp.Features{ReserveTools: true})
	for _, rev := range []protocol.Revision{protocol.Rev20251125, protocol.Latest} {
		var told atomic.Bool
		mcptest.Connect(t, srv, &mcp.ClientOptions{Revision: rev, OnListChanged: func(list string) {
			if list != "tools" {
				t.Errorf("%s has changed, which nobody has heard of", list)
			}
			told.Store(true)
		}})
		waittest.Until(t, "the change is told", func() bool {
			srv.ListChanged("tools")
			return told.Load()
		})
	}
}
