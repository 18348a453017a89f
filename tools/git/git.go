package git

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
)

// Options say what git may do. The zero value runs no hook and speaks to other machines only.
type Options struct {
	// Hooks lets a call that says so run the hooks of a repository, which are programs that came with it, with the rights of this one.
	Hooks bool
	// LocalRemotes allows remotes that are directories of this machine outside of the Root.
	LocalRemotes bool
	// Patience is how long a call waits for another machine; what takes longer goes on, and is joined by the same call made again. Default
	// 45 seconds.
	Patience time.Duration
	// NetworkTimeout is after how long that is ended. Default 10 minutes.
	NetworkTimeout time.Duration
}

const (
	defaultPatience       = 45 * time.Second
	defaultNetworkTimeout = 10 * time.Minute
	// localTimeout bounds a run of git that speaks to nobody, of those that read and of those that change the work tree.
	localTimeout = 30 * time.Second
	maxConsents  = 64
)

func (o Options) withDefaults() Options {
	if o.Patience <= 0 {
		o.Patience = defaultPatience
	}
	if o.NetworkTimeout <= 0 {
		o.NetworkTimeout = defaultNetworkTimeout
	}
	return o
}

// Git is the set of tools. Its methods may be called from several goroutines at once.
type Git struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	real     []string // the directories of the Root with every link resolved
	features mcp.Features

	life context.Context // ends with the set
	end  context.CancelFunc
	work group.Group

	mu       sync.Mutex
	turns    map[string]chan struct{} // who has one may change a repository, by its directory
	jobs     map[string]*job
	consents map[string]consent
}

// New makes the set. The environment needs a Root, which stays the caller's to close: repositories are found in its directories.
func New(ctx context.Context, env tools.Env, o Options) (*Git, error) {
	if env.Root == nil {
		return nil, errors.New("making the git tools: the environment has no root")
	}
	g := &Git{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o.withDefaults(),
		turns: make(map[string]chan struct{}), jobs: make(map[string]*job), consents: make(map[string]consent),
	}
	for _, dir := range env.Root.Dirs() {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			dir = resolved
		}
		g.real = append(g.real, dir)
	}
	g.life, g.end = context.WithCancel(context.WithoutCancel(ctx))
	g.work.OnPanic = func(value any, stack []byte) {
		g.log.Error("a background task of the git tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	defined, err := g.define()
	if err != nil {
		g.end()
		return nil, fmt.Errorf("making the git tools: %w", err)
	}
	g.features = mcp.Features{Tools: env.WithNotices(defined...)}
	return g, nil
}

// Features implements tools.Set.
func (g *Git) Features() mcp.Features { return g.features }

// Close implements tools.Set: it ends what still speaks to other machines.
func (g *Git) Close(context.Context) error {
	g.end()
	g.work.Wait()
	return nil
}

// turn waits until nobody else of this program changes a repository, and returns what gives the turn back.
func (g *Git) turn(ctx context.Context, dir string) (done func(), err error) {
	g.mu.Lock()
	turn, ok := g.turns[dir]
	if !ok {
		turn = make(chan struct{}, 1)
		g.turns[dir] = turn
	}
	g.mu.Unlock()
	select {
	case turn <- struct{}{}:
		return func() { <-turn }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for another change of the repository: %w", context.Cause(ctx))
	}
}
