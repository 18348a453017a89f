package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/gateway"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security/access"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/auth"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/app/mcpjson"
	"github.com/dougu-go/dougu/tools/internal/calllog"
	"github.com/dougu-go/dougu/tools/telemetry"
	"github.com/dougu-go/dougu/tools/telemetry/health"
	"github.com/dougu-go/dougu/tools/telemetry/prometheus"
)

// service is the gateway with its authentication, audit log and status pages.
type service struct {
	gateway  *gateway.Gateway
	registry *mcpjson.Registry
	audit    *audit.Log
	control  *access.Control
	recorder *telemetry.Recorder
	logins   *broker // logs users in to servers with OAuth, and keeps their tokens
	log      *slog.Logger
	serves   bool // false for a command that ends after its answer
	// structured is the value of -structured; empty for commands that serve no client.
	structured mcp.StructuredPolicy
	// permissions are all permissions that tools may need.
	permissions []string

	stop    context.CancelFunc // ends watches; nil for a command other than serve
	watches group.Group        // reads the file again when it changes
}

// build makes the server.
func (o *options) build(ctx context.Context, start app.Start) (*app.Program, error) {
	s := &service{recorder: telemetry.NewRecorder(), log: start.Log, serves: start.Command == "serve", structured: start.Structured}
	if err := s.open(o); err != nil {
		return nil, errors.Join(err, s.close(context.WithoutCancel(ctx)))
	}
	if start.Command == "serve" {
		watching, stop := context.WithCancel(context.WithoutCancel(ctx))
		s.stop = stop
		s.watches.Keep(watching, func() { s.registry.Watch(watching, s.gateway) })
	}
	server := mcp.NewServer(o.info(), &mcp.ServerOptions{Log: start.Log})
	calls := calllog.New(start.Log, new(redact.Redactor).JSON)
	server.Use(s.recorder.Requests, calls.Requests, s.control.Middleware(), auth.RequireRead, s.logins.keepSubjects, s.audited,
		func(mcp.Handler) mcp.Handler { return s.gateway.Dispatch })
	program := &app.Program{Server: server, Tools: s.tools, Permissions: s.permissions, Wrap: s.wrap, Close: s.close}
	if s.logins.web != nil {
		program.WrapPublic = s.logins.web.wrap
	}
	return program, nil
}

func (o *options) info() mcp.Implementation {
	return mcp.Implementation{Name: "gateway", Version: version, Description: "One MCP server in front of many"}
}

// open opens the parts of the service, and sets options.exchanges from the file. The caller calls close
// even after an error.
func (s *service) open(o *options) error {
	file, err := o.file()
	if err != nil {
		return err
	}
	s.logins = newBroker(s.log, vault{lookup: o.lookup, keyring: o.keyring, log: s.log}.open)
	s.logins.oneShot = !s.serves
	if o.publicURL != "" {
		if s.logins.web, err = newCallbacks(o.publicURL); err != nil {
			return err
		}
	}
	own := newStatus(s.structured) // the gateway's own MCP server, with the tool that reports the state of the servers
	s.registry = &mcpjson.Registry{
		Path: file, Log: s.log, Variables: mcpjson.Variables{Lookup: o.lookup, Workspace: filepath.Dir(file)},
		Connector: mcpjson.Connector{Workspace: filepath.Dir(file), Log: s.log, Authorize: s.logins.transport, Login: s.logins.login},
		Adjust: func(upstreams []gateway.Upstream) error {
			own.offer(upstreams)
			return o.adjust(upstreams)
		},
		Approved: o.approved(file),
	}
	if o.ownTools {
		s.registry.Extra = []gateway.Upstream{{Name: "gateway", Version: version, Server: own.server}}
	}
	upstreams, err := s.registry.Load()
	if err != nil {
		return err
	}
	s.permissions = permissions(upstreams)
	servers, err := s.registry.Servers()
	if err != nil {
		return err
	}
	o.exchanges = slices.ContainsFunc(servers, func(s mcpjson.Server) bool { return s.Rules.OAuth != nil && s.Rules.OAuth.Exchange })
	if s.audit, err = openAudit(o.auditFile); err != nil {
		return err
	}
	limits := access.Options{PerMinute: unlimited(o.perMinute), PerHour: unlimited(o.perHour), MaxConnections: unlimited(o.clients), Log: s.log}
	s.control = access.New(limits)
	s.gateway, err = gateway.New(gateway.Options{
		Info: o.info(), Instructions: o.instructions, Filter: permitted, Log: s.log, Structured: s.structured,
		ListTimeout: o.listTimeout, StartTimeout: o.startTimeout,
	}, upstreams...)
	own.gateway = s.gateway
	return err
}

// adjust changes upstreams as the flags say.
func (o *options) adjust(upstreams []gateway.Upstream) error {
	if o.bare {
		if len(upstreams) > 1 {
			return fmt.Errorf("-no-prefix is for one server, and there are %d; \"bare\" in the file says which one it is for", len(upstreams))
		}
		for i := range upstreams {
			upstreams[i].Bare = true
		}
	}
	for i := range upstreams {
		upstreams[i].Asks = upstreams[i].Asks || o.asks
	}
	return nil
}

// unlimited converts the value of a flag, where 0 means no limit, for access.Options, where 0 means the
// default and a negative number no limit.
func unlimited(n int) int {
	if n <= 0 {
		return -1
	}
	return n
}

func openAudit(file string) (*audit.Log, error) {
	if file == "" {
		return nil, nil
	}
	path, err := filepath.Abs(file)
	if err != nil {
		return nil, err
	}
	return audit.Open(audit.Options{Path: path})
}

// tools are the tools of all servers, once they are ready or have failed.
func (s *service) tools(ctx context.Context) ([]mcp.Tool, error) {
	s.gateway.Start(ctx)
	result, err := s.gateway.Dispatch(ctx, &protocol.Request{ID: "1", Method: "tools/list", Meta: protocol.RequestMeta{Revision: protocol.Latest}})
	if err != nil {
		return nil, err
	}
	for _, status := range s.gateway.Status() {
		if status.State != gateway.Ready {
			s.log.Warn("a server is not ready", "server", status.Name, "state", status.State, "reason", status.Err)
		}
	}
	return listed(result)
}

// Paths of the status pages.
const (
	metricsPath = "/metrics"
	livePath    = "/livez"   // 200 while the gateway serves
	readyPath   = "/readyz"  // 200 while all servers can be used, else 503 with the reasons
	healthPath  = "/healthz" // 200 while the gateway serves, with how the servers are
)

// probeTimeout is the time for which a readiness probe waits for the servers that it starts.
const probeTimeout = 500 * time.Millisecond

// wrap serves metrics and health beside MCP.
func (s *service) wrap(next http.Handler) http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/", next)
	mux.Handle("GET "+metricsPath, prometheus.Handler(prometheus.Options{Namespace: "gateway", Recorder: s.recorder, Sources: prometheus.Sources{
		Connections: func() prometheus.Connections { return prometheus.Connections(s.control.Stats()) },
	}}))
	mux.HandleFunc("GET "+healthPath, func(w http.ResponseWriter, r *http.Request) {
		health.Write(w, http.StatusOK, check(r.Context(), s.gateway, protocol.PrincipalFrom(r.Context()), probeTimeout).json())
	})
	mux.HandleFunc(livePath, health.Live)
	mux.HandleFunc("GET "+readyPath, s.ready)
	return mux
}

// ready answers whether all servers can be used. It starts servers that no call has needed yet, as their state is unknown
// before. Servers to which each principal has a connection of its own do not count: a login that one user lacks is no fault of the
// gateway.
func (s *service) ready(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), probeTimeout)
	defer cancel()
	principal := protocol.PrincipalFrom(ctx)
	s.gateway.Start(ctx)
	s.gateway.Check(ctx, principal)
	all := s.gateway.StatusFor(principal)
	now, status := report(all), http.StatusOK
	shared := report(slices.DeleteFunc(all, func(s gateway.Status) bool { return s.PerPrincipal && s.State != gateway.Down }))
	if err := shared.failure(); err != nil {
		status, now.NotReady = http.StatusServiceUnavailable, err.Error()
	}
	health.Write(w, status, now.json())
}

// close ends everything. It waits for calls that are running, but not for long.
func (s *service) close(context.Context) error {
	if s.stop != nil {
		s.stop()
		s.watches.WaitFor(10 * time.Second)
	}
	var failed []error
	if s.gateway != nil {
		failed = append(failed, s.gateway.Close())
	}
	if s.logins != nil {
		failed = append(failed, s.logins.close())
	}
	if s.audit != nil {
		failed = append(failed, s.audit.Close())
	}
	return errors.Join(failed...)
}
