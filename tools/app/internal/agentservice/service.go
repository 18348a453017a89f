package agentservice

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/apps"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/card"
	"github.com/dougu-go/dougu/tools/agents/dashboard"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/health"
	"github.com/dougu-go/dougu/tools/agents/record"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/agents/sqlite"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/internal/notify"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// instructions are sent to models and describe the use of all tools together.
const instructions = "Run agents in parallel: list_roles, create_group, run_agent for each task, then wait_agent until none is pending (a call of it may end early with slice=true: call it again). " +
	"Give each agent an independent task, or name the required agents in dependsOn. get_agent_status returns an agent's work; get_agent_output returns its text."

// Service is the set of agent tools with the parts that its settings select. In the server
// of an agent it only forwards calls to the parent.
type Service struct {
	config    Config
	version   string
	log       *slog.Logger
	root      *security.Root
	state     string // directory for state files; "" if nothing is kept
	temporary bool   // state is removed by Close
	memory    *record.Memory
	database  *sqlite.DB
	executors []executor.Executor
	// unapproved has the programs that the file of the project names without approval, by key of
	// the setting.
	unapproved map[string]*executor.Refused
	book       *roles.Book
	checker    *health.Checker
	notifier   *notify.Notifier
	crew       *agents.Agents      // the agents and their tools; nil in the server of an agent
	nested     *tools.Installation // tools on a second server, for the servers that agents start
	reports    *httpserver.Handler // serves nested over HTTP, at nestedPath of the dashboard
	dashboard  *dashboard.Dashboard
	set        tools.Set // crew, or a *forward in the server of an agent

	running group.Group
	stop    context.CancelFunc
}

// Purpose is the use for which a Service is opened.
type Purpose struct {
	// Log receives all messages. Default: standard error, with the level of the settings.
	Log *slog.Logger
	// Stderr is standard error of the program.
	Stderr io.Writer
	// Person is true for a command of a user, which logs only warnings and errors.
	Person bool
	// Serves is true for the command serve, which may create files.
	Serves bool
	// Checks starts the health checks of roles even without Serves.
	Checks bool
	// Token is the token of the dashboard, see app.Start.Token; nil makes one for this run.
	Token func() (app.Token, error)
	// Structured decides which agents receive structured content from the tools for agents.
	// Default: all.
	Structured mcp.StructuredPolicy
	// NoToken lets programs of this machine read the dashboard without the token.
	NoToken bool
	// Fake is true for a demonstration: a recording, which this program plays, replaces every
	// agent.
	Fake bool
}

// Open opens the parts that the settings name. In the environment of an agent it only
// connects to the server that runs the agent. The caller closes the Service.
func Open(ctx context.Context, o *Options, p Purpose) (_ *Service, err error) {
	s := &Service{log: p.Log, version: o.Version}
	if s.log == nil {
		s.log = newLog("warn", p)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.Close(context.WithoutCancel(ctx)))
		}
	}()
	if parent, ok := parentOf(o.Environ()); ok {
		set, err := openForward(ctx, parent, o.Version, s.log)
		if err != nil {
			return nil, err
		}
		s.set = set
		return s, nil
	}
	loaded, err := o.Load()
	if err != nil {
		return nil, err
	}
	s.config = loaded.Config
	if p.Fake { // the demonstration runs without a limit
		s.config.Agent.MaxPerHour = math.MaxInt
	}
	if p.Log == nil {
		s.log = newLog(s.config.LogLevel, p)
	}
	program := cmp.Or(o.Program, "kuromajutsu")
	for _, asked := range o.settings.ProjectSettings(loaded) {
		asked.Warn(s.log, program)
	}
	s.unapproved = unapprovedPrograms(loaded.Requests(), program)
	if s.root, err = security.OpenRoot(security.RootOptions{Dirs: []string{o.Directory}, RemovedInState: true, Logger: s.log}); err != nil {
		return nil, err
	}
	running, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	for _, open := range []func(context.Context, *Options, Purpose) error{s.openStore, s.openExecutors, s.openRoles, s.openCrew, s.openDashboard} {
		if err := open(running, o, p); err != nil {
			return nil, err
		}
	}
	if s.set, err = s.shown(); err != nil {
		return nil, err
	}
	if p.Serves || p.Checks {
		s.checker.Start(running)
	}
	return s, nil
}

// newLog returns a log on standard error with secrets redacted.
func newLog(level string, p Purpose) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil || p.Person && least > slog.LevelDebug {
		least = max(least, slog.LevelWarn)
	}
	return slog.New(redact.NewHandler(slog.NewTextHandler(p.Stderr, &slog.HandlerOptions{Level: least}), nil))
}

// Set returns the tools: those of the agents of Crew, or of the parent in the server of an agent.
// Service.Close closes the set.
func (s *Service) Set() tools.Set { return s.set }

// shown returns the tools of the agents, with the page of MCP Apps if the settings enable it.
func (s *Service) shown() (tools.Set, error) {
	if !s.config.Apps.Enabled {
		return s.crew, nil
	}
	return card.AddCard(s.crew)
}

// Extensions returns the protocol extensions that the server of the tools must offer.
func (s *Service) Extensions() map[string]json.RawMessage {
	var o mcp.ServerOptions
	if s.config.Apps.Enabled {
		apps.Offer(&o)
	}
	return o.Extensions
}

// Instructions returns the instructions for the model.
func (s *Service) Instructions() string {
	if url := s.URL(false); url != "" {
		return instructions + " The user can watch at " + url + "."
	}
	return instructions
}

// Crew returns the agents, or nil in the server of an agent.
func (s *Service) Crew() *agents.Agents { return s.crew }

// Groups returns the existing groups.
func (s *Service) Groups(ctx context.Context) ([]record.Group, error) {
	return s.store().Groups(ctx, false)
}

// Log returns the log of the service.
func (s *Service) Log() *slog.Logger { return s.log }

// Root returns the files of the project.
func (s *Service) Root() *security.Root { return s.root }

// openStore opens the store of groups, agents and their output. Only a server keeps files.
func (s *Service) openStore(ctx context.Context, o *Options, p Purpose) error {
	s.memory = record.NewMemory(record.MemoryOptions{})
	if !p.Serves {
		return nil
	}
	var err error
	if s.state, err = stateDir(o.Environ(), s.root.Dirs()[0]); err != nil {
		s.log.Warn("no directory for the history; the history is lost when this server ends", "error", err)
		if s.state, err = os.MkdirTemp("", "kuromajutsu-"); err != nil {
			return fmt.Errorf("creating a temporary directory for agents: %w", err)
		}
		s.temporary = true
	}
	path := s.config.History.Path
	if path == noHistory {
		return nil
	}
	if path == "" {
		path = filepath.Join(s.state, "history.db")
	}
	if s.database, err = sqlite.Open(ctx, path, sqlite.Options{MaxAgents: s.config.History.Most, MaxAge: time.Duration(s.config.History.Days) * 24 * time.Hour, Log: s.log}); err != nil {
		return fmt.Errorf("opening the history: %w; choose another file with -history-path, or - for none", err)
	}
	return nil
}

// discard removes the temporary state directory, unless it contains worktrees of agents.
func (s *Service) discard() error {
	work := filepath.Join(s.state, "agents", "worktrees")
	if err := os.Remove(work); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("agents have left work in %s", work)
	}
	return os.RemoveAll(s.state)
}

// store returns the store of groups and agents.
func (s *Service) store() record.Store {
	if s.database != nil {
		return s.database
	}
	return s.memory
}

// outputs returns the store of the output of agents.
func (s *Service) outputs() record.Outputs {
	if s.database != nil {
		return s.database.Outputs()
	}
	return s.memory.Outputs()
}

// openRoles reads the roles and creates their health checker.
func (s *Service) openRoles(ctx context.Context, o *Options, p Purpose) (err error) {
	open := roles.OpenProject
	if o.named() {
		open = roles.Open
	}
	if s.book, err = open(o.file()); err != nil {
		return err
	}
	if _, err := os.Stat(o.file()); errors.Is(err, fs.ErrNotExist) && o.named() && !p.Fake {
		s.log.Warn("the settings file does not exist; the defaults apply", "file", o.file())
	}
	for _, problem := range s.book.Problems() {
		s.log.Warn("invalid role settings", "problem", problem)
	}
	cache := s.state
	if cache != "" {
		cache = filepath.Join(cache, "health"+s.programs()) // one for each choice of agent programs
	}
	s.checker = health.New(health.Options{
		Executors: s.executors, Roles: s.book.Roles, Log: s.memory.Log(), Dir: cache, Fallback: s.config.Agent.Fallback, Language: s.config.Dashboard.Language, Logger: s.log,
		Env: []string{agents.EnvAgentID + "=health", agents.EnvDepth + "=1"},
	})
	if p.Serves {
		s.running.Keep(ctx, func() { s.book.Watch(ctx, s.rolesChanged) })
	}
	return nil
}

// rolesChanged publishes changed roles, from the file or the dashboard, and checks them.
func (s *Service) rolesChanged(changed []roles.Role) {
	s.tell(record.ConfigUpdated, map[string]any{"roles": changed})
	s.checker.Refresh()
}

// tell publishes an event in the log of events.
func (s *Service) tell(kind record.EventType, data any) {
	if _, err := record.Publish(context.Background(), s.memory.Log(), record.Event{Type: kind}, data); err != nil {
		s.log.Error("event could not be published", "event", kind, "error", err)
	}
}

// openCrew opens the agents and their tools. With a dashboard, an agent can start this program as
// its MCP server, which forwards calls to the address ParentURL.
func (s *Service) openCrew(ctx context.Context, o *Options, p Purpose) (err error) {
	prices, err := parsePrices(s.config.Agent.Prices)
	if err != nil {
		return err
	}
	if s.notifier, err = newNotifier(s.config, s.log); err != nil {
		return err
	}
	a := s.config.Agent
	options := agents.Options{
		Executors: s.executors, Roles: s.book, Health: s.checker,
		Store: s.store(), Log: s.memory.Log(), Outputs: s.outputs(),
		MaxConcurrent: a.MaxConcurrent, MaxQueued: a.MaxQueued, MaxPerHour: a.MaxPerHour, MaxDepth: a.MaxDepth,
		Timeout: time.Duration(a.Timeout) * time.Millisecond, Stagger: milliseconds(a.Stagger), WaitTimeout: time.Duration(a.Patience) * time.Millisecond,
		FailedDependency: a.FailedDependency, Prices: prices, Notify: s.notify,
	}
	if s.state != "" {
		options.StateDir = filepath.Join(s.state, "agents")
	}
	if p.Serves && s.config.Dashboard.Enabled {
		program, err := os.Executable()
		if err != nil {
			return fmt.Errorf("finding the executable of this program, which agents start as their server: %w", err)
		}
		options.Child = agents.Child{Command: program, Args: o.Args, ParentURL: func() string { return s.URL(false) + nestedPath }}
	}
	s.crew, err = agents.New(ctx, tools.Env{Root: s.root, Log: s.log}, options)
	return err
}

// milliseconds converts a setting to an option. The setting 0 means off and becomes -1, because an
// option of 0 means the default.
func milliseconds(n int) time.Duration {
	if n == 0 {
		return -1
	}
	return time.Duration(n) * time.Millisecond
}

// URL returns the address of the dashboard, or "" without one.
func (s *Service) URL(withToken bool) string {
	if s.dashboard == nil {
		return ""
	}
	return s.dashboard.URL(withToken)
}

// Close waits for running calls and closes all parts.
func (s *Service) Close(ctx context.Context) error {
	var failed []error
	if s.stop != nil {
		s.stop()
	}
	switch {
	case s.crew != nil:
		failed = append(failed, s.crew.Close(ctx))
	case s.set != nil:
		failed = append(failed, s.set.Close(ctx))
	}
	if s.reports != nil {
		failed = append(failed, s.reports.Shutdown(ctx))
	}
	if s.nested != nil {
		failed = append(failed, s.nested.Close(ctx))
	}
	if s.dashboard != nil {
		failed = append(failed, s.dashboard.Close(ctx))
	}
	if s.checker != nil {
		s.checker.Close()
	}
	for _, x := range s.executors {
		failed = append(failed, x.Close())
	}
	if s.notifier != nil {
		failed = append(failed, s.notifier.Close(ctx))
	}
	s.running.Wait()
	if s.database != nil {
		failed = append(failed, s.database.Close())
	}
	if s.memory != nil {
		failed = append(failed, s.memory.Close())
	}
	if s.root != nil {
		failed = append(failed, s.root.Close())
	}
	if s.temporary {
		failed = append(failed, s.discard())
	}
	return errors.Join(failed...)
}
