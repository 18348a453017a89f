package app

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/transport"
)

// App is an MCP server with a command line. Name and Build are required; every other field
// has a usable default. Do not change the fields after Main or Run has been called.
type App struct {
	// Name is the name of the program, as users type it.
	Name string
	// Version is the version that the command version prints and doctor compares.
	Version string
	// Summary says in one line what the program serves, without a final period.
	Summary string
	// MainFlags names the flags that the help shows beside the commands, in this order, at
	// most ten. Default: the usual ones of a server, for example -root and -http, and then
	// the program's own flags.
	MainFlags []string
	// Flags declares the program's own flags. Default: none. A program that declares
	// -log-level or -concurrency replaces the flag of that name, and then handles its value
	// itself.
	Flags func(*flag.FlagSet)
	// ServeName is a second name of the command serve, for example an earlier name that
	// configuration files of clients still contain. Default: none.
	ServeName string
	// ServeFlags declares flags of the command serve alone. Default: none.
	ServeFlags func(*flag.FlagSet)
	// Build makes the server after the flags are parsed. On an error it must leave nothing
	// open: Program.Close is not called.
	Build func(context.Context, Start) (*Program, error)
	// New makes the App again, with its own values of flags and settings. With it, a program
	// with the flag -root that serves standard input and output follows the folders of its
	// client (roots): when they change, it is built for the new project beside the old one,
	// which is closed after its last call. Default: the project of the start stays.
	New func() *App
	// ClientFlags returns flags that suit a client, which stand before those of the command
	// line, such as the profile of tools for a client with tools of its own. A server on
	// standard input and output is built with them when the client has introduced itself. It
	// requires New and the flag -root. Default: none.
	ClientFlags func(client mcp.Implementation) []string
	// Project returns a directory that the user has named otherwise than by the flag -root,
	// such as by a setting, and its source for messages. Build reads it itself. An empty
	// directory means none. Default: none.
	Project func() (dir, source string)
	// Tasks adds the flag -tasks, for a program with long operations. See Start.Tasks.
	Tasks bool
	// NeedsToken protects a server that runs commands or agents. Clients over HTTP and
	// WebSocket then need the user's token by default (package usertoken). The program gets
	// the flag -no-token and the command token.
	NeedsToken bool
	// Commands are further commands of the program.
	Commands []Command
	// AskBefore names the tools that the command call runs only after the user agrees on
	// the terminal, for example tools that delete. Without a terminal, or with -yes, call
	// does not ask.
	AskBefore []string
	// Audit adds the flag -audit, the file in which each change of a file is recorded. See
	// Start.Audit.
	Audit bool
	// Authenticate makes the handler that checks the tokens of clients over the network.
	// Default: the function Authenticate.
	Authenticate func(Resource) (Authenticator, error)
	// Doctor makes the program's own checks: its settings, its directories (CheckRoots) and
	// its state (CheckState). Default: the directories of the flag -root, if the program
	// has that flag.
	Doctor func(context.Context) []Check
	// Settings are the settings of the program, a *Settings. Default: the program has none,
	// or handles them itself.
	Settings AnySettings
	// Trust returns settings in files of the project that need the user's approval and that
	// Settings does not read. The program then gets the commands trust and untrust, by which
	// the user approves them. Default: none.
	Trust func(context.Context) ([]ProjectSettings, error)
	// PassEnv names environment variables that install asks a client to pass to the server.
	// Clients otherwise start servers with a minimal environment. Clients without this
	// option ignore it.
	PassEnv []string
	// PrepareInstall completes the flags of the server that install enters, for example with
	// the file of its settings. It changes them with flags.Set, and returns notes for the
	// user, or the reason why the server could not start with these flags. settings is the
	// user's directory for settings, or empty if it is unknown. A dry run creates no files.
	// Default: nothing.
	PrepareInstall func(ctx context.Context, flags *flag.FlagSet, settings string, dryRun bool) (notes []string, err error)
	// Environment is the machine on which install and doctor look for configuration files
	// of clients. Default: the machine of the process.
	Environment *Environment
	// Executable is the program file that doctor starts as a server. Default: the file of
	// the process.
	Executable string

	// Stdin is the standard input of the program. Main replaces nil by os.Stdin; Run
	// requires it.
	Stdin io.Reader
	// Stdout and Stderr are the outputs of the program. Main replaces nil by those of the
	// process; Run requires them.
	Stdout, Stderr io.Writer

	options options
	// holdTask keeps the program open until leave is called. A follower sets it, for running tasks.
	holdTask func() (leave func())
	// line is the line of progress; nil without a terminal.
	line *progressLine
	// token caches the result of Token.
	token *Token
}

// Environment describes the machine and its user, as far as file names of MCP clients
// depend on them. Tests of a program set it so that commands do not touch the user's files.
type Environment struct {
	// GOOS is the operating system, one of the values of runtime.GOOS.
	GOOS string
	// Home is the user's home directory.
	Home string
	// ConfigDir is the user's directory for settings. Default: the directory that
	// os.UserConfigDir documents for GOOS.
	ConfigDir string
	// Getenv returns an environment variable. Default: every variable is empty.
	Getenv func(name string) string
	// List returns the names in a directory, or nil if the directory cannot be read.
	// Default: every directory is empty.
	List func(dir string) []string
}

// Start is the input of App.Build: the command, the log, and the parts that the flags have
// switched on.
type Start struct {
	// Command is the name of the command: "serve", "tools", "call" and so on. Only serve
	// may create files, such as a file of settings; see Serves.
	Command string
	// Log writes to standard error, from the level of -log-level on.
	Log *slog.Logger
	// Stderr is the standard error of the program.
	Stderr io.Writer
	// Tasks runs tasks, for mcp.ServerOptions.Tasks. It is nil without the flag -tasks.
	Tasks protocol.TaskRunner
	// Audit records changes in the file of the flag -audit. The App closes it after
	// Program.Close. Without the flag it is nil, which package security accepts as "no
	// audit log".
	Audit *audit.Log
	// AuditFile is the name of the file of -audit, for programs that hide it from tools. It
	// is empty without the flag.
	AuditFile string
	// Structured is the value of the flag -structured, for mcp.ServerOptions.Structured.
	Structured mcp.StructuredPolicy
	// NoToken is the value of the flag -no-token. See App.NeedsToken.
	NoToken bool
	// Token is App.Token.
	Token func() (Token, error)
}

// Program is a server that is ready to serve, as Build returns it.
type Program struct {
	// Server is the server. It is required.
	Server *mcp.Server
	// Root is the project. If it is set, tasks are stored in the user's state directory and
	// survive the process. Default: tasks are stored in memory.
	Root *security.Root
	// Tools returns the tools that the command tools shows, if they are not registered in
	// Server. Default: the tools of Server.
	Tools func(context.Context) ([]mcp.Tool, error)
	// Permissions are the permissions that tools need, if the tools are not registered in
	// Server. Default: the permissions of the tools of Server.
	Permissions []string
	// Log receives the messages of transports. Default: Start.Log.
	Log *slog.Logger
	// Concurrency is the number of requests of one connection that run at once. Default:
	// the value of -concurrency.
	Concurrency int
	// Wrap is a middleware for the HTTP handlers of -http and -ws. Default: none.
	Wrap func(http.Handler) http.Handler
	// Hosts are further host names that requests may use for the server.
	Hosts []string
	// WrapPublic is the outermost middleware, in front of the check of tokens. It serves
	// pages that a browser without a token must reach. Default: none.
	WrapPublic func(http.Handler) http.Handler
	// Authenticated reports that Wrap checks tokens itself. The flags for tokens are then
	// errors.
	Authenticated bool
	// Endpoints returns the endpoints of the server when no flag selects any. onStdio is
	// standard input and output, and may be one of them. Default: onStdio alone.
	Endpoints func(ctx context.Context, onStdio transport.Endpoint, opts *transport.Options) ([]transport.Endpoint, error)
	// Close releases the resources of the server. It is called once, after serving has
	// ended. Default: nothing.
	Close func(context.Context) error
}

// tools returns the tools that the server offers.
func (p *Program) tools(ctx context.Context) ([]mcp.Tool, error) {
	if p.Tools == nil {
		return p.Server.Tools(), nil
	}
	return p.Tools(ctx)
}

// permissions returns the permissions that tools need, sorted.
func (p *Program) permissions() []string {
	if p.Permissions != nil {
		return p.Permissions
	}
	return p.Server.Permissions()
}

// Command is a command of one program, beside the commands of every App.
type Command struct {
	// Name is the name of the command, as users type it.
	Name string
	// Args describes the arguments after the flags, such as "FILE". If it is empty,
	// arguments are a usage error.
	Args string
	// Summary says in one line what the command does, without a final period.
	Summary string
	// Anywhere reports that the command needs no project, in a program with the flag -root.
	// Other commands fail in the home directory and in directories above it.
	Anywhere bool
	// Flags declares the flags of the command. Default: none.
	Flags func(*flag.FlagSet)
	// Run runs the command. flags has the parsed flags and the arguments. An error ends the
	// program with exit code 1, and an error of UsageErrorf with exit code 2.
	Run func(ctx context.Context, a *App, flags *flag.FlagSet) error
}

// options are the values of the flags that every program has.
type options struct {
	command     string   // the command that runs, serve also for ServeName
	args        []string // the arguments of the command, without unresolved values of -root
	project     selection
	logLevel    slog.Level
	concurrency int
	maxMessage  int
	structured  structuredFlag
	auditFile   string
	remote      remoteFlags   // -http, -ws and the flags for tokens
	tasks       bool          // -tasks
	install     installation  // the flags of install
	doctor      recordedFlags // the flags of the server that doctor starts, as the user gave them
}

// defaultConcurrency is the default of the flag -concurrency.
const defaultConcurrency = 32

// Exit codes. docs/programs.md documents them.
const (
	exitOK      = 0
	exitFailure = 1 // the server failed, or the result of the tool is an error
	exitUsage   = 2 // the command line is wrong
)

// Main runs the program with the given arguments, without the program's name, and returns
// its exit code: 0, 1 for a failure, 2 for a wrong command line.
//
// The first SIGINT or SIGTERM ends the program in order; a second one kills it. No process
// that the program has started outlives it, see process.Supervise. Call Main before
// anything else in the function main.
func (a *App) Main(args []string) int {
	process.Supervise()
	if err := process.Conceal(); err != nil {
		slog.Warn("commands that this program runs may read its environment", "error", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// a second signal kills the process
	context.AfterFunc(ctx, stop)
	a.setDefaultStreams()
	return a.Run(ctx, args)
}

func (a *App) setDefaultStreams() {
	if a.Stdin == nil {
		a.Stdin = os.Stdin
	}
	if a.Stdout == nil {
		a.Stdout = os.Stdout
	}
	if a.Stderr == nil {
		a.Stderr = os.Stderr
	}
}

// command is one command: a built-in one or one of App.Commands.
type command struct {
	name, args, summary string
	// anywhere is Command.Anywhere.
	anywhere bool
	run      func(a *App, ctx context.Context, flags *flag.FlagSet) error
	flags    func(a *App, flags *flag.FlagSet)
	// help prints the help for the arguments of a command line; nil if that is always the
	// help of the command.
	help func(a *App, ctx context.Context, flags *flag.FlagSet) error
	// reports tells that the command prints each step, and needs no line of progress.
	reports bool
	// passesOn reports that the command passes the arguments after "--" on to a server.
	passesOn bool
}

// serveName is the default command.
const serveName = "serve"

// commands returns all commands of the program, in the order in which the help shows them.
func (a *App) commands() []command {
	all := []command{
		{name: "install", args: "[CLIENT] [FLAGS] [-- FLAGS OF THE SERVER]", summary: "add the server to the configuration of an MCP client; without CLIENT, offer the clients on this machine", run: (*App).install, flags: (*App).installFlags, reports: true, passesOn: true},
		{name: "doctor", summary: "check the program, its settings, the server and the configuration of MCP clients", run: (*App).doctor, flags: (*App).doctorFlags, reports: true},
		{name: serveName, summary: "serve MCP on standard input and output, or over the network (the default)", run: (*App).serve, flags: (*App).serveCommandFlags},
	}
	for _, c := range a.Commands {
		all = append(all, c.command())
	}
	all = append(all,
		command{name: "tools", args: "[TOOL…]", summary: "show the tools as a model sees them, with the size of each, or the arguments of a tool", run: (*App).tools, flags: (*App).toolsFlags},
		command{name: "call", args: "TOOL [KEY=VALUE…]", summary: "call one tool and print its answer", run: (*App).call, flags: (*App).callFlags, help: (*App).toolHelp},
	)
	if a.Settings != nil {
		all = append(all, a.Settings.command().command())
	}
	if a.readsProject() {
		all = append(all, trustCommands()...)
	}
	if a.NeedsToken {
		all = append(all, command{name: "token", summary: "print the token that clients over the network need", run: (*App).printToken})
	}
	if a.ServeName != "" {
		all = append(all, command{name: a.ServeName, summary: "the same as serve", run: (*App).serve, flags: (*App).serveCommandFlags})
	}
	return append(all,
		command{name: "completion", args: "SHELL", summary: "print a script that completes command lines in bash, zsh, fish or powershell", run: (*App).completion},
		command{name: "version", summary: "print the version", run: (*App).version},
	)
}

// command returns the command in the form of the built-in ones.
func (c Command) command() command {
	return command{
		name: c.Name, args: c.Args, summary: c.Summary, anywhere: c.Anywhere,
		run: func(a *App, ctx context.Context, flags *flag.FlagSet) error {
			if c.Args == "" && flags.NArg() > 0 {
				return a.usageError(fmt.Errorf("%s takes no arguments, got %q", c.Name, flags.Args()))
			}
			return c.Run(ctx, a, flags)
		},
		flags: func(_ *App, flags *flag.FlagSet) {
			if c.Flags != nil {
				c.Flags(flags)
			}
		},
	}
}

// errUsage reports a wrong command line. The message for the user has already been printed.
var errUsage = errors.New("usage")

// usageError is the error of a wrong command line, which is not printed yet.
type usageError struct{ error }

// UsageErrorf returns an error of Command.Run for a wrong command line: the program prints
// the message and ends with exit code 2.
func UsageErrorf(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// Run is Main without signal handling and process supervision. Stdin, Stdout and Stderr
// must be set.
func (a *App) Run(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == completeName {
		a.complete(args[1:])
		return exitOK
	}
	if len(args) == 1 && (args[0] == "-version" || args[0] == "--version") {
		args = []string{"version"}
	}
	name, rest := a.split(args)
	if name == helpName {
		return a.exitCode(a.help(a.words(rest)))
	}
	c, ok := a.command(name)
	if !ok {
		return a.exitCode(a.unknownCommand(name))
	}
	return a.exitCode(a.runCommand(ctx, c, rest, len(rest) < len(args)))
}

// runCommand parses the arguments of a command and runs it. named reports that the command
// line names the command.
func (a *App) runCommand(ctx context.Context, c command, args []string, named bool) error {
	flags := a.flagSet(c)
	if a.options.command = c.name; c.name == a.ServeName {
		a.options.command = serveName
	}
	var dropped []string
	if flags.Lookup(rootFlag) != nil && c.name != "install" {
		args, dropped = dropUnresolved(args)
	}
	a.options.args = args
	asked, err := a.parse(c, flags, args)
	switch {
	case err != nil:
		fmt.Fprintf(a.Stderr, "Usage: %s\n\"%s %s -help\" explains it.\n\n", a.usageLine(c), a.Name, c.name)
		return a.usageError(err)
	case asked && !named:
		a.usage(a.Stdout)
		return nil
	case asked && (c.help == nil || flags.NArg() == 0):
		a.commandHelp(c)
		return nil
	}
	for _, value := range dropped {
		a.logger().Warn("-"+rootFlag+" is ignored: the client has not replaced the variable", slog.String("value", value))
	}
	if err := a.selectProject(flags, c); err != nil {
		return err
	}
	run := func() error { return c.run(a, ctx, flags) }
	if asked {
		run = func() error { return c.help(a, ctx, flags) }
	}
	if c.reports {
		return run()
	}
	return a.showProgress(run)
}

func (a *App) flagSet(c command) *flag.FlagSet {
	flags := flag.NewFlagSet(a.Name+" "+c.name, flag.ContinueOnError)
	flags.SetOutput(io.Discard) // runCommand prints errors and the usage
	flags.IntVar(&a.options.maxMessage, "max-message", 16<<20, "limit of a message, in `bytes`")
	a.options.structured = structuredFlag(mcp.StructuredAuto)
	flags.Var(&a.options.structured, "structured", "`when` clients receive results as structured content beside the text: auto (clients that ask for it), always, never")
	if a.Flags != nil {
		a.Flags(flags)
	}
	if a.Settings != nil {
		a.Settings.Flags(flags)
	}
	// For a program that declares these flags itself:
	a.options.logLevel, a.options.concurrency = slog.LevelWarn, defaultConcurrency
	a.options.auditFile = ""
	if a.Audit {
		flags.StringVar(&a.options.auditFile, "audit", "", "record every change in this `file`, one JSON object a line")
	}
	if flags.Lookup("log-level") == nil {
		flags.TextVar(&a.options.logLevel, "log-level", slog.LevelWarn, "least severe `level` that is logged to standard error: debug, info, warn, error")
	}
	if flags.Lookup("concurrency") == nil {
		flags.IntVar(&a.options.concurrency, "concurrency", defaultConcurrency, "`requests` that run at once; more wait")
	}
	if c.flags != nil {
		c.flags(a, flags)
	}
	return flags
}

func (a *App) exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errUsage) {
		return exitUsage
	}
	fmt.Fprintf(a.Stderr, "%s: %v\n", a.Name, Explain(err))
	if _, wrong := errors.AsType[usageError](err); wrong {
		return exitUsage
	}
	return exitFailure
}

func (a *App) version(context.Context, *flag.FlagSet) error {
	_, err := fmt.Fprintln(a.Stdout, a.Name, a.Version)
	return err
}

func (a *App) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: a.options.logLevel}))
}

// withServer builds the server, calls use with it, and releases it. Errors of all three are
// joined.
func (a *App) withServer(ctx context.Context, use func(*Program, *transport.Options) error) error {
	a.Progress("starting")
	log := a.logger()
	audit, err := a.OpenAudit()
	if err != nil {
		return err
	}
	runner, kept, endTasks := a.tasks(log)
	start := Start{
		Command: a.options.command, Log: log, Stderr: a.Stderr, Tasks: runner, Audit: audit, AuditFile: a.options.auditFile,
		NoToken: a.options.remote.noToken, Token: a.Token, Structured: mcp.StructuredPolicy(a.options.structured),
	}
	if a.Settings != nil {
		if err := a.Settings.begin(start); err != nil {
			return errors.Join(err, endTasks(), audit.Close())
		}
	}
	program, err := a.Build(ctx, start)
	if err != nil {
		return errors.Join(err, endTasks(), audit.Close())
	}
	opts := &transport.Options{Concurrency: a.options.concurrency, MaxMessage: a.options.maxMessage, Log: log}
	if program.Log != nil {
		opts.Log = program.Log
	}
	if program.Concurrency > 0 {
		opts.Concurrency = program.Concurrency
	}
	if kept != nil && start.Serves() {
		kept.open(ctx, opts.Log, a.Name, program.Root)
	}
	unfollow := func() {}
	if a.Settings != nil {
		unfollow = a.Settings.follow(ctx, start)
	}
	err = use(program, opts)
	unfollow()
	return errors.Join(err, program.release(ctx, endTasks), audit.Close())
}

// OpenAudit opens the log of the flag -audit, for commands and checks of the program.
// Without the flag it returns nil, which is a valid log that records nothing. The caller
// closes it.
func (a *App) OpenAudit() (*audit.Log, error) {
	if a.options.auditFile == "" {
		return nil, nil
	}
	return audit.Open(audit.Options{Path: a.options.auditFile})
}
