package gateway

import (
	"time"

	"github.com/dougu-go/dougu/security/redact"
)

// State is how an upstream is.
type State string

// The states.
const (
	Idle     State = "idle"     // nobody has needed it yet
	Starting State = "starting" // or starting again
	Ready    State = "ready"
	Down     State = "down" // it is tried again, ever less often
	// NeedsLogin is an upstream that works as soon as a user has logged in, see ErrLoginNeeded.
	NeedsLogin State = "needs_login"
	Removed    State = "removed"
)

// Status is how an upstream is, and what was wrong with it.
type Status struct {
	Name      string
	Principal string // whose connection it is; empty for one that is shared
	// PerPrincipal and SharedLogin are the fields of the Upstream.
	PerPrincipal, SharedLogin bool
	State                     State
	Since                     time.Time
	// Err is why the upstream is down, or was before it started again.
	Err error
	// Retry is when it is tried again, if it is down.
	Retry time.Time
	// LastAnswer is when it last gave a sign of life; zero if it never has.
	LastAnswer time.Time
	// Server and Revision are what it says that it is and speaks, once it was ready.
	Server, Version, Revision string
	// Tools, Prompts, Resources and Templates are how many it has, before what is
	// left out.
	Tools, Prompts, Resources, Templates int
	// Problems are what of it is left out, and why.
	Problems []string

	hidden bool
}

// Reason tells why the upstream cannot be used, as a person or a model may read it: without secrets, on one line, and at most
// 1,000 bytes. It is empty if the upstream is ready or was never needed.
func (s *Status) Reason() string {
	if s.State == Ready || s.Err == nil {
		return ""
	}
	return brief(s.Err.Error())
}

// described returns the text of an error for the log, short and without secrets; empty for nil.
func described(err error) string {
	if err == nil {
		return ""
	}
	return brief(err.Error())
}

// reason tells in a few words why the upstream is not ready.
func (s *Status) reason() string {
	switch {
	case s.State == Down && s.Err != nil:
		return brief(s.Err.Error())
	case s.State == Starting && s.Err != nil:
		return "it is starting again: " + brief(s.Err.Error())
	case s.State == NeedsLogin:
		return "it needs a login"
	case s.State == Idle, s.State == Starting:
		return "it is starting"
	}
	return "it is " + string(s.State)
}

// brief returns the text of an error as a model or a log may read it: at most 1,000
// bytes, printable and without secrets. The text may be an upstream's own, like the
// last lines of its standard error.
func brief(text string) string {
	const most = 1000
	text = new(redact.Redactor).Redact(text)
	if len(text) > most {
		text = text[:most] + "…"
	}
	return printable(text)
}

// Status tells how the upstreams are, in their order. Those of principals come
// after those that are shared.
func (g *Gateway) Status() []Status {
	var all []Status
	report := func(v *view, members []*member) {
		t := v.table.Load()
		for _, m := range members {
			status, _ := m.look()
			status.Problems = append([]string(nil), t.problems[m]...)
			all = append(all, status)
		}
	}
	shared := g.shared.Load()
	report(shared, shared.members)
	g.byPrincipal.Range(func(_, found any) bool {
		v := found.(*view)
		report(v, v.own())
		return true
	})
	return all
}

// StatusFor returns the status of the upstreams for one principal, in their order: shared upstreams, and its own connections to upstreams
// with PerPrincipal. One that the principal has not used yet is Idle.
func (g *Gateway) StatusFor(principal string) []Status {
	v, own := g.knownView(principal)
	t := v.table.Load()
	all := make([]Status, 0, len(v.members))
	for _, m := range v.members {
		status, _ := m.look()
		if !own && m.up.PerPrincipal {
			status = Status{Name: m.up.Name, Principal: principal, PerPrincipal: true, SharedLogin: m.up.SharedLogin, State: Idle}
		} else {
			status.Problems = append([]string(nil), t.problems[m]...)
		}
		all = append(all, status)
	}
	return all
}

// knownView returns the view that the requests of a principal have made, or the shared one. own tells that the members of
// upstreams with PerPrincipal are the principal's.
func (g *Gateway) knownView(principal string) (v *view, own bool) {
	if principal == "" {
		return g.shared.Load(), true
	}
	if known, ok := g.byPrincipal.Load(principal); ok {
		return known.(*view), true
	}
	return g.shared.Load(), false
}

func now() int64 { return time.Now().Unix() }
