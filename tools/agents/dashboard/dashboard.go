package dashboard

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/origin"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"

	"golang.org/x/sync/semaphore"
)

// Roles are the roles that can be looked at and changed: a *roles.Book.
type Roles interface {
	Roles() []roles.Role
	// Set exchanges a role for another of the same ID, if it still is as it was.
	Set(ctx context.Context, role, old roles.Role) error
	Create(ctx context.Context, role roles.Role) error
	Remove(ctx context.Context, id string) error
}

// Health tells which roles can be used: a *health.Checker.
type Health interface {
	States() []health.State
	Progress() health.Progress
	// AllModels are those that are known, by the name of the executor.
	AllModels() map[string][]executor.Model
	Revalidate(ctx context.Context, roleID, model string) (health.State, error)
	Run(ctx context.Context) error
}

// Agents is what can be done with agents: *agents.Agents.
type Agents interface {
	Stop(ctx context.Context, agentID, reason string) error
	RemoveGroup(ctx context.Context, groupID string, force bool) error
}

// Options configure a Dashboard. Store and Log are needed.
type Options struct {
	Store   record.Store
	Events  record.Log
	Outputs record.Outputs // nil: what agents write is not shown
	Roles   Roles          // nil: there are none
	Health  Health         // nil: it is not known
	Agents  Agents         // nil: nothing can be cancelled or deleted

	// Name and Version are those of the server, Language is what the page speaks where the browser does not
	// say: "ja" or "en", default "ja". MaxConcurrent is how many agents run at once.
	Name, Version string
	Language      string
	MaxConcurrent int

	// Token is needed for everything but the page itself, of the characters of RFC 6750 §2.1. Default: a random one.
	Token string
	// Open lets requests read without the token where the dashboard listens on a loopback address, or is served by other means
	// than Listen. Changes need it always. Default: reading needs the token.
	Open bool
	// Hosts and Origins are further names that the server answers to, and sites whose pages may use it; see
	// origin.Policy. A server that others reach needs the names by which they do.
	Hosts, Origins []string
	Log            *slog.Logger // nil discards
}

// The dashboard's own limits.
const (
	maxMessage      = 64 << 10              // of a page, in bytes
	maxPages        = 100                   // connected at once
	messageInterval = 50 * time.Millisecond // between two messages to a page
	maxPending      = 5_000                 // events that wait for a page
	writeTimeout    = 30 * time.Second      // for a page that does not read
	helloTimeout    = 10 * time.Second      // for the first message of a page
)

// Dashboard serves the page. It must be closed.
type Dashboard struct {
	o       Options
	policy  origin.Policy
	token   [sha256.Size]byte
	secret  string
	mux     *http.ServeMux
	started time.Time
	pages   *semaphore.Weighted // of the pages that may be connected

	running group.Group
	ctx     context.Context
	stop    context.CancelFunc

	mu      sync.Mutex
	url     string // without the token
	public  bool   // others than this machine can reach it
	servers []*http.Server
}

// New makes a dashboard, which serves nothing until Listen is called or its Handler is used.
func New(o Options) (*Dashboard, error) {
	if o.Store == nil || o.Events == nil {
		return nil, errors.New("a dashboard needs a store and a log of events")
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Language == "" {
		o.Language = "ja"
	}
	if o.Token == "" {
		o.Token = rand.Text()
	}
	d := &Dashboard{o: o, policy: origin.Policy{Hosts: o.Hosts, Origins: o.Origins}, token: sha256.Sum256([]byte(o.Token)), secret: o.Token, started: time.Now().UTC(), pages: semaphore.NewWeighted(maxPages)}
	d.o.Token = ""
	d.ctx, d.stop = context.WithCancel(context.Background())
	d.running.OnPanic = func(value any, stack []byte) {
		o.Log.Error("the dashboard panicked", "value", value, "stack", string(stack))
	}
	files, err := newAssets()
	if err != nil {
		return nil, err
	}
	d.mux = d.routes(files)
	return d, nil
}

// Mount serves a pattern of http.ServeMux by another handler, behind the same check of names and sites. It must be called before
// anything is served. What it does about tokens is its own business.
func (d *Dashboard) Mount(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// isTokenValid says whether a token is the right one, in a time that does not tell.
func (d *Dashboard) isTokenValid(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1
}

// Close ends all connections and listeners.
func (d *Dashboard) Close(ctx context.Context) error {
	d.stop()
	d.mu.Lock()
	servers := d.servers
	d.servers = nil
	d.mu.Unlock()
	var failed []error
	for _, s := range servers {
		if err := s.Shutdown(ctx); err != nil {
			failed = append(failed, s.Close())
		}
	}
	d.running.Wait()
	return errors.Join(failed...)
}
