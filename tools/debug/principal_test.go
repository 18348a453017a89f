package debug_test

import (
	"os"
	"testing"

	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/debug"
	"github.com/dougu-go/dougu/tools/internal/dap/daptest"
)

// A principal does not take the places of all others, and attaches to no process, which may be another's.
func TestDebugger_ShareOfPrincipals(t *testing.T) {
	p := played(t, daptest.Script{}, func(s *setup) { s.options.MaxSessions, s.options.Attach = 4, true })
	start := func(principal string) (n int) {
		for {
			_, err := p.Start(protocol.WithPrincipal(t.Context(), principal), debug.StartArgs{Program: "a.fake", Breakpoints: at(2)})
			if err != nil {
				wantCode(t, principal, err, "TOO_MANY_SESSIONS", "of yours run")
				return n
			}
			n++
		}
	}
	if alice, bob, carol := start("alice"), start("bob"), start("carol"); alice != 2 || bob != 1 || carol != 1 {
		t.Errorf("principals get %d, %d and %d places", alice, bob, carol)
	}
	_, err := p.Start(protocol.WithPrincipal(t.Context(), "alice"), debug.StartArgs{Mode: debug.ModeAttach, ProcessID: os.Getppid()})
	wantCode(t, "attaching", err, "PERMISSION_DENIED", "Only the user of this machine")
}
