package agents

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Agents is the set of tools that run agents. Its methods may be called from several goroutines at once.
type Agents struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	store    record.Store
	events   record.Log
	outputs  record.Outputs
	closing  func() error // ends what was made here
	closed   func() error // Close, once
	lease    *lease
	features mcp.Features

	life context.Context // ends with the set
	end  context.CancelCauseFunc
	work group.Group
	wake chan struct{} // the scheduler looks again

	mu      sync.Mutex
	runs    map[string]*run // that have not ended, by the agent's ID
	queue   []*run          // that could run, the first first
	running int
	lent    int       // places of agents that wait for agents of their own
	next    time.Time // before which none is started
	waiting int       // that are queued or blocked
	shares  map[string]share
	ends    chan struct{}
	orders  map[orderer][]time.Time // of the last hour
	owners  map[string]string       // agents that have made groups, by group
	tokens  map[string]token
	places  []*workplace // in which agents work

	adding   sync.Mutex // one change of worktrees at a time
	ordering [orderings]sync.Mutex
	seed     maphash.Seed
}

// orderings is how many agents can be changed at once.
const orderings = 64

// New makes the set and begins to run agents as they are ordered. The environment needs a Root, which stays the caller's
// to close: agents work in its directories, with the rights of this program. Agents that Store has as running though nobody runs
// them are put down as failed.
func New(ctx context.Context, env tools.Env, o Options) (*Agents, error) {
	o = o.withDefaults()
	if err := o.check(env); err != nil {
		return nil, fmt.Errorf("making the agent tools: %w", err)
	}
	a := &Agents{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o,
		store: o.Store, events: o.Log, outputs: o.Outputs, closing: func() error { return nil },
		seed: maphash.MakeSeed(), wake: make(chan struct{}, 1), runs: make(map[string]*run), ends: make(chan struct{}),
		shares: make(map[string]share), orders: make(map[orderer][]time.Time), owners: make(map[string]string), tokens: make(map[string]token),
	}
	a.closed = sync.OnceValue(a.close)
	a.keepInMemory()
	a.life, a.end = context.WithCancelCause(context.WithoutCancel(ctx))
	a.work.OnPanic = func(value any, stack []byte) {
		a.log.Error("a background task of the agent tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	if err := a.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("making the agent tools: %w", err), a.Close(ctx))
	}
	a.work.Go(a.schedule)
	if a.lease != nil {
		a.work.Go(a.recovering)
	}
	return a, nil
}

func (o Options) check(env tools.Env) error {
	switch {
	case env.Root == nil:
		return errors.New("the environment has no root")
	case len(o.Executors) == 0:
		return errors.New("there is no executor")
	case o.Roles == nil:
		return errors.New("there are no roles")
	case o.FailedDependency != FailDependents && o.FailedDependency != RunDependents:
		return fmt.Errorf("what becomes of agents whose dependencies fail is %q or %q, not %q", FailDependents, RunDependents, o.FailedDependency)
	}
	return nil
}

// keepInMemory makes what was not given.
func (a *Agents) keepInMemory() {
	if a.store != nil && a.events != nil && a.outputs != nil {
		return
	}
	memory := record.NewMemory(record.MemoryOptions{})
	a.closing = memory.Close
	if a.store == nil {
		a.store = memory
	}
	if a.events == nil {
		a.events = memory.Log()
	}
	if a.outputs == nil {
		a.outputs = memory.Outputs()
	}
}

// prepare does what can fail.
func (a *Agents) prepare(ctx context.Context) error {
	var err error
	if a.options.StateDir == "" {
		a.options.StateDir = a.defaultStateDir()
	}
	if a.options.Store != nil {
		if a.lease, err = newLease(ctx, filepath.Join(a.options.StateDir, "servers")); err != nil {
			return err
		}
		if err := a.recover(ctx); err != nil {
			return err
		}
	}
	defined, err := a.define()
	if err != nil {
		return err
	}
	a.features = mcp.Features{Tools: defined}
	return nil
}

// defaultStateDir is a directory in the cache of the user; one for temporary files if there is none, or it cannot be written.
func (a *Agents) defaultStateDir() string {
	temporary := filepath.Join(os.TempDir(), fmt.Sprintf("dougu-agents-%d", os.Getuid()))
	dir, ok := a.root.CacheDir("agents")
	if !ok {
		return temporary
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.log.Warn("the cache directory cannot be written, so what agents need is among temporary files", "error", err, "directory", temporary)
		return temporary
	}
	return dir
}

// Features implements tools.Set.
func (a *Agents) Features() mcp.Features { return a.features }

// Close implements tools.Set: it ends every agent, and waits for that.
func (a *Agents) Close(context.Context) error { return a.closed() }

func (a *Agents) close() error {
	a.end(executor.ErrShutdown)
	a.mu.Lock()
	queue := a.queue
	a.queue = nil
	a.mu.Unlock()
	for _, r := range queue {
		a.conclude(r, ending{outcome: record.Cancelled, why: executor.ErrShutdown.Error()})
	}
	a.work.Wait()
	return errors.Join(a.lease.close(), a.closing())
}
