package agents

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// Agents is a tool set that runs agents. Its methods are safe for concurrent use.
type Agents struct {
	root        *security.Root
	limits      tools.Limits
	log         *slog.Logger
	audit       *audit.Log
	options     Options
	store       record.Store
	events      record.Log
	outputs     record.Outputs
	closeMemory func() error // closes the stores that New created
	closeOnce   func() error // runs close once
	// ownership is nil if the records are kept in memory.
	ownership *ownership
	features  mcp.Features
	ownTools  []mcp.ServerTool // the tools as agents call them, without requireInput

	// baseCtx is the parent of the contexts of all runs. Close cancels it.
	baseCtx    context.Context
	cancelBase context.CancelCauseFunc
	work       group.Group
	wake       chan struct{} // wakes the scheduler; capacity 1

	mu           sync.Mutex              // guards the fields down to workplaces
	runs         map[string]*run         // runs that have not ended, by agent ID
	queue        []*run                  // runs that are ready to start, in order of arrival
	running      int                     // agents that have a slot
	lentSlots    int                     // slots of running agents that other agents may use while the owner waits for its own agents
	nextStart    time.Time               // earliest time of the next start
	waiting      int                     // queued and blocked agents
	loads        map[string]load         // by principal
	endSignal    chan struct{}           // closed and replaced when a run ends
	recentOrders map[orderer][]time.Time // times of the orders of the last hour
	groupOwners  map[string]string       // agent that created the group, by group ID
	tokens       map[string]token        // by secret
	readers      map[reader]marks        // states that callers of wait_agent have received
	workplaces   []*workplace            // of all runs that are executing

	readerKeys caller.Keys
	// worktreeMu serialises changes of git worktrees.
	worktreeMu sync.Mutex
	// updateLocks order the updates and events of an agent, by a hash of its ID.
	updateLocks [updateLockCount]sync.Mutex
	lockSeed    maphash.Seed
}

// updateLockCount is the number of locks in Agents.updateLocks.
const updateLockCount = 64

// New returns the tool set and starts its scheduler. The environment must have a Root, which the
// caller closes after the set; agents work in its directories with the rights of this process. If
// Options.Store is set, New marks agents whose server has died as failed. It returns an error if a
// required option is missing or the state directory cannot be used.
func New(ctx context.Context, env tools.Env, o Options) (*Agents, error) {
	o = o.withDefaults()
	if err := o.check(env); err != nil {
		return nil, fmt.Errorf("making the agent tools: %w", err)
	}
	a := &Agents{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o,
		store: o.Store, events: o.Log, outputs: o.Outputs, closeMemory: func() error { return nil },
		lockSeed: maphash.MakeSeed(), wake: make(chan struct{}, 1), runs: make(map[string]*run), endSignal: make(chan struct{}),
		loads: make(map[string]load), recentOrders: make(map[orderer][]time.Time), groupOwners: make(map[string]string), tokens: make(map[string]token),
		readers: make(map[reader]marks), readerKeys: caller.NewKeys(),
	}
	a.closeOnce = sync.OnceValue(a.close)
	a.setMemoryDefaults()
	a.baseCtx, a.cancelBase = context.WithCancelCause(context.WithoutCancel(ctx))
	a.work.OnPanic = func(value any, stack []byte) {
		a.log.Error("a background task of the agent tools panicked", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	if err := a.prepare(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("making the agent tools: %w", err), a.Close(ctx))
	}
	a.work.Go(a.schedule)
	if a.ownership != nil {
		a.work.Go(a.runRecovery)
	}
	return a, nil
}

// check returns an error if a required option is missing or invalid.
func (o Options) check(env tools.Env) error {
	switch {
	case env.Root == nil:
		return errors.New("the environment has no root")
	case len(o.Executors) == 0:
		return errors.New("there is no executor")
	case o.Roles == nil:
		return errors.New("there are no roles")
	case o.FailedDependency != FailDependents && o.FailedDependency != RunDependents:
		return fmt.Errorf("FailedDependency must be %q or %q, not %q", FailDependents, RunDependents, o.FailedDependency)
	}
	return checkExecutors(o.Executors)
}

// checkExecutors returns an error if an executor is nil, or if its name is invalid or used twice.
func checkExecutors(all []executor.Executor) error {
	names := make(map[string]bool, len(all))
	for i, e := range all {
		if e == nil {
			return fmt.Errorf("executor %d is nil", i)
		}
		name := e.Name()
		if err := executor.CheckName(name); err != nil {
			return err
		}
		if names[name] {
			return fmt.Errorf("two executors have the name %s", name)
		}
		names[name] = true
	}
	return nil
}

// setMemoryDefaults replaces missing stores by stores in memory.
func (a *Agents) setMemoryDefaults() {
	if a.store != nil && a.events != nil && a.outputs != nil {
		return
	}
	memory := record.NewMemory(record.MemoryOptions{})
	a.closeMemory = memory.Close
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

// prepare opens the state directory, recovers agents of dead servers and defines the tools.
func (a *Agents) prepare(ctx context.Context) error {
	var err error
	if a.options.StateDir == "" {
		a.options.StateDir = a.defaultStateDir()
	}
	if a.options.Store != nil {
		if a.ownership, err = openOwnership(ctx, filepath.Join(a.options.StateDir, "servers")); err != nil {
			return err
		}
		if err := a.recoverAgents(ctx); err != nil {
			return err
		}
	}
	defined, err := a.define()
	if err != nil {
		return err
	}
	a.ownTools = defined
	for _, tool := range defined {
		if slices.Contains(selfTools(), tool.Tool().Name) {
			if tool, err = requireInput(tool, "agentId"); err != nil {
				return err
			}
		}
		a.features.Tools = append(a.features.Tools, tool)
	}
	return nil
}

// defaultStateDir returns a directory in the user's cache directory, or a directory for temporary
// files if the cache is not available or not writable.
func (a *Agents) defaultStateDir() string {
	temporary := filepath.Join(os.TempDir(), fmt.Sprintf("dougu-agents-%d", os.Getuid()))
	dir, ok := a.root.CacheDir("agents")
	if !ok {
		return temporary
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		a.log.Warn("the cache directory is not writable; the state of agents is kept in the temporary directory", "error", err, "directory", temporary)
		return temporary
	}
	return dir
}

// Features implements tools.Set.
func (a *Agents) Features() mcp.Features { return a.features }

// Close ends all agents of this server and waits until their ends are recorded. Agents that have not
// started are recorded as cancelled. It implements tools.Set.
func (a *Agents) Close(context.Context) error { return a.closeOnce() }

// close implements Close. The end of baseCtx ends running agents, and blocked agents, which wait for
// their dependencies (awaitDependencies). Queued agents are ended here.
func (a *Agents) close() error {
	a.cancelBase(executor.ErrShutdown)
	a.mu.Lock()
	queue := a.queue
	a.queue = nil
	a.mu.Unlock()
	for _, r := range queue {
		a.endUnstarted(r, ending{outcome: record.Cancelled, reason: executor.ErrShutdown.Error()})
	}
	a.work.Wait()
	return errors.Join(a.ownership.close(), a.closeMemory())
}
