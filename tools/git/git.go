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
	"github.com/dougu-go/dougu/internal/keymutex"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
)

// Options are the permissions and timeouts of the set. The zero value runs no hooks and allows only remotes on other machines.
type Options struct {
	// Hooks allows calls to run the hooks of a repository. Hooks are programs from the repository and run with the permissions
	// of this process.
	Hooks bool
	// LocalRemotes allows remotes that are directories of this machine outside the Root.
	LocalRemotes bool
	// WaitTimeout is the time that a call waits for another machine. A slower operation continues, and the same call waits for it
	// again. The default is 45 seconds.
	WaitTimeout time.Duration
	// NetworkTimeout is the time after which a network operation is ended. The default is 10 minutes.
	NetworkTimeout time.Duration
}

const (
	defaultWaitTimeout    = 45 * time.Second
	defaultNetworkTimeout = 10 * time.Minute
	// localTimeout bounds a run of git without network access.
	localTimeout = 30 * time.Second
	maxConsents  = 64
)

// withDefaults returns the options with the defaults applied.
func (o Options) withDefaults() Options {
	if o.WaitTimeout <= 0 {
		o.WaitTimeout = defaultWaitTimeout
	}
	if o.NetworkTimeout <= 0 {
		o.NetworkTimeout = defaultNetworkTimeout
	}
	return o
}

// Git is the set of git tools. It implements tools.Set. Its methods are safe for concurrent use.
type Git struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	real     []string // directories of the Root with all links resolved
	features mcp.Features

	life context.Context // ends when the set is closed
	end  context.CancelFunc
	work group.Group

	changing keymutex.Mutex[string] // changes of a repository, by its directory

	mu       sync.Mutex
	jobs     map[string]*job       // running or recent network operations, by name
	consents map[string]consentKey // open confirmation tokens
}

// New makes the set. env.Root is required and is not closed by Git. Repositories are found in its directories. Close ends the
// background operations.
func New(ctx context.Context, env tools.Env, o Options) (*Git, error) {
	if env.Root == nil {
		return nil, errors.New("making the git tools: the environment has no root")
	}
	g := &Git{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o.withDefaults(),
		jobs: make(map[string]*job), consents: make(map[string]consentKey),
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

// Features returns the tools of the set. It implements tools.Set.
func (g *Git) Features() mcp.Features { return g.features }

// Close cancels running network operations and waits for their end. It implements tools.Set.
func (g *Git) Close(context.Context) error {
	g.end()
	g.work.Wait()
	return nil
}

// acquireRepository waits until no other call of this process changes the repository, and reserves it. The caller releases it with done.
func (g *Git) acquireRepository(ctx context.Context, dir string) (done func(), err error) {
	done, err = g.changing.Lock(ctx, dir)
	if err != nil {
		return nil, fmt.Errorf("waiting for another change of the repository: %w", err)
	}
	return done, nil
}
