package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/tools/app"
)

// status is the gateway's own server: it tells how the others are.
type status struct {
	server  *mcp.Server
	gateway *gateway.Gateway
}

// Report is how the servers are.
type Report struct {
	// NotReady says which servers cannot be used, and why, in the answer of a readiness probe; empty if all can.
	NotReady string         `json:"notReady,omitempty"`
	Servers  []ServerReport `json:"servers"`
}

// ServerReport is how one server is.
type ServerReport struct {
	Name   string `json:"name"`
	State  string `json:"state"` // idle, starting, ready, needs_login, down
	Reason string `json:"reason,omitempty"`
	// LastAnswer is when the server last gave a sign of life; empty if it never has.
	LastAnswer string   `json:"lastAnswer,omitempty" format:"date-time"`
	Login      string   `json:"login,omitempty"` // "shared": all users of the gateway act as one; "own": each acts as itself
	Next       string   `json:"next,omitempty"`  // next step in the state needs_login
	Revision   string   `json:"revision,omitempty"`
	Tools      int      `json:"tools"`
	Prompts    int      `json:"prompts,omitempty"`
	Problems   []string `json:"problems,omitempty"`
}

// newStatus is the server without the gateway that it tells of.
func newStatus(structured mcp.StructuredPolicy) *status {
	s := &status{server: mcp.NewServer(mcp.Implementation{Name: "gateway", Version: version}, &mcp.ServerOptions{Structured: structured})}
	s.offer(nil)
	return s
}

// offer registers the tools that the servers of the file need.
func (s *status) offer(upstreams []gateway.Upstream) {
	tools := []mcp.ServerTool{mcp.NewTool(mcp.Tool{
		Name: "servers", Description: "Lists the servers behind this gateway, and why some of them cannot be used.", Annotations: mcp.ReadOnly(),
	}, func(ctx context.Context, _ struct{}) (Report, error) {
		return check(ctx, s.gateway, caller.PrincipalOf(ctx), checkPatience), nil
	})}
	if slices.ContainsFunc(upstreams, func(u gateway.Upstream) bool { return u.Login != nil }) {
		tools = append(tools, s.loginTool())
	}
	if err := s.server.Replace("gateway", mcp.Features{Tools: tools}); err != nil {
		s.server.ListChanged("tools") // unreachable: the tools are right
	}
}

// checkPatience is how long the tool waits for the answers of the servers: as long as a call of one of them would.
const checkPatience = 2500 * time.Millisecond

// check asks the servers that were needed before for a sign of life, and reports how they are for one principal.
func check(ctx context.Context, g *gateway.Gateway, principal string, patience time.Duration) Report {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	g.Check(ctx, principal)
	return report(g.StatusFor(principal))
}

// report tells how the servers are for one principal.
func report(all []gateway.Status) Report {
	r := Report{Servers: []ServerReport{}}
	for _, status := range all {
		if status.Name == "gateway" {
			continue
		}
		s := ServerReport{Name: status.Name, State: string(status.State), Revision: status.Revision, Tools: status.Tools, Prompts: status.Prompts, Problems: status.Problems}
		switch {
		case status.SharedLogin:
			s.Login = "shared"
		case status.PerPrincipal:
			s.Login = "own"
		}
		if status.State == gateway.NeedsLogin {
			s.Next = "log in with the tool login, or run \"gateway login " + status.Name + "\" in a terminal"
			if s.Login == "shared" {
				s.Next = "the operator of the gateway logs in with \"gateway login " + status.Name + "\""
			}
		}
		s.Reason = status.Reason()
		if !status.LastAnswer.IsZero() {
			s.LastAnswer = status.LastAnswer.UTC().Format(time.RFC3339)
		}
		r.Servers = append(r.Servers, s)
	}
	return r
}

// TextContent returns one line for each server, with the reason and the next step for a server that
// cannot be used.
func (r Report) TextContent() string {
	if len(r.Servers) == 0 {
		return "no servers"
	}
	var b strings.Builder
	for i, s := range r.Servers {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s %s; tools: %d", s.Name, s.condition(), s.Tools)
		if s.Prompts > 0 {
			fmt.Fprintf(&b, ", prompts: %d", s.Prompts)
		}
		if s.Login != "" {
			b.WriteString(", " + s.Login + " login")
		}
		if s.LastAnswer != "" {
			b.WriteString(", last answer " + s.LastAnswer)
		}
		for _, problem := range s.Problems {
			b.WriteString("\n  problem: " + problem)
		}
	}
	return b.String()
}

func (r Report) json() []byte {
	text, err := json.Marshal(r)
	if err != nil {
		return []byte(`{}`) // unreachable: it has nothing but text and numbers
	}
	return text
}

// serversCommand prints how the servers are.
func (o *options) serversCommand() app.Command {
	return app.Command{
		Name: "servers", Summary: "start all servers and show their state",
		Run: func(ctx context.Context, a *app.App, _ *flag.FlagSet) error {
			r, err := o.report(ctx, app.Start{Command: "servers", Log: discard(), Stderr: a.Stderr})
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(a.Stdout, 0, 0, 2, ' ', 0)
			fmt.Fprintln(table, "SERVER\tSTATE\tREVISION\tTOOLS\tPROMPTS\tPROBLEM")
			for _, s := range r.Servers {
				why := s.Reason
				if s.Next != "" {
					why = s.Next
				}
				wrong := strings.Join(append(nonEmpty(why), s.Problems...), "; ")
				fmt.Fprintf(table, "%s\t%s\t%s\t%d\t%d\t%s\n", s.Name, s.State, s.Revision, s.Tools, s.Prompts, wrong)
			}
			return errors.Join(table.Flush(), r.failure())
		},
	}
}

// failure returns the error that names each server that is not ready, with the
// reason; nil if all are.
func (r Report) failure() error {
	var down []string
	for _, s := range r.Servers {
		if s.State != string(gateway.Ready) {
			down = append(down, s.Name+" "+s.condition())
		}
	}
	if len(down) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d servers cannot be used: %s", len(down), len(r.Servers), strings.Join(down, "; "))
}

// condition is the state of a server as the rest of a sentence.
func (s ServerReport) condition() string {
	if s.State == string(gateway.NeedsLogin) {
		return "needs a login: " + s.Next
	}
	return "is " + s.State + reasonAfter(s.Reason)
}

// reasonAfter returns a reason as the end of a sentence.
func reasonAfter(reason string) string {
	if reason == "" {
		return ""
	}
	return ": " + reason
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// report starts all servers and returns their states.
func (o *options) report(ctx context.Context, start app.Start) (Report, error) {
	s := &service{log: start.Log}
	err := s.open(o)
	if err == nil {
		s.gateway.Start(ctx)
		r := report(s.gateway.StatusFor(""))
		if err := s.close(ctx); err != nil {
			start.Log.Warn("a server was not stopped", "error", err)
		}
		return r, nil
	}
	return Report{}, joined(err, s.close(ctx))
}

// checks returns the checks of doctor: the file, and each server in it.
func (o *options) checks(ctx context.Context) []app.Check {
	r, err := o.report(ctx, app.Start{Command: "doctor", Log: discard()})
	if err != nil {
		return []app.Check{{Name: "servers", Status: app.Broken, Detail: err.Error(), Next: "fix the file, or name another with -config"}}
	}
	checks := []app.Check{{Name: "servers", Status: app.OK, Detail: fmt.Sprintf("the file names %d", len(r.Servers))}}
	for _, s := range r.Servers {
		c := app.Check{Name: "server " + s.Name, Status: app.OK, Detail: fmt.Sprintf("it speaks %s and has %d tools", s.Revision, s.Tools)}
		if s.Login == "shared" {
			c.Detail += "; all users share one login"
		}
		switch {
		case s.State == string(gateway.NeedsLogin):
			c.Status, c.Detail, c.Next = app.Warning, "it needs a login", "run \"gateway login "+s.Name+"\""
		case s.State != string(gateway.Ready):
			c.Status, c.Detail, c.Next = app.Broken, "it is "+s.State+reasonAfter(s.Reason), "run its command by hand, or look whether its address is right"
		case len(s.Problems) > 0:
			c.Status, c.Detail, c.Next = app.Warning, strings.Join(s.Problems, "; "), "tell its author, or give it another prefix in the file"
		}
		checks = append(checks, c)
	}
	return checks
}
