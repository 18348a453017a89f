package terminal_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/tools/internal/toolsettest"
	"github.com/dougu-go/dougu/tools/terminal"
)

// A principal sees and reaches only its own processes.
func TestTerminal_PrincipalIsolation(t *testing.T) {
	p := newProject(t, setup{})
	alice, bob := protocol.WithPrincipal(t.Context(), "alice"), protocol.WithPrincipal(t.Context(), "bob")
	started := make(map[string]context.Context)
	for _, ctx := range []context.Context{alice, bob, t.Context()} {
		r, err := p.Execute(ctx, terminal.CommandArgs{Command: "cat", Background: true, WaitMs: new(0)})
		if err != nil {
			t.Fatal(err)
		}
		started[r.ProcessID] = ctx
	}
	for id, owner := range started {
		for _, ctx := range started {
			_, readErr := p.ReadOutput(ctx, terminal.ReadOutputArgs{ProcessID: id})
			_, inputErr := p.SendInput(ctx, terminal.SendInputArgs{ProcessID: id, Input: "x"})
			_, buildErr := p.Build(ctx, terminal.BuildArgs{ProcessID: id})
			var refused *mcp.ToolError
			if !errors.As(buildErr, &refused) {
				t.Errorf("%s is a build: %v", id, buildErr)
			}
			if mine := ctx == owner; (readErr == nil) != mine || (inputErr == nil) != mine {
				t.Errorf("%s, of the caller: %t: reading %v, writing %v", id, mine, readErr, inputErr)
			}
			if ctx != owner {
				if _, err := p.Kill(ctx, terminal.KillArgs{ProcessID: id, Force: true}); err == nil {
					t.Errorf("%s is killed by another principal", id)
				}
			}
		}
		list, err := p.List(owner, terminal.ListArgs{})
		if err != nil || list.Total != 1 || list.Processes[0].ProcessID != id || !list.Processes[0].Running {
			t.Errorf("the owner of %s sees %+v, %v", id, list, err)
		}
	}
	for id, owner := range started {
		if r, err := p.Kill(owner, terminal.KillArgs{ProcessID: id, Force: true}); err != nil || !r.Success {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A principal cannot take all places, and does not learn the number of other processes.
func TestTerminal_ShareOfPrincipals(t *testing.T) {
	p := newProject(t, setup{options: terminal.Options{MaxProcesses: 4}})
	start := func(principal string) (n int) {
		for {
			_, err := p.Execute(protocol.WithPrincipal(t.Context(), principal), terminal.CommandArgs{Command: "cat", Background: true, WaitMs: new(0)})
			if err != nil {
				toolsettest.WantError(t, err, "TOO_MANY_PROCESSES", fmt.Sprint(n, " processes of yours"))
				return n
			}
			n++
		}
	}
	if alice, bob, carol := start("alice"), start("bob"), start("carol"); alice != 2 || bob != 1 || carol != 1 {
		t.Errorf("principals get %d, %d and %d places", alice, bob, carol)
	}
	alone := newProject(t, setup{options: terminal.Options{MaxProcesses: 4}})
	p = alone
	if n := start(""); n != 4 {
		t.Errorf("the user of the machine gets %d places", n)
	}
}
