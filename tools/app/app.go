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
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/transport"
)

// App is a server with a command line.
type App struct {
	Name    string // of the program
	Version string
	Summary string // one line: what it serves
	// Flags declares the program's own flags, and may be nil. A program that
	// declares -log-level or -concurrency itself has them to itself.
	Flags func(*flag.FlagSet)
	// ServeName is a further name of the command serve, and ServeFlags declares
	// flags that this command alone has. Both may be left out.
	ServeName  string
	ServeFlags func(*flag.FlagSet)
	// Build makes the server once the flags are parsed. When it fails it has left
	// nothing to close.
	Build func(context.Context, Start) (*Program, error)
	// Tasks says that something the program offers takes long: then it has the flag
	// -tasks.
	Tasks bool
	// NeedsToken says that the server runs commands or agents. HTTP and WebSocket then
	// need a token by default, that of the user (package usertoken), and there are the
	// flag -no-token and the command token.
	NeedsToken bool
	// Commands are the program's own, beside those of every App.
	Commands []Command
	// AskBefore are the tools that the command call runs only after the user has agreed on
	// the terminal, for example tools that delete. Without a terminal, and with -yes, call
	// does not ask.
	AskBefore []string
	// Audit says that the program changes files: then it has the flag -audit, the file in which each change is recorded. See
	// Start.Audit.
	Audit bool
	// Authenticate returns the handler that asks clients over the network for tokens. Default: the function Authenticate.
	Authenticate func(Resource) (Authenticator, error)
	// Doctor makes the program's own checks: of its settings, the directories that
	// it may use (CheckRoots) and what it keeps (CheckState). Without it doctor
	// looks at the directories that -root names, if the program has that flag.
	Doctor func(context.Context) []Check
	// Settings are the settings of the program, a *Settings. Default: the program has none, or handles them itself.
	Settings AnySettings
	// Trust finds the settings that the project brings, beside those of Settings. It gives the program the
	// commands trust and untrust.
	Trust func(context.Context) ([]ProjectSettings, error)
	// PassEnv are the names of variables that a client is to hand on to the server from
	// its own environment, if there are any: clients start servers with little more
	// than what their configuration says. A client that cannot is told nothing.
	PassEnv []string
	// Environment is the machine on which install and doctor look for the files of clients. Default: the one of the process.
	Environment *Environment
	// Executable is the program's file, which doctor starts as a server; empty is
	// that of the process.
	Executable string

	// Streams default to those of the process.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	options options
	token   *Token // see App.Token
}

// Environment describes the machine and its user as far as the names of the configuration files of clients depend on them. A test of a
// program makes one, so that its commands do not touch the files of the user.
type Environment struct {
	GOOS      string // the operating system, as runtime.GOOS has it
	Home      string // the user's home directory
	ConfigDir string // the user's directory for settings. Default: as os.UserConfigDir returns it for GOOS
	// Getenv returns an environment variable. Default: every variable is empty.
	Getenv func(name string) string
	// List returns the names in a directory, or nothing if it cannot be read. Default: every directory is empty.
	List func(dir string) []string
}

// Start is what a program is built with.
type Start struct {
	// Command is the one that was given: "serve", "tools", "call" and so on. Only
	// serve may leave anything behind, such as a file of settings.
	Command string
	Log     *slog.Logger // to standard error, from the level of -log-level on
	Stderr  io.Writer
	// Tasks runs tasks, for mcp.ServerOptions. It is nil unless -tasks is given.
	Tasks mcp.TaskRunner
	// Audit is the log in the file of the flag -audit, which is closed after Program.Close. It is nil without the flag, which
	// package security takes for no log.
	Audit *audit.Log
	// AuditFile is the name of that file, for programs that hide it from tools.
	AuditFile string
	// NoToken is the flag -no-token, see App.NeedsToken.
	NoToken bool
	// Token is App.Token.
	Token func() (Token, error)
}

// Program is a server that is ready to be used.
type Program struct {
	Server *mcp.Server
	// Root is the project. With it tasks are kept in the user's directory for state, and outlive the process. Default: tasks are
	// kept in memory.
	Root *security.Root
	// Tools are what the commands show, where they are not registered in Server but
	// come from elsewhere. Nil: those of Server.
	Tools func(context.Context) ([]mcp.Tool, error)
	// Permissions are the permissions that tools need, where the tools come from elsewhere. Default: the permissions of
	// the tools of Server.
	Permissions []string
	// Log is where transports log to; nil is that of Start.
	Log *slog.Logger
	// Concurrency is how many requests of one connection run at once; 0 is what
	// -concurrency says.
	Concurrency int
	// Wrap, if set, is put in front of what the flags -http and -ws serve, and
	// Hosts are further names by which that is reached. Authenticated says that
	// Wrap asks for tokens: then those of the flags are refused.
	Wrap  func(http.Handler) http.Handler
	Hosts []string
	// WrapPublic, if set, is put in front of all of that, also of the check of tokens: it
	// serves pages that a browser without a token must reach.
	WrapPublic    func(http.Handler) http.Handler
	Authenticated bool
	// Endpoints are where the server is to be reached when the flags do not say so:
	// onStdio is one of them, or not. Nil is onStdio alone.
	Endpoints func(ctx context.Context, onStdio transport.Endpoint, opts *transport.Options) ([]transport.Endpoint, error)
	// Close releases what the server holds, and may be nil.
	Close func(context.Context) error
}

// tools are those that the server offers.
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

// Command is a command that one program has.
type Command struct {
	Name    string
	Args    string // what follows the flags, such as "FILE"; empty: nothing may
	Summary string // one line: what it does
	Flags   func(*flag.FlagSet)
	Run     func(ctx context.Context, a *App, flags *flag.FlagSet) error
}

// options are the flags that every program has.
type options struct {
	command     string
	logLevel    slog.Level
	concurrency int
	maxMessage  int
	auditFile   string
	remote      remoteFlags
	tasks       bool
	install     installation
	doctor      recordedFlags
}

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the server or the tool failed
	exitUsage   = 2 // the command line is wrong
)

// Main runs the program with its arguments, the program's name left out, and
// returns its exit code. SIGINT and SIGTERM end it in
// order, a second one at once. Nothing that it has
// started outlives it, see process.Supervise: Main is called first thing in main.
func (a *App) Main(args []string) int {
	process.Supervise()
	if err := process.Conceal(); err != nil {
		slog.Warn("commands that this program runs may read its environment", "error", err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends it at once
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

// command is one sub-command.
type command struct {
	name, args, summary string
	run                 func(a *App, ctx context.Context, flags *flag.FlagSet) error
	flags               func(a *App, flags *flag.FlagSet)
}

// serveName is the command that is meant when none is named.
const serveName = "serve"

func commands() []command {
	return []command{
		{name: serveName, summary: "serve MCP on standard input and output, or over the network (the default)", run: (*App).serve, flags: (*App).serveCommandFlags},
		{name: "tools", summary: "show the tools as a model sees them, with what each costs", run: (*App).tools, flags: (*App).toolsFlags},
		{name: "call", args: "TOOL [KEY=VALUE…]", summary: "call one tool and print its answer", run: (*App).call, flags: (*App).callFlags},
		{name: "install", args: "[CLIENT [FLAGS] [-- FLAGS OF THE SERVER]]", summary: "enter the server into the configuration of an MCP client; without one, list them", run: (*App).install, flags: (*App).installFlags},
		{name: "doctor", summary: "check the program, its settings, the server and the configuration of MCP clients", run: (*App).doctor, flags: (*App).doctorFlags},
		{name: "completion", args: "SHELL", summary: "print a script that completes command lines in bash, zsh, fish or powershell", run: (*App).completion},
		{name: "version", summary: "print the version", run: (*App).version},
	}
}

// commands are all that the program has.
func (a *App) commands() []command {
	all := commands()
	if a.ServeName != "" {
		all = append(all, command{name: a.ServeName, summary: "the same as serve", run: (*App).serve, flags: (*App).serveCommandFlags})
	}
	if a.readsProject() {
		all = append(all, trustCommands()...)
	}
	if a.NeedsToken {
		all = append(all, command{name: "token", summary: "print the token that clients over the network need", run: (*App).printToken})
	}
	own := a.Commands
	if a.Settings != nil {
		own = append([]Command{a.Settings.command()}, own...)
	}
	for _, c := range own {
		all = append(all, command{
			name: c.Name, args: c.Args, summary: c.Summary,
			run: func(a *App, ctx context.Context, flags *flag.FlagSet) error {
				if c.Args == "" && flags.NArg() > 0 {
					fmt.Fprintf(a.Stderr, "%s: %s takes no arguments, got %q\n", a.Name, c.Name, flags.Args())
					return errUsage
				}
				return c.Run(ctx, a, flags)
			},
			flags: func(_ *App, flags *flag.FlagSet) {
				if c.Flags != nil {
					c.Flags(flags)
				}
			},
		})
	}
	return all
}

// errUsage is a command line that cannot be understood; it has been explained.
var errUsage = errors.New("usage")

// Run is Main without the signals and the process's streams.
func (a *App) Run(ctx context.Context, args []string) int {
	if len(args) > 0 && args[0] == completeName {
		a.complete(args[1:])
		return exitOK
	}
	if len(args) == 1 && (args[0] == "-version" || args[0] == "--version") {
		args = []string{"version"}
	}
	name, args := a.split(args)
	if name == "help" {
		a.usage(a.Stdout)
		return exitOK
	}
	if c, ok := a.command(name); ok {
		return a.exitCode(a.runCommand(ctx, c, args))
	}
	fmt.Fprintf(a.Stderr, "%s: there is no command %q\n\n", a.Name, name)
	a.usage(a.Stderr)
	return exitUsage
}

func (a *App) runCommand(ctx context.Context, c command, args []string) error {
	flags := a.flagSet(c)
	if a.options.command = c.name; c.name == a.ServeName {
		a.options.command = serveName
	}
	switch err := flags.Parse(args); {
	case errors.Is(err, flag.ErrHelp):
		return nil
	case err != nil:
		return errUsage
	}
	return c.run(a, ctx, flags)
}

func (a *App) flagSet(c command) *flag.FlagSet {
	flags := flag.NewFlagSet(a.Name+" "+c.name, flag.ContinueOnError)
	flags.SetOutput(a.Stderr)
	flags.IntVar(&a.options.maxMessage, "max-message", 16<<20, "largest message that is read, in `bytes`")
	if a.Flags != nil {
		a.Flags(flags)
	}
	if a.Settings != nil {
		a.Settings.Flags(flags)
	}
	a.options.logLevel, a.options.concurrency = slog.LevelWarn, 32
	a.options.auditFile = ""
	if a.Audit {
		flags.StringVar(&a.options.auditFile, "audit", "", "record every change in this `file`, one JSON object a line")
	}
	if flags.Lookup("log-level") == nil {
		flags.TextVar(&a.options.logLevel, "log-level", slog.LevelWarn, "least severe `level` that is logged to standard error: debug, info, warn, error")
	}
	if flags.Lookup("concurrency") == nil {
		flags.IntVar(&a.options.concurrency, "concurrency", 32, "`requests` that run at once; more wait")
	}
	if c.flags != nil {
		c.flags(a, flags)
	}
	return flags
}

func (a *App) exitCode(err error) int {
	switch {
	case err == nil:
		return exitOK
	case errors.Is(err, errUsage):
		return exitUsage
	}
	fmt.Fprintf(a.Stderr, "%s: %v\n", a.Name, Explain(err))
	return exitFailure
}

func (a *App) usage(w io.Writer) {
	fmt.Fprintf(w, "%s — %s\n\nUsage:\n", a.Name, a.Summary)
	for _, c := range a.commands() {
		fmt.Fprintf(w, "  %-32s %s\n", strings.TrimSpace(a.Name+" "+c.name+" "+c.args), c.summary)
	}
	fmt.Fprintf(w, "\n%s COMMAND -help lists the flags of a command.\n", a.Name)
}

func (a *App) version(context.Context, *flag.FlagSet) error {
	_, err := fmt.Fprintln(a.Stdout, a.Name, a.Version)
	return err
}

func (a *App) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.Stderr, &slog.HandlerOptions{Level: a.options.logLevel}))
}

// withServer builds the server, uses it and releases it.
func (a *App) withServer(ctx context.Context, use func(*Program, *transport.Options) error) error {
	log := a.logger()
	audit, err := a.OpenAudit()
	if err != nil {
		return err
	}
	runner, kept, endTasks := a.tasks(log)
	start := Start{
		Command: a.options.command, Log: log, Stderr: a.Stderr, Tasks: runner, Audit: audit, AuditFile: a.options.auditFile,
		NoToken: a.options.remote.noToken, Token: a.Token,
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
	if kept != nil {
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

// OpenAudit opens the log in the file of the flag -audit, for commands of the program and its doctor. Without the flag it returns nil,
// which is no log and can be closed.
func (a *App) OpenAudit() (*audit.Log, error) {
	if a.options.auditFile == "" {
		return nil, nil
	}
	return audit.Open(audit.Options{Path: a.options.auditFile})
}
