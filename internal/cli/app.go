package cli

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/transport"
)

// App is a server with a command line.
type App struct {
	Name    string // of the program
	Version string
	Summary string // one line: what it serves
	// Flags declares the program's own flags, and may be nil.
	Flags func(*flag.FlagSet)
	// Build makes the server once the flags are parsed. The function that it
	// returns releases what the server holds, and may be nil.
	Build func(ctx context.Context, log *slog.Logger) (*mcp.Server, func(context.Context) error, error)
	// Tokens reads bearer tokens, which who reaches the server over the network
	// must have: auth.ParseTokens of package security/auth. Without it no address
	// but a loopback one is served.
	Tokens func(text string) (Authenticator, error)

	// Streams default to those of the process.
	Stdin          io.Reader
	Stdout, Stderr io.Writer

	options options
}

// options are the flags that every program has.
type options struct {
	logLevel    slog.Level
	concurrency int
	maxMessage  int
	remote      remote
}

// Exit codes.
const (
	exitOK      = 0
	exitFailure = 1 // the server or the tool failed
	exitUsage   = 2 // the command line is wrong
)

// Main runs the program with its arguments, the program's name left out, and
// returns its exit code. SIGINT and SIGTERM end it in order.
func (a *App) Main(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a.standardStreams()
	return a.Run(ctx, args)
}

func (a *App) standardStreams() {
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

func commands() []command {
	return []command{
		{name: "serve", summary: "serve MCP on standard input and output, or over the network (the default)", run: (*App).serve, flags: (*App).serveFlags},
		{name: "tools", summary: "show the tools as a model sees them, with what each costs", run: (*App).tools, flags: (*App).toolsFlags},
		{name: "call", args: "TOOL [KEY=VALUE…]", summary: "call one tool and print its answer", run: (*App).call, flags: (*App).callFlags},
		{name: "version", summary: "print the version", run: (*App).version},
	}
}

// errUsage is a command line that cannot be understood; it has been explained.
var errUsage = errors.New("usage")

// Run is Main without the signals and the process's streams.
func (a *App) Run(ctx context.Context, args []string) int {
	name := "serve"
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	if name == "help" {
		a.usage(a.Stdout)
		return exitOK
	}
	for _, c := range commands() {
		if c.name == name {
			return a.exitCode(a.runCommand(ctx, c, args))
		}
	}
	fmt.Fprintf(a.Stderr, "%s: there is no command %q\n\n", a.Name, name)
	a.usage(a.Stderr)
	return exitUsage
}

func (a *App) runCommand(ctx context.Context, c command, args []string) error {
	flags := a.flagSet(c)
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
	flags.TextVar(&a.options.logLevel, "log-level", slog.LevelWarn, "least severe `level` that is logged to standard error: debug, info, warn, error")
	flags.IntVar(&a.options.concurrency, "concurrency", 32, "`requests` that run at once; more wait")
	flags.IntVar(&a.options.maxMessage, "max-message", 16<<20, "largest message that is read, in `bytes`")
	if a.Flags != nil {
		a.Flags(flags)
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
	fmt.Fprintf(a.Stderr, "%s: %v\n", a.Name, err)
	return exitFailure
}

func (a *App) usage(w io.Writer) {
	fmt.Fprintf(w, "%s — %s\n\nUsage:\n", a.Name, a.Summary)
	for _, c := range commands() {
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
func (a *App) withServer(ctx context.Context, use func(*mcp.Server, *transport.Options) error) error {
	log := a.logger()
	server, release, err := a.Build(ctx, log)
	if err != nil {
		return err
	}
	opts := &transport.Options{Concurrency: a.options.concurrency, MaxMessage: a.options.maxMessage, Log: log}
	err = use(server, opts)
	if release != nil {
		err = errors.Join(err, release(context.WithoutCancel(ctx)))
	}
	return err
}
