package tools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/hashicorp/go-multierror"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
)

// Installation is a number of sets in a server.
type Installation struct {
	server *mcp.Server
	owner  string

	updating sync.Mutex // held during an exchange of the sets

	work group.Group // goroutines that close replaced sets, and refresh

	mu        sync.Mutex // guards the fields below
	current   *generation
	watched   map[Watcher]func() // functions that end the watch, by set
	refreshes bool               // refresh is running
	outdated  bool               // a set has changed since the last call of its Features
	failed    *multierror.Error  // errors of closing replaced sets, and of refresh
}

// generation is the result of one Install or Update, with the calls that still use it.
type generation struct {
	profile Profile
	sets    []Set
	earlier []<-chan struct{} // idle channels of earlier generations, whose calls may use the same sets
	// successor counts a call with the present generation, if that has all sets of this one; nil otherwise.
	successor func(*generation) *generation

	mu      sync.Mutex    // guards the fields below
	calls   int           // running calls
	retired bool          // a later generation has replaced this one, or the Installation was closed
	closed  bool          // retired and without calls: idle is closed, later calls are refused
	idle    chan struct{} // closed when the generation is retired and its last call has ended
}

// Install registers the features of sets in a server, shaped by the profile. owner names the installation among others of the
// server. Descriptions, next steps of errors and the server's instructions can advise to call a tool. Advice to call a tool
// that the profile leaves out, or that is not listed at present, is removed; see Advice. A tool without permissions gets the default of its annotations; see
// mcp.Tool.DefaultPermission.
//
// On an error nothing is registered, the error contains all problems, and the caller must close the sets.
func Install(s *mcp.Server, owner string, p Profile, sets ...Set) (*Installation, error) {
	in := &Installation{server: s, owner: owner}
	return in, in.Update(p, sets...)
}

// Update exchanges the sets and the profile, atomically for clients: a request
// sees all of the old or all of the new sets. On an error nothing has changed. A
// set that the new list does not contain is closed in the background, when the
// last call of its tools has ended. A Profile changes tools only: resources and
// prompts are offered as they are. Their handlers can still be called shortly
// after their set was closed.
func (in *Installation) Update(p Profile, sets ...Set) error {
	in.updating.Lock()
	defer in.updating.Unlock()
	return in.exchange(p, sets)
}

func (in *Installation) exchange(p Profile, sets []Set) error {
	next := &generation{profile: p, sets: sets, successor: in.enterSuccessor, idle: make(chan struct{})}
	// Sets that are a Watcher report later changes of their Features. The watch
	// begins before the call of Features, so that no change between the two is
	// missed.
	started := in.watch(sets)
	in.mu.Lock()
	in.outdated = false
	in.mu.Unlock()
	all, err := next.features()
	if err == nil {
		err = in.server.Replace(in.owner, all)
	}
	if err != nil {
		for _, set := range started {
			in.unwatch(set)
		}
		return err
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	old := in.current
	in.current = next
	if old != nil {
		next.earlier = append(unfinished(old.earlier), old.idle)
		in.closeReplaced(old, next)
	}
	in.refreshIfOutdated() // a set has changed during the exchange
	return nil
}

// features returns the features of all sets, shaped by the profile.
func (g *generation) features() (mcp.Features, error) {
	var all mcp.Features
	for _, set := range g.sets {
		var f mcp.Features
		err := contain("installing", set, func() error {
			f = set.Features()
			return nil
		})
		if err != nil {
			return all, err
		}
		all.Tools = append(all.Tools, f.Tools...)
		all.Resources = append(all.Resources, f.Resources...)
		all.Templates = append(all.Templates, f.Templates...)
		all.Prompts = append(all.Prompts, f.Prompts...)
		// A reserved kind is announced to clients even if no feature of the kind exists yet. One set is enough to reserve it.
		all.ReserveTools = all.ReserveTools || f.ReserveTools
		all.ReserveResources = all.ReserveResources || f.ReserveResources
		all.ReservePrompts = all.ReservePrompts || f.ReservePrompts
	}
	tools, err := g.profile.apply(all.Tools)
	if err != nil {
		return all, fmt.Errorf("installing tools: %w", err)
	}
	// o removes advice to call tools that are known and not listed.
	listed := slices.DeleteFunc(slices.Clone(tools), func(t mcp.ServerTool) bool { return t.Options().Unlisted })
	o := &offer{known: names(all.Tools), offered: names(listed), renamed: g.profile.Names}
	for own, name := range g.profile.Names {
		o.offered[own] = o.offered[name]
	}
	for i, t := range tools {
		if t.Permissions() == nil {
			t = t.With(mcp.ToolOptions{Permissions: []string{t.Tool().DefaultPermission()}})
		}
		// identify names the client of the call for the audit log. o.middleware edits the next steps of errors.
		tools[i] = t.With(mcp.ToolOptions{EditDescriptions: o.advice}).Wrap(g.count, identify, o.middleware)
	}
	all.Tools, all.Instruct = tools, o.advice
	return all, nil
}

// names returns the set of the names of tools.
func names(tools []mcp.ServerTool) map[string]bool {
	all := make(map[string]bool, len(tools))
	for _, t := range tools {
		all[t.Tool().Name] = true
	}
	return all
}

// count counts the running calls of a generation. A request can find its tool
// just before an exchange and run it just after. It then counts as a call of the
// later generation, as long as that has the same sets. Otherwise they may be
// closed: the call fails with UNAVAILABLE and the advice to repeat it.
func (g *generation) count(run mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		counted := g
		if !g.enter() {
			if counted = g.successor(g); counted == nil {
				return nil, &mcp.ToolError{Code: "UNAVAILABLE", Message: "the tools are being exchanged", Next: "call again"}
			}
		}
		defer counted.leave()
		return run(ctx, args)
	}
}

// enterSuccessor counts a call of a tool of g with the present generation, and returns that; nil if it lacks a set of g.
func (in *Installation) enterSuccessor(g *generation) *generation {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, set := range g.sets {
		if in.current == nil || !slices.Contains(in.current.sets, set) {
			return nil
		}
	}
	if in.current == nil || !in.current.enter() {
		return nil
	}
	return in.current
}

// enter counts a new call. It returns false if the generation is closed.
func (g *generation) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.calls++
	return true
}

func (g *generation) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.calls--
	g.closeIfIdle()
}

// retire marks the generation as replaced.
func (g *generation) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
	g.closeIfIdle()
}

// closeIfIdle closes a retired generation without calls. The caller holds mu.
func (g *generation) closeIfIdle() {
	if g.retired && g.calls == 0 && !g.closed {
		g.closed = true
		close(g.idle)
	}
}

// closeReplaced closes the sets of old that next does not contain, in the
// background. It waits for the calls of old and of earlier generations first. next
// is nil when the Installation is closed. The caller holds mu.
func (in *Installation) closeReplaced(old, next *generation) {
	old.retire()
	in.work.Go(func() {
		<-old.idle
		for _, idle := range old.earlier {
			<-idle
		}
		var failed *multierror.Error
		for _, set := range old.sets {
			if next == nil || !slices.Contains(next.sets, set) {
				err := contain("closing", set, func() error {
					in.unwatch(set)
					return set.Close(context.Background())
				})
				failed = multierror.Append(failed, err)
			}
		}
		in.mu.Lock()
		defer in.mu.Unlock()
		in.failed = multierror.Append(in.failed, failed.ErrorOrNil())
	})
}

// contain runs do, a call into a set. It returns a panic as an error, so that the other sets keep working.
func contain(doing string, set Set, do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s %T: panic: %v\n%s", doing, set, v, debug.Stack())
		}
	}()
	return do()
}

// unfinished returns the channels that are not closed.
func unfinished(idle []<-chan struct{}) []<-chan struct{} {
	return slices.DeleteFunc(slices.Clone(idle), func(c <-chan struct{}) bool {
		select {
		case <-c:
			return true
		default:
			return false
		}
	})
}

// Close removes the tools from the server, waits for the end of their calls and
// closes the sets. If ctx ends first, Close returns an error and closing continues
// in the background.
func (in *Installation) Close(ctx context.Context) error {
	in.updating.Lock()
	in.mu.Lock()
	err := in.server.Remove(in.owner)
	if in.current != nil {
		in.closeReplaced(in.current, nil)
		in.current = nil
	}
	in.mu.Unlock()
	in.updating.Unlock()

	if !in.work.WaitUntil(ctx) {
		return errors.Join(err, fmt.Errorf("closing tools: calls are still running: %w", context.Cause(ctx)))
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	return errors.Join(err, in.failed.ErrorOrNil())
}
