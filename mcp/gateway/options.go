package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
)

// Options configure a Gateway. The zero value of each has a default.
type Options struct {
	// Info is the name and version of the gateway, for clients and upstreams. Default name
	// "gateway".
	Info mcp.Implementation
	// Instructions describe the gateway as a whole for a model. The instructions of the upstreams
	// follow, each with the upstream's name.
	Instructions string
	// Separator is the text between a prefix and a name. Default "_".
	Separator string
	// Filter decides whether the sender of a request may use a tool; nil error means yes. It is
	// called for each tool of a list and for each call, before the upstream receives anything. A
	// refused tool is not listed. A refused call returns the error: an *protocol.Error as protocol
	// error, any other error as a result for the model. tool is the tool as listed. It must be safe
	// for concurrent use. Optional.
	Filter func(ctx context.Context, req *protocol.Request, upstream string, tool mcp.Tool) error
	// PageSize is the number of items on a page of a list. Default 1000.
	PageSize int
	// ListTimeout limits the wait for upstreams that are not ready, for lists and unknown names.
	// The list's _meta names the missing upstreams; see MissingMeta. Default 5 s.
	ListTimeout time.Duration
	// StartTimeout limits the start of an upstream: connection, handshake and lists. Default 1
	// minute.
	StartTimeout time.Duration
	// LoginWait limits the wait of a call for a login of the user; see Upstream.Login. It should be
	// below the request timeout of clients. Default 50 s.
	LoginWait time.Duration
	// HideAfter is the time after which lists omit an upstream that is not available. Default 1
	// minute.
	HideAfter time.Duration
	// RefreshAfter is the age at which the lists of an upstream without change notifications are
	// read again, when a client lists. Default 30 s.
	RefreshAfter time.Duration
	// PingEvery is the interval of pings to an upstream without calls. Calls can cause pings, too.
	// An upstream that does not respond is connected again. Default 15 s; a negative value disables
	// all pings.
	PingEvery time.Duration
	// HangAfter is the time without a response to pings after which an upstream with running calls
	// is connected again and its calls fail. Some servers respond to pings only after the call. If
	// the upstream has responded to a ping during a call before, the limit is 4 s. Default 30 s.
	HangAfter time.Duration
	// MaxItems limits each list of an upstream, default 10,000. MaxListBytes limits the size of all
	// its lists, default 32 MiB. Further items are omitted.
	MaxItems, MaxListBytes int
	// Questions are the limits of upstreams with Upstream.Asks.
	Questions QuestionLimits
	// Structured decides for which clients the gateway asks upstreams for structured content, by
	// protocol.StructuredCapability: with StructuredAlways for all, with StructuredNever for none. Results
	// are forwarded as upstreams send them. An upstream with Server knows the client itself. Default
	// StructuredAuto: for clients that ask for it.
	Structured mcp.StructuredPolicy
	// TaskKey authenticates task ids, 32 bytes. Gateways with the same key accept each other's task
	// ids, also after a restart. Default: a random key.
	TaskKey []byte
	// MaxPrincipals limits the principals with connections of their own; see Upstream.PerPrincipal.
	// Default 1000.
	MaxPrincipals int
	// PrincipalIdle is the time without requests after which the connections of a principal are closed.
	// Default 30 minutes.
	PrincipalIdle time.Duration
	// Log receives errors of upstreams, and their messages at level debug. Default slog.Default().
	Log *slog.Logger
}

// QuestionLimits are the limits of upstreams with Upstream.Asks.
type QuestionLimits struct {
	// Connections limits the connections of an upstream in addition to the shared one. Further
	// calls fail as busy. Default 16.
	Connections int
	// Idle is the time after which a connection without calls is closed. Default 5 minutes.
	Idle time.Duration
	// Held limits the suspended calls that wait for an answer of a client of 2026-07-28. Default 1000.
	Held int
	// HeldFor limits the wait of a suspended call. Default 10 minutes.
	HeldFor time.Duration
}

func (o Options) withDefaults() Options {
	def := func(d *time.Duration, otherwise time.Duration) {
		if *d == 0 {
			*d = otherwise
		}
	}
	number := func(n *int, otherwise int) {
		if *n <= 0 {
			*n = otherwise
		}
	}
	if o.Separator == "" {
		o.Separator = "_"
	}
	def(&o.ListTimeout, 5*time.Second)
	def(&o.StartTimeout, time.Minute)
	def(&o.LoginWait, 50*time.Second)
	def(&o.HideAfter, time.Minute)
	def(&o.RefreshAfter, 30*time.Second)
	def(&o.PingEvery, 15*time.Second)
	def(&o.HangAfter, 30*time.Second)
	def(&o.PrincipalIdle, 30*time.Minute)
	def(&o.Questions.Idle, 5*time.Minute)
	def(&o.Questions.HeldFor, 10*time.Minute)
	number(&o.PageSize, 1000)
	number(&o.MaxItems, 10_000)
	number(&o.MaxListBytes, 32<<20)
	number(&o.MaxPrincipals, 1000)
	number(&o.Questions.Connections, 16)
	number(&o.Questions.Held, 1000)
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return o
}

// Upstream is a server behind a gateway. Exactly one of Server and Connect is set.
type Upstream struct {
	// Name identifies the upstream in messages and in Status. It is unique, 1 to 128 bytes.
	// Required.
	Name string
	// Prefix precedes the names of tools and prompts, followed by Options.Separator. Default: Name.
	// Bare omits the prefix; at most one upstream may set it.
	Prefix string
	Bare   bool
	// Server is an upstream in the same process, for example a *mcp.Server or another Gateway.
	// Closing the gateway does not close it.
	Server protocol.Dispatcher
	// Connect returns the transport of the upstream. With PerPrincipal it is called once for each
	// principal, "" for unauthenticated clients. The transport must then use credentials of that
	// principal for this upstream. Tokens that a client sent to the gateway must not be forwarded
	// (2026-07-28, basic/authorization, "Token Passthrough"). Without PerPrincipal, principal is
	// always empty and all clients share one connection.
	Connect      func(ctx context.Context, principal string) (protocol.Transport, error)
	PerPrincipal bool
	// Login starts a login after Connect or a request failed with ErrLoginNeeded, or returns the
	// running login of the principal. It must be safe for concurrent use. A client with URL
	// elicitation sends the user to the page, and the call continues afterwards. For other clients
	// the call fails with NEEDS_LOGIN and the page. principal is the sender of the request, also
	// without PerPrincipal; Login can then refuse principals that may not log in for all. Optional.
	Login func(ctx context.Context, principal string) (*Login, error)
	// SharedLogin reports in Status that all principals use one login.
	SharedLogin bool
	// Version identifies the configuration for Gateway.Set. An upstream with the same Name and
	// Version keeps its connections.
	Version string
	// Allow and Deny are patterns for names of tools without prefix, for example "read_*" (package
	// path, Match). With Allow, only matching tools are offered. Tools that match Deny are never
	// offered.
	Allow, Deny []string
	// Describe replaces descriptions of tools, by their names without prefix.
	Describe map[string]string
	// NoInstructions omits the instructions of the upstream.
	NoInstructions bool
	// Asks reports that an upstream of a revision up to 2025-11-25 sends questions to its client.
	// These questions do not name their call, so each client that can answer has its own
	// connection. Without Asks, the upstream is told that the client supports no questions. It has
	// no effect for revision 2026-07-28, where questions are always possible.
	Asks bool
	// Timeout limits a call, a prompt or the reading of a resource. Default: no limit except the
	// client's.
	Timeout time.Duration
}

// Always returns a Connect function that returns t for each principal.
func Always(t protocol.Transport) func(context.Context, string) (protocol.Transport, error) {
	return func(context.Context, string) (protocol.Transport, error) { return t, nil }
}

// prefix returns the text before the names of the upstream's tools and prompts.
func (u *Upstream) prefix(separator string) string {
	switch {
	case u.Bare:
		return ""
	case u.Prefix != "":
		return u.Prefix + separator
	}
	return u.Name + separator
}

// check returns an error if the fields of an upstream are invalid.
func (u *Upstream) check(separator string) error {
	prefix := u.prefix(separator)
	switch {
	case u.Name == "" || len(u.Name) > 128:
		return fmt.Errorf("an upstream needs a name of 1 to 128 bytes, not %q", u.Name)
	case !u.Bare && (!isName(prefix) || len(prefix) > maxPrefix):
		return fmt.Errorf("the upstream %q: the prefix %q may have letters, digits, _ - and dot, %d at most", u.Name, prefix, maxPrefix)
	case (u.Server == nil) == (u.Connect == nil):
		return fmt.Errorf("the upstream %q needs either Server or Connect", u.Name)
	case u.PerPrincipal && u.Connect == nil:
		return fmt.Errorf("the upstream %q: an in-process server serves all principals; it receives the principal of each call", u.Name)
	}
	for _, pattern := range append(append([]string(nil), u.Allow...), u.Deny...) {
		if _, err := path.Match(pattern, "x"); err != nil {
			return fmt.Errorf("the upstream %q: the pattern %q: %w", u.Name, pattern, err)
		}
	}
	return nil
}

// offers reports whether a tool is to be offered.
func (u *Upstream) offers(tool string) bool {
	matches := func(patterns []string) bool {
		for _, pattern := range patterns {
			if ok, _ := path.Match(pattern, tool); ok {
				return true
			}
		}
		return false
	}
	return !matches(u.Deny) && (u.Allow == nil || matches(u.Allow))
}
