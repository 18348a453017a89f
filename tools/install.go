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

	updating sync.Mutex // one exchange at a time

	mu        sync.Mutex
	current   *generation
	watched   map[Watcher]func() // ends watching, by the sets in use
	refreshes bool               // refresh is running
	outdated  bool               // a set has changed since refresh has last looked
	work      group.Group        // retires generations, refreshes
	failed    *multierror.Error  // of closing sets that were replaced, and of refreshing
}

// generation is the result of one Install or Update, with the calls that still use it.
type generation struct {
	profile Profile
	sets    []Set
	earlier []<-chan struct{} // the ends of earlier ones, calls of which may still use the same sets

	mu      sync.Mutex
	calls   int
	retired bool
	closed  bool
	idle    chan struct{} // closed when it is retired and no call is left
}

// Install registers the features of sets in a server, shaped by the profile. owner names the installation among others of the
// server. Hints to tools that the profile leaves out are removed from descriptions, next steps of errors and the server's
// instructions; see Advice. A tool without permissions gets the default of its annotations; see mcp.Tool.DefaultPermission.
//
// On an error nothing is registered, the error contains all problems, and the caller must close the sets.
func Install(s *mcp.Server, owner string, p Profile, sets ...Set) (*Installation, error) {
	in := &Installation{server: s, owner: owner}
	return in, in.Update(p, sets...)
}

// Update exchanges the sets and the profile, atomically for clients: a request
// sees all of the old or all of the new. On an error nothing has changed. Sets
// that are not used any more are closed when the last call of their tools has
// ended. Profiles are about tools: resources and prompts are offered as they are,
// and must expect to be asked for until a moment after their set was closed.
func (in *Installation) Update(p Profile, sets ...Set) error {
	in.updating.Lock()
	defer in.updating.Unlock()
	return in.exchange(p, sets)
}

func (in *Installation) exchange(p Profile, sets []Set) error {
	next := &generation{profile: p, sets: sets, idle: make(chan struct{})}
	// Watching comes first, so that no change is missed between the asking and
	// the watching.
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
		in.retire(old, next)
	}
	in.refreshIfOutdated()
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
		all.ReserveTools = all.ReserveTools || f.ReserveTools
		all.ReserveResources = all.ReserveResources || f.ReserveResources
		all.ReservePrompts = all.ReservePrompts || f.ReservePrompts
	}
	tools, err := g.profile.apply(all.Tools)
	if err != nil {
		return all, fmt.Errorf("installing tools: %w", err)
	}
	o := &offer{known: names(all.Tools), offered: names(tools)}
	for i, t := range tools {
		if t.Permissions() == nil {
			t = t.With(mcp.ToolOptions{Permissions: []string{t.Tool().DefaultPermission()}})
		}
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

// count keeps account of the calls that use a generation. A request may look
// its tool up just before an exchange and run it just after; when the sets are
// closed by then, it is told to come again.
func (g *generation) count(run mcp.RawHandler) mcp.RawHandler {
	return func(ctx context.Context, args json.RawMessage) (*mcp.ToolResult, error) {
		if !g.enter() {
			return nil, &mcp.ToolError{Code: "UNAVAILABLE", Message: "the tools are being exchanged", Next: "call again"}
		}
		defer g.leave()
		return run(ctx, args)
	}
}

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
	g.settle()
}

func (g *generation) retire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.retired = true
	g.settle()
}

func (g *generation) settle() {
	if g.retired && g.calls == 0 && !g.closed {
		g.closed = true
		close(g.idle)
	}
}

// retire closes the sets of old that next does not use, once no call uses them.
func (in *Installation) retire(old, next *generation) {
	old.retire()
	in.work.Go(func() {
		<-old.idle
		for _, end := range old.earlier {
			<-end
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

// contain runs do, a call into a set. A panic is an error, so that the other sets are served all the same.
func contain(doing string, set Set, do func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("%s %T: panic: %v\n%s", doing, set, v, debug.Stack())
		}
	}()
	return do()
}

// unfinished are the channels that are not closed.
func unfinished(ends []<-chan struct{}) []<-chan struct{} {
	return slices.DeleteFunc(slices.Clone(ends), func(end <-chan struct{}) bool {
		select {
		case <-end:
			return true
		default:
			return false
		}
	})
}

// Close takes the tools out of the server, waits for their calls to end and
// closes the sets. When ctx ends first, closing goes on without being waited
// for.
func (in *Installation) Close(ctx context.Context) error {
	in.updating.Lock()
	in.mu.Lock()
	err := in.server.Remove(in.owner)
	if in.current != nil {
		in.retire(in.current, nil)
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
