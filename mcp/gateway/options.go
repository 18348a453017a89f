package gateway

import (
	"context"
	"fmt"
	"log/slog"
	"path"
	"time"

	"github.com/dougu-go/dougu/mcp"
)

// Options configure a Gateway. The zero value of each has a default.
type Options struct {
	// Info is who the gateway says it is, to clients and to upstreams.
	Info mcp.Implementation
	// Instructions tell a model how to use the gateway as a whole. Those of the
	// upstreams follow them, each said to be of its upstream.
	Instructions string
	// Separator stands between a prefix and a name. Default "_".
	Separator string
	// Filter, if set, decides whether the sender of a request may use a tool: nil
	// lets it. It is asked for every tool of a list and for every call, before
	// anything reaches the upstream; a tool with an error is not listed, and a call
	// of it ends with the error: a *mcp.Error as a protocol error, any other as one
	// that the model reads. tool is as it is listed. It is called concurrently.
	Filter func(ctx context.Context, req *mcp.Request, upstream string, tool mcp.Tool) error
	// PageSize is how many items a page of a list has. Default 1000.
	PageSize int
	// ListTimeout is how long a list, or what asks for something that is not known
	// yet, waits for upstreams that are not ready. What is missing then is named in
	// the list's _meta, see MissingMeta. Default 5 s.
	ListTimeout time.Duration
	// StartTimeout is how long an upstream may take to start, agree on a revision
	// and tell its lists. Default 1 minute.
	StartTimeout time.Duration
	// LoginWait bounds the wait of a call for a user whose browser was sent to the page of a
	// login, see Upstream.Login. It is below the time after which clients give a
	// request up. Default 50 s.
	LoginWait time.Duration
	// HideAfter is how long an upstream may be gone until what it offers is left
	// out of lists. Default 1 minute.
	HideAfter time.Duration
	// RefreshAfter is after how long the lists of an upstream that tells of no
	// changes are read again, when somebody lists. Default 30 s.
	RefreshAfter time.Duration
	// PingEvery is how often an upstream without calls is asked for a sign of life.
	// Calls ask for one too, and one that does not answer is connected anew. Default
	// 15 s; negative: never, and neither do calls.
	PingEvery time.Duration
	// HangAfter is how long an upstream with calls under way may leave pings
	// unanswered until it is connected anew and the calls fail: some servers answer
	// nothing before their call has ended. One that has answered a ping during a call
	// has 4 s at most. Default 30 s.
	HangAfter time.Duration
	// MaxItems bounds each list of an upstream, and MaxListBytes what its lists
	// hold together. Defaults 10,000 and 32 MiB. What is beyond is left out.
	MaxItems, MaxListBytes int
	// Questions bounds what an upstream of an older revision that asks may hold.
	Questions QuestionLimits
	// TaskKey seals the ids of tasks, 32 bytes. Gateways that share it know each
	// other's tasks, as does one that is started again. Default: a random key.
	TaskKey []byte
	// MaxPrincipals bounds for how many principals connections of their own are
	// open, see Upstream.PerPrincipal, and PrincipalIdle after how long without a
	// request they are closed. Defaults 1000 and 30 minutes.
	MaxPrincipals int
	PrincipalIdle time.Duration
	// Log receives what upstreams do wrong, and their own words at level debug.
	// Default: slog.Default().
	Log *slog.Logger
}

// QuestionLimits are for upstreams with Upstream.Asks.
type QuestionLimits struct {
	// Connections is how many an upstream may have beside the one that all share:
	// calls beyond them are refused as busy. Default 16.
	Connections int
	// Idle is after how long a connection without calls is closed. Default 5
	// minutes.
	Idle time.Duration
	// Held is how many calls may wait for a client of 2026-07-28 to come back with
	// its answer, and HeldFor how long each. Defaults 1000 and 10 minutes.
	Held    int
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
	// Name tells the upstream apart from others, to people and in errors.
	Name string
	// Prefix stands before the names of tools and prompts, with the separator.
	// Default: Name. Bare leaves the prefix out; one upstream at most may be so.
	Prefix string
	Bare   bool
	// Server is an upstream in the same process: a *mcp.Server, another Gateway, or
	// whatever stands in front of one. It is not closed with the gateway.
	Server mcp.Dispatcher
	// Connect returns how the upstream is reached. With PerPrincipal it is asked
	// once for each principal, "" for those who were not authenticated, and what it
	// returns must use credentials of that principal's own: those that a client has
	// shown to the gateway are for the gateway alone and never passed on
	// (2026-07-28, basic/authorization, "Token Passthrough"). Without, principal is
	// always empty, and one connection is shared by all.
	Connect      func(ctx context.Context, principal string) (mcp.Transport, error)
	PerPrincipal bool
	// Login, if set, begins the login of a principal that has sent a request for
	// which ErrLoginNeeded is the answer, or returns the one that is under way for
	// it: calls of one principal ask concurrently. The user is sent to the page where
	// the client can do that (elicitation of mode url); then the call goes on.
	// Otherwise the call ends with NEEDS_LOGIN, the page and why there is none.
	// principal is the sender of the request, also without PerPrincipal: then
	// Login refuses principals that must not log in for all.
	Login func(ctx context.Context, principal string) (*Login, error)
	// SharedLogin says, in Status, that all principals use one login.
	SharedLogin bool
	// Version tells Gateway.Set whether an upstream is still the same: one whose
	// name and version it has already keeps its connections.
	Version string
	// Allow and Deny are patterns for the upstream's own names of its tools, such
	// as "read_*" (package path, Match). With Allow only what matches one is
	// offered; what matches one of Deny never is.
	Allow, Deny []string
	// Describe replaces descriptions of tools, by the upstream's own names.
	Describe map[string]string
	// NoInstructions leaves out what the upstream says of how to use it.
	NoInstructions bool
	// Asks says that the upstream, if it speaks a revision up to 2025-11-25, asks
	// its client questions: then calls of clients that can be asked have a
	// connection to it of their own, since a question there does not name its call.
	// Without, such an upstream is told that nobody can be asked. For those of
	// 2026-07-28 it means nothing: they can always ask.
	Asks bool
	// Timeout bounds a call, a prompt or a resource, in all. Default: as long as
	// the client waits.
	Timeout time.Duration
}

// Always returns a Connect for a transport that is the same for every principal.
func Always(t mcp.Transport) func(context.Context, string) (mcp.Transport, error) {
	return func(context.Context, string) (mcp.Transport, error) { return t, nil }
}

// prefix is what stands before the upstream's names.
func (u *Upstream) prefix(separator string) string {
	switch {
	case u.Bare:
		return ""
	case u.Prefix != "":
		return u.Prefix + separator
	}
	return u.Name + separator
}

// check tells what is wrong with an upstream.
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
		return fmt.Errorf("the upstream %q: a server in the process is for all principals; it is told who asks", u.Name)
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
