package agentservice

import (
	"cmp"
	"context"
	"flag"
	"io"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"github.com/dougu-go/dougu/internal/projectfile"
	"github.com/dougu-go/dougu/tools/agents"
	"github.com/dougu-go/dougu/tools/agents/executor"
	"github.com/dougu-go/dougu/tools/agents/executor/acp"
	"github.com/dougu-go/dougu/tools/agents/executor/claude"
	"github.com/dougu-go/dougu/tools/agents/executor/codex"
	"github.com/dougu-go/dougu/tools/agents/executor/cursor"
	"github.com/dougu-go/dougu/tools/agents/executor/gemini"
	"github.com/dougu-go/dougu/tools/agents/roles"
	"github.com/dougu-go/dougu/tools/app"
	"github.com/dougu-go/dougu/tools/config"
)

// Config has all settings except the roles, which are lists in the same file. Timeout, Stagger and
// Patience are in milliseconds.
type Config struct {
	Dashboard struct {
		Enabled  bool
		Host     string
		Port     int
		Hosts    []string
		Language string
	}
	Agent struct {
		Timeout          int
		MaxConcurrent    int
		MaxQueued        int
		MaxPerHour       int
		MaxDepth         int
		Stagger          int
		Patience         int
		Executor         string
		Cursor, Claude   string
		Codex, Gemini    string
		CodexSandbox     string
		ACP, ACPLogin    string
		ACPArgs          []string
		Models           []string
		PromptVia        string
		Sandbox          string
		ApproveMCPs      bool
		Fallback         bool
		FailedDependency string
		Prices           []string
	}
	History struct {
		Path string
		Days int
		Most int
	}
	Notify struct {
		Targets []string
		On      []string
	}
	Apps struct {
		Enabled bool
	}
	LogLevel string
}

// Values of settings.
const (
	executorCursor = cursor.Name
	viaStdin       = "stdin"
	viaArgument    = "arg"
	onFail         = "fail"
	onRun          = "run"
	noHistory      = "-"
)

const (
	// Prefix is the prefix of environment variables.
	Prefix = "KUROMAJUTSU_"
	// DefaultFile is the file with settings and roles in a project.
	DefaultFile = projectfile.Kuromajutsu

	day = 24 * 60 * 60 * 1000 // in milliseconds
)

// OtherVariables maps variable names of the specification to the names that the table derives from
// keys.
var OtherVariables = map[string]string{Prefix + "PORT": Prefix + "DASHBOARD_PORT"}

// Defaults returns the default settings.
func Defaults() Config { return newTable(nil).Defaults() }

// newTable returns the table of the settings. The setting agent.executor also accepts the names of additional executors.
func newTable(executors []string) *config.Table[Config] {
	type c = Config
	word := config.Text(1, 4096)
	return config.NewTable(config.Options{Title: "Settings of kuromajutsu", Prefix: Prefix, Synonyms: OtherVariables, Others: []string{
		Prefix + "CONFIG", agents.EnvParentURL, agents.EnvToken, agents.EnvAgentID, agents.EnvDepth,
	}},
		config.NewKey("dashboard.port", func(c *c) *int { return &c.Dashboard.Port }, 9696,
			config.Whole(0, 65535), "`port` of the dashboard; one of the next hundred if it is in use; 0: any free port").Alias("port").ByProject(),
		config.NewSwitch("dashboard.enabled", func(c *c) *bool { return &c.Dashboard.Enabled }, true,
			"serve the dashboard; without it, agents cannot call report_result, and their reports are read from their output").ByProject(),
		config.NewKey("dashboard.host", func(c *c) *string { return &c.Dashboard.Host }, "127.0.0.1",
			config.Text(1, 255), "`address` of the dashboard; on other addresses than loopback, every request needs the token").Alias("host"),
		config.NewList("dashboard.hosts", func(c *c) *[]string { return &c.Dashboard.Hosts }, nil,
			config.ListOf(config.Text(1, 255), 100), "additional host `names` of the dashboard").Key,
		config.NewKey("dashboard.language", func(c *c) *string { return &c.Dashboard.Language }, "ja",
			config.OneOf("ja", "en"), "`language` of the dashboard for browsers that prefer another language, and of messages about models").ByProject(),
		config.NewKey("agent.defaultTimeout_ms", func(c *c) *int { return &c.Agent.Timeout }, 300_000,
			config.Whole(1000, 7*day), "default timeout of an agent, in `milliseconds`").Alias("timeout").Narrowing(config.AtMost(func(c *c) *int { return &c.Agent.Timeout })),
		config.NewKey("agent.maxConcurrent", func(c *c) *int { return &c.Agent.MaxConcurrent }, 10,
			config.Whole(1, 1000), "`number` of agents that run at once; more wait").Narrowing(config.AtMost(func(c *c) *int { return &c.Agent.MaxConcurrent })),
		config.NewKey("agent.maxQueued", func(c *c) *int { return &c.Agent.MaxQueued }, 200,
			config.Whole(1, 10_000), "`number` of agents that wait for a free slot or for others; more are refused").Narrowing(config.AtMost(func(c *c) *int { return &c.Agent.MaxQueued })),
		config.NewKey("agent.maxPerHour", func(c *c) *int { return &c.Agent.MaxPerHour }, 300,
			config.Whole(1, 1_000_000), "`number` of agents that the main agent, and each agent, may start in an hour; more are refused").Narrowing(config.AtMost(func(c *c) *int { return &c.Agent.MaxPerHour })),
		config.NewKey("agent.maxDepth", func(c *c) *int { return &c.Agent.MaxDepth }, 1,
			config.Whole(0, 10), "limit of the `depth` of nested agents; 1: only the main agent can start agents").Narrowing(config.AtMost(func(c *c) *int { return &c.Agent.MaxDepth })),
		config.NewKey("agent.stagger_ms", func(c *c) *int { return &c.Agent.Stagger }, 300,
			config.Whole(0, 60_000), "`milliseconds` between the starts of two agents").ByProject(),
		config.NewKey("agent.patience_ms", func(c *c) *int { return &c.Agent.Patience }, 50_000,
			config.Whole(100, day), "limit of the `milliseconds` that one call of wait_agent blocks; set it below the timeout of the client").ByProject(),
		config.NewKey("agent.executor", func(c *c) *string { return &c.Agent.Executor }, executorCursor,
			config.OneOf(append([]string{executorCursor, claude.Name, codex.Name, gemini.Name, acp.Name}, executors...)...), "`program` of roles without an executor: the Cursor CLI, Claude Code, the Codex CLI, the Gemini CLI, or that of agent.acpProgram").ByProject(),
		config.NewKey("agent.cursorProgram", func(c *c) *string { return &c.Agent.Cursor }, "",
			config.Text(0, 4096), "`file` of the Cursor CLI; empty: agent or cursor-agent, where they are usually installed"),
		config.NewKey("agent.claudeProgram", func(c *c) *string { return &c.Agent.Claude }, "",
			config.Text(0, 4096), "`file` of Claude Code; empty: claude, where it is usually installed"),
		config.NewKey("agent.codexProgram", func(c *c) *string { return &c.Agent.Codex }, "",
			config.Text(0, 4096), "`file` of the Codex CLI; empty: codex, where it is usually installed"),
		config.NewKey("agent.codexSandbox", func(c *c) *string { return &c.Agent.CodexSandbox }, codex.WorkspaceWrite,
			config.OneOf(codex.WorkspaceWrite, codex.FullAccess), "sandbox of agents of the Codex CLI that are not read-only: "+codex.WorkspaceWrite+" allows writes in their directory except .git, and no network; "+codex.FullAccess+" confines nothing").Narrowing(config.Only(func(c *c) *string { return &c.Agent.CodexSandbox }, codex.WorkspaceWrite)),
		config.NewKey("agent.geminiProgram", func(c *c) *string { return &c.Agent.Gemini }, "",
			config.Text(0, 4096), "`file` of the Gemini CLI; empty: gemini, where it is usually installed"),
		config.NewKey("agent.acpProgram", func(c *c) *string { return &c.Agent.ACP }, "",
			config.Text(0, 4096), "`program` that speaks the Agent Client Protocol, by its file or its name in PATH, for roles whose executor is acp"),
		config.NewList("agent.acpArgs", func(c *c) *[]string { return &c.Agent.ACPArgs }, nil,
			config.ListOf(word, 100), "`arguments` of agent.acpProgram, for example --acp").Key,
		config.NewKey("agent.acpLogin", func(c *c) *string { return &c.Agent.ACPLogin }, "",
			config.Text(0, 256), "`identifier` of the login method that agent.acpProgram must use; empty: none, for a program that is already logged in"),
		config.NewList("agent.models", func(c *c) *[]string { return &c.Agent.Models }, nil,
			config.ListOf(word, 1000), "additional `models` that roles may name, as EXECUTOR=MODEL, for programs that do not list all their models").ByProject(),
		config.NewKey("agent.promptVia", func(c *c) *string { return &c.Agent.PromptVia }, viaStdin,
			config.OneOf(viaStdin, viaArgument), "how the Cursor CLI gets its prompt: "+viaStdin+", or "+viaArgument+" on the command line, which every user of the machine can read").Narrowing(config.Only(func(c *c) *string { return &c.Agent.PromptVia }, viaStdin)),
		config.NewKey("agent.sandbox", func(c *c) *string { return &c.Agent.Sandbox }, "",
			config.OneOf("", "enabled", "disabled"), "sandbox of the Cursor CLI for commands: enabled or disabled; empty: its own settings").Narrowing(config.Only(func(c *c) *string { return &c.Agent.Sandbox }, "enabled")),
		config.NewSwitch("agent.approveMCPs", func(c *c) *bool { return &c.Agent.ApproveMCPs }, true,
			"allow agents to use the MCP servers of the project and the user without asking; report_result needs it").Narrowing(config.Only(func(c *c) *bool { return &c.Agent.ApproveMCPs }, false)),
		config.NewSwitch("agent.fallbackToAuto", func(c *c) *bool { return &c.Agent.Fallback }, false,
			"use the model auto if the model of a role is not available").ByProject(),
		config.NewKey("agent.onFailedDependency", func(c *c) *string { return &c.Agent.FailedDependency }, onFail,
			config.OneOf(onFail, onRun), "how an agent continues after a failed dependency: "+onFail+", or "+onRun+" with a note about the failure").ByProject(),
		config.NewList("agent.prices", func(c *c) *[]string { return &c.Agent.Prices }, nil,
			config.ListOf(word, 1000), "`prices` of models in US dollars for a million tokens, as MODEL=INPUT/OUTPUT or MODEL=INPUT/OUTPUT/CACHE-READ/CACHE-WRITE").ByProject(),
		config.NewKey("history.path", func(c *c) *string { return &c.History.Path }, "",
			config.Text(0, 4096), "`file` of the history; empty: in the state directory of this project, - for none"),
		config.NewKey("history.days", func(c *c) *int { return &c.History.Days }, 90,
			config.Whole(1, 3650), "`days` for which agents that have ended are kept").Narrowing(config.AtLeast(func(c *c) *int { return &c.History.Days })),
		config.NewKey("history.most", func(c *c) *int { return &c.History.Most }, 10_000,
			config.Whole(1, 1_000_000), "`number` of agents that are kept").Narrowing(config.AtLeast(func(c *c) *int { return &c.History.Most })),
		config.NewList("notify.targets", func(c *c) *[]string { return &c.Notify.Targets }, nil,
			config.ListOf(word, 20), "`targets` of notifications: desktop, slack=URL, discord=URL, webhook=URL").Key,
		config.NewList("notify.on", func(c *c) *[]string { return &c.Notify.On }, []string{"completed", "failed", "timedOut"},
			config.ListOf(config.OneOf("completed", "failed", "timedOut", "cancelled", "stalled"), 5), "`events` that cause a notification").ByProject(),
		config.NewSwitch("apps.enabled", func(c *c) *bool { return &c.Apps.Enabled }, false,
			"show agents in the window of clients that support it (MCP Apps), with the extension io.modelcontextprotocol/ui of the protocol").Alias("apps").ByProject(),
		config.NewKey("log.level", func(c *c) *string { return &c.LogLevel }, "info",
			config.OneOf("debug", "info", "warn", "error"), "`level` of the log on standard error").ByProject(),
	)
}

// Options are the command line and the environment.
type Options struct {
	// Version is the version of the program.
	Version string
	// Directory is the project, in which agents work.
	Directory string
	// ConfigFile is the file with settings and roles. Default: KUROMAJUTSU_CONFIG, or DefaultFile
	// in the project.
	ConfigFile string
	// Args are the arguments with which an agent starts this program as its server.
	Args []string
	// Program is the name of the program in messages. Default: kuromajutsu.
	Program string
	// Environ returns the environment, see Environment.
	Environ func() []string
	// executors are additional executors.
	executors Executors

	settings *app.Settings[Config] // refers to the fields above: do not copy Options
}

// Executors are additional executors by name. The functions open them; the service closes them.
type Executors map[string]func(log *slog.Logger) (executor.Executor, error)

// NewOptions returns the options for the current directory. executors are the executors in addition to those of this
// library; roles and the setting agent.executor can name them. It may be nil.
func NewOptions(version string, environ func() []string, executors Executors) *Options {
	o := &Options{Version: version, Directory: ".", Environ: sync.OnceValue(environ), executors: executors}
	// All programs that read the file share its name and the approvals of the user.
	o.settings = &app.Settings[Config]{
		Table: newTable(slices.Sorted(maps.Keys(executors))), Program: "kuromajutsu", Decode: roles.DecodeSettings, ProjectFile: DefaultFile,
		Project:   func() string { return cmp.Or(o.Directory, ".") },
		NamedFile: o.namedFile,
		Environ:   func() []string { return o.Environ() },
	}
	return o
}

// Flags declares the flags of the settings.
func (o *Options) Flags(flags *flag.FlagSet) {
	flags.StringVar(&o.ConfigFile, "config", "", "read settings and roles from this YAML `file` (default "+DefaultFile+" in the project)")
	o.settings.Flags(flags)
}

// Reference writes the documentation of all settings, in Markdown.
func (o *Options) Reference(w io.Writer) error { return o.settings.Table.Reference(w) }

// Load merges defaults, file, environment and flags; a later source wins. The file may be missing.
// Without approval of the user, the file of the project can only narrow the other sources; a named
// file has all rights. An invalid value is an error.
func (o *Options) Load() (*config.Loaded[Config], error) {
	loaded, err := o.settings.Load()
	if err != nil {
		return loaded, err
	}
	return loaded, loaded.Refusal()
}

// ProjectSettings returns the settings in the file of the project that need approval.
func (o *Options) ProjectSettings(context.Context) ([]app.ProjectSettings, error) {
	loaded, err := o.Load()
	if err != nil {
		return nil, err
	}
	return o.settings.ProjectSettings(loaded), nil
}

// file returns the path of the settings file: from the flag, the environment, or the project.
func (o *Options) file() string { return o.settings.Path() }

// namedFile returns the file in the flag or the environment, or "".
func (o *Options) namedFile() string {
	return cmp.Or(o.ConfigFile, config.Lookup(o.Environ(), Prefix+"CONFIG"))
}

// named reports whether the flag or the environment names a file.
func (o *Options) named() bool { return o.namedFile() != "" }
