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

// Roles provides and changes roles. *roles.Book implements it.
type Roles interface {
	// Roles returns the current roles in the order of the file.
	Roles() []roles.Role
	// Set replaces a role if it still equals old.
	Set(ctx context.Context, role, old roles.Role) error
	// Create adds a role. An existing id gives roles.ErrExists.
	Create(ctx context.Context, role roles.Role) error
	// Remove removes a role. An unknown id gives roles.ErrUnknown.
	Remove(ctx context.Context, id string) error
}

// Health provides the results of health checks. *health.Checker implements it.
type Health interface {
	States() []health.State
	Progress() health.Progress
	// AllModels returns the known models by the name of their executor.
	AllModels() map[string][]executor.Model
	// Revalidate checks one role again, with another model unless model is empty.
	Revalidate(ctx context.Context, roleID, model string) (health.State, error)
	// Run starts a check of all roles and returns at once.
	Run(ctx context.Context) error
}

// Agents changes agents. *agents.Agents implements it.
type Agents interface {
	// Stop cancels a queued or running agent.
	Stop(ctx context.Context, agentID, reason string) error
	// RemoveGroup deletes a group. With force it cancels the agents that run in it.
	RemoveGroup(ctx context.Context, groupID string, force bool) error
}

// Options configure a Dashboard. Store and Events are required.
type Options struct {
	Store   record.Store
	Events  record.Log
	Outputs record.Outputs // nil: the output of agents is not shown
	Roles   Roles          // nil: there are no roles
	Health  Health         // nil: health is not shown
	Agents  Agents         // nil: agents and groups cannot be changed

	// Name and Version describe the server. Language is the default language of the page, "ja" or
	// "en", for browsers without a preference; default "ja". MaxConcurrent is the number of agents
	// that run at once.
	Name, Version string
	Language      string
	MaxConcurrent int

	// Token is the bearer token, in the characters of RFC 6750 §2.1. Default: a random token.
	Token string
	// Open permits reading without the token, as long as every address of Listen is a loopback
	// address. A server that uses Handler in place of Listen must restrict its clients itself.
	// Changes always need the token. Default: reading needs the token, too.
	Open bool
	// Hosts and Origins are additional host names of the server, and origins of pages that may use
	// it; see origin.Policy. A server that other machines reach needs its host names.
	Hosts, Origins []string
	Log            *slog.Logger // nil discards
}

// Limits of the dashboard.
const (
	maxMessage      = 64 << 10              // bytes of a message from a page
	maxPages        = 100                   // connected pages; a further page gets status 503
	messageInterval = 50 * time.Millisecond // minimum time between two messages to a page; events in between are sent together
	maxPending      = 5_000                 // events in the queue of a page
	writeTimeout    = 30 * time.Second      // for a page that does not read
	helloTimeout    = 10 * time.Second      // for the first message of a page
)

// Dashboard serves the page over HTTP, by Listen or by the http.Handler that the method Handler returns. The
// caller closes it.
type Dashboard struct {
	o       Options
	policy  origin.Policy
	token   [sha256.Size]byte // digest of the token, for comparisons in constant time
	secret  string            // the token itself, for URL
	mux     *http.ServeMux
	started time.Time
	pages   *semaphore.Weighted // limits the connected pages

	running group.Group     // goroutines that Close waits for
	ctx     context.Context // parent of the connections of pages; ends with Close
	stop    context.CancelFunc

	mu      sync.Mutex // guards the fields below
	url     string     // without token
	public  bool       // an address of Listen is not a loopback address: Options.Open has no effect
	servers []*http.Server
}

// New returns a dashboard. It serves requests after Listen, or through Handler.
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

// Mount serves a pattern of http.ServeMux by another handler, behind the same check of host and
// origin, but without the check of the token. Call it before requests are served.
func (d *Dashboard) Mount(pattern string, h http.Handler) { d.mux.Handle(pattern, h) }

// isTokenValid compares a token in constant time.
func (d *Dashboard) isTokenValid(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], d.token[:]) == 1
}

// Close closes all connections and listeners.
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
