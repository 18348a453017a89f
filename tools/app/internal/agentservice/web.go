package agentservice

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// nestedPath is the path for the servers of agents, without the leading slash.
const nestedPath = "mcp"

// openDashboard serves the dashboard, and on the same listener the tools for the servers of agents.
func (s *Service) openDashboard(ctx context.Context, o *Options, p Purpose) (err error) {
	c := s.config.Dashboard
	if !p.Serves || !c.Enabled {
		return nil
	}
	var token app.Token
	if p.Token != nil {
		if token, err = p.Token(); err != nil {
			return err
		}
	}
	s.dashboard, err = dashboard.New(dashboard.Options{
		Store: s.store(), Events: s.memory.Log(), Outputs: s.outputs(), Roles: s.book, Health: s.checker, Agents: s.crew,
		Name: "kuromajutsu", Version: s.version, Language: c.Language, MaxConcurrent: s.config.Agent.MaxConcurrent, Hosts: c.Hosts, Log: s.log,
		Token: token.Text, Open: p.NoToken,
	})
	if err != nil {
		return err
	}
	nested := mcp.NewServer(mcp.Implementation{Name: "kuromajutsu-agents", Version: s.version}, &mcp.ServerOptions{Log: s.log, Structured: p.Structured})
	nested.Use(asCaller)
	if s.nested, err = tools.Install(nested, "agents", tools.Profile{OtherSpelling: true, NoOutputSchemas: true}, s.crew.NestedTools()); err != nil {
		return err
	}
	s.reports = httpserver.NewHandler(nested, &httpserver.Options{Log: s.log})
	s.dashboard.Mount("/"+nestedPath, s.agentsOnly(s.reports))
	at, err := s.dashboard.Listen(ctx, net.JoinHostPort(c.Host, strconv.Itoa(c.Port)))
	if err != nil {
		return err
	}
	port := at.(*net.TCPAddr).Port
	if port != c.Port && c.Port != 0 {
		s.log.Warn("the port of the dashboard is in use; another port was chosen", "wanted", c.Port, "port", port)
	}
	s.tell(record.ServerStartup, map[string]any{"version": s.version, "startedAt": time.Now().UTC(), "port": port})
	fmt.Fprintf(p.Stderr, "dashboard: %s\n", s.address(p, cmp.Or(o.Program, "kuromajutsu"), token))
	return nil
}

// address returns the text that tells the user how to open the dashboard. It contains the token
// only on a terminal, or if the token is not stored: standard error of a server is in the log of
// its client.
func (s *Service) address(p Purpose, program string, token app.Token) string {
	switch {
	case token.Unkept != nil:
		return fmt.Sprintf("%s (only for this run; the token could not be stored: %v)", s.URL(true), token.Unkept)
	case p.Person || token.Text == "":
		return s.URL(true)
	}
	return fmt.Sprintf("%s (with #token=TOKEN at its end; \"%s token\" prints the token)", s.URL(false), program)
}

// agentsOnly accepts only requests with the token of a running agent.
func (s *Service) agentsOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token, _ := auth.Bearer(r.Header)
		id, ok := s.crew.AgentByToken(token)
		if !ok {
			w.Header().Set("WWW-Authenticate", "Bearer")
			http.Error(w, "only running agents can use this address, with their tokens", http.StatusUnauthorized)
			return
		}
		next.ServeHTTP(w, r.WithContext(protocol.WithPrincipal(r.Context(), id)))
	})
}

// asCaller passes the agent in the principal of a request to the tools as their caller.
func asCaller(next mcp.Handler) mcp.Handler {
	return func(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
		return next(agents.WithCaller(ctx, req.Peer.Principal), req)
	}
}
