package gateway

import (
	"time"

	"github.com/dougu-go/dougu/security/redact"
)

// State is the state of an upstream.
type State string

// States of an upstream.
const (
	Idle     State = "idle"     // not used yet
	Starting State = "starting" // first start or restart
	Ready    State = "ready"    // connected, with its lists read
	Down     State = "down"     // not available; started again with growing delays
	// NeedsLogin is the state of an upstream that requires a login of a user; see ErrLoginNeeded.
	NeedsLogin State = "needs_login"
	// Removed is the final state of an upstream that Gateway.Set or Close has removed.
	Removed State = "removed"
)

// Status is the state of an upstream with its last error.
type Status struct {
	Name      string // name of the Upstream
	Principal string // principal of the connection; empty if it is shared
	// PerPrincipal and SharedLogin are copied from the Upstream.
	PerPrincipal, SharedLogin bool
	State                     State
	// Since is the beginning of the State.
	Since time.Time
	// Err is the last error, while the upstream is down or starts again.
	Err error
	// Retry is the time of the next attempt, if the upstream is down.
	Retry time.Time
	// LastAnswer is the time of the last response; zero if there was none.
	LastAnswer time.Time
	// Server, Version and Revision describe the upstream's server, after it was ready once.
	Server, Version, Revision string
	// Tools, Prompts, Resources and Templates are the numbers of its items, before omissions.
	Tools, Prompts, Resources, Templates int
	// Problems are the omitted items with the reasons.
	Problems []string

	hidden bool // lists omit the upstream: it was unavailable for Options.HideAfter
}

// Reason returns the reason why the upstream is not available, for a person or a model: one line
// without secrets, at most 1,000 bytes. It is empty if the upstream is ready or was never used.
func (s *Status) Reason() string {
	if s.State == Ready || s.Err == nil {
		return ""
	}
	return safeText(s.Err.Error())
}

// logText returns the text of an error for the log, short and without secrets; empty for nil.
func logText(err error) string {
	if err == nil {
		return ""
	}
	return safeText(err.Error())
}

// reason tells in a few words why the upstream is not ready.
func (s *Status) reason() string {
	switch {
	case s.State == Down && s.Err != nil:
		return safeText(s.Err.Error())
	case s.State == Starting && s.Err != nil:
		return "it is starting again: " + safeText(s.Err.Error())
	case s.State == NeedsLogin:
		return "it needs a login"
	case s.State == Idle, s.State == Starting:
		return "it is starting"
	}
	return "it is " + string(s.State)
}

// safeText returns a text for a model or a log: at most 1,000 bytes, printable and without secrets.
// The text can come from an upstream, like the last lines of its standard error.
func safeText(text string) string {
	const most = 1000
	text = new(redact.Redactor).Redact(text)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return printable(text)
}

// Status returns the states of all upstreams in order: shared connections first, then connections
// of principals.
func (g *Gateway) Status() []Status {
	var all []Status
	report := func(v *view, members []*member) {
		t := v.table.Load()
		for _, m := range members {
			status, _ := m.snapshot()
			status.Problems = append([]string(nil), t.problems[m]...)
			all = append(all, status)
		}
	}
	shared := g.shared.Load()
	report(shared, shared.members)
	g.byPrincipal.Range(func(_, found any) bool {
		v := found.(*view)
		report(v, v.ownMembers())
		return true
	})
	return all
}

// StatusFor returns the status of the upstreams for one principal, in their order: shared upstreams, and its own connections to upstreams
// with PerPrincipal. One that the principal has not used yet is Idle.
func (g *Gateway) StatusFor(principal string) []Status {
	v, own := g.existingView(principal)
	t := v.table.Load()
	all := make([]Status, 0, len(v.members))
	for _, m := range v.members {
		status, _ := m.snapshot()
		if !own && m.up.PerPrincipal {
			status = Status{Name: m.up.Name, Principal: principal, PerPrincipal: true, SharedLogin: m.up.SharedLogin, State: Idle}
		} else {
			status.Problems = append([]string(nil), t.problems[m]...)
		}
		all = append(all, status)
	}
	return all
}

// existingView returns the view that the requests of a principal have made, or the shared one. own tells that the members of
// upstreams with PerPrincipal are the principal's.
func (g *Gateway) existingView(principal string) (v *view, own bool) {
	if principal == "" {
		return g.shared.Load(), true
	}
	if known, ok := g.byPrincipal.Load(principal); ok {
		return known.(*view), true
	}
	return g.shared.Load(), false
}

func now() int64 { return time.Now().Unix() }
