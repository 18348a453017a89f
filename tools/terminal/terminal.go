package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/process"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/environ"
)

// Checker decides whether a command may run, for example command.Policy. A refusal is an error whose next step names an
// alternative.
type Checker interface {
	Check(c command.Command) error
}

// Options configure the commands. The zero value refuses commands that plainly destroy a system or a home, and gives other
// commands the permissions of this process.
type Options struct {
	// Policy checks every command. nil is the zero command.Policy for the directories of the project. It is a hint, not a wall.
	Policy Checker
	// Sandbox runs the commands. The caller closes it after the set. nil gives commands the permissions of this process. With a
	// read-only Root commands need a sandbox that is read-only too.
	Sandbox *sandbox.Sandbox
	// Shell runs commands without args: bash by default, "sh" if it is missing, and "cmd" on Windows. Another shell is called
	// with -c, cmd with /c.
	Shell string
	// Offers reports whether the server offers a tool of the set; advice names no other tools. It must be safe for concurrent
	// use. nil offers all.
	Offers func(tool string) bool
	// Env are patterns of environment variables for commands; * matches any characters. nil is "*". A pattern with * never
	// matches a name that indicates a secret, for example GITHUB_TOKEN: list it explicitly. Variables with the prefix DOUGU_
	// are never passed.
	Env []string
	// Timeout is the default timeout of a command in the foreground. Default 1 minute.
	Timeout time.Duration
	// MaxWait is the longest time that a call waits for a command or a build in the foreground, unless it gives waitMs. Default
	// 50 seconds, because clients give up after a minute. A larger one relies on progress, which keeps clients waiting.
	MaxWait time.Duration
	// MaxProcesses is the most processes that run at once. Default 32. An authenticated principal may start one more process
	// if it runs none, or fewer than places are free. So of 4 places the first principal gets 2, and two others get 1 each.
	// Callers without authentication may use all places.
	MaxProcesses int
	// KeepOutput is the time for which output can be read after the end of a process. Default 10 minutes. At most the newest 64
	// ended processes are kept.
	KeepOutput time.Duration
	// MaxOutput is the most bytes of output that are kept of one process, on disk. The middle of longer output is dropped.
	// Default 100 MiB.
	MaxOutput int64
	// OutputDir is the directory for output that is too large for memory. On Unix a file is removed from it as soon as it is
	// open, so that no file remains after a crash. Default: the cache directory of the user, or the temporary directory.
	OutputDir string
}

const (
	defaultMaxProcesses = 32
	defaultKeepOutput   = 10 * time.Minute
	defaultMaxOutput    = 100 << 20
	// maxKept is the most ended processes that are kept. maxKeptOutputs is the most disk space of their output, in multiples of
	// MaxOutput.
	maxKept        = 64
	maxKeptOutputs = 5
	// killGrace is the time between the first signal and the kill in kill_process.
	killGrace = 5 * time.Second
	// timeoutGrace is the same time after a timeout or a cancellation.
	timeoutGrace = 2 * time.Second
	// closeGrace is the same time when the set is closed.
	closeGrace = 200 * time.Millisecond
)

// Terminal is the set of tools that run commands. It implements tools.Set. Its methods are safe for concurrent use.
type Terminal struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	base     []string // environment of commands
	mark     string   // mark in the environment of all processes of the set
	features mcp.Features

	life context.Context // ends when the set is closed
	end  context.CancelFunc
	work group.Group

	mu       sync.Mutex // guards byID, order and starting
	byID     map[string]*proc
	order    []*proc  // ordered by start
	starting []string // principals of processes that are being started

	building sync.Mutex  // guards builds
	builds   []*buildRun // running and recent builds
}

// New makes the set. env.Root is required and is not closed by Terminal; commands start in its directories. Close ends all
// processes.
func New(ctx context.Context, env tools.Env, o Options) (*Terminal, error) {
	if env.Root == nil {
		return nil, errors.New("making the terminal tools: the environment has no root")
	}
	t := &Terminal{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit,
		options: o.withDefaults(env.Root), mark: rand.Text(), byID: make(map[string]*proc),
	}
	var removed []string
	t.base, removed = environ.Inherited(t.options.Env, (*redact.Redactor)(nil).SecretVariable)
	if len(removed) > 0 {
		t.log.Info("variables with secrets are kept from programs", slog.Any("names", removed))
	}
	t.life, t.end = context.WithCancel(context.WithoutCancel(ctx))
	t.work.OnPanic = func(value any, stack []byte) {
		t.log.Error("a background task of the terminal tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	defined, err := t.define()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the terminal tools: %w", err), t.Close(ctx))
	}
	t.features = mcp.Features{Tools: env.WithNotices(defined...)}
	return t, nil
}

// withDefaults returns the options with the defaults applied.
func (o Options) withDefaults(root *security.Root) Options {
	if o.Policy == nil {
		o.Policy = &command.Policy{Dirs: root.Dirs()}
	}
	if o.Shell == "" {
		o.Shell = defaultShell()
	}
	if o.Env == nil {
		o.Env = []string{"*"}
	}
	if o.MaxProcesses <= 0 {
		o.MaxProcesses = defaultMaxProcesses
	}
	if o.KeepOutput <= 0 {
		o.KeepOutput = defaultKeepOutput
	}
	if o.MaxOutput <= 0 {
		o.MaxOutput = defaultMaxOutput
	}
	if o.Timeout <= 0 {
		o.Timeout = defaultTimeout
	}
	if o.MaxWait <= 0 {
		o.MaxWait = maxWait
	}
	if o.OutputDir == "" {
		o.OutputDir, _ = root.CacheDir("terminal") // if it fails, the temporary directory is used
	}
	return o
}

// offers returns the check whether the server offers a tool of the set. A nil check offers all tools.
func (t *Terminal) offers() offering { return t.options.Offers }

// Features implements tools.Set.
func (t *Terminal) Features() mcp.Features { return t.features }

// Close implements tools.Set. It ends all processes of the set and, on systems that can find them, the processes that they have
// started.
func (t *Terminal) Close(ctx context.Context) error {
	t.end()
	t.work.Wait()
	t.mu.Lock()
	t.byID, t.order = nil, nil
	t.mu.Unlock()
	return process.KillMarked(context.WithoutCancel(ctx), t.mark)
}

// directory returns the directory in which a command starts: as an absolute path, and as the path for other calls. "" is the
// project directory.
func (t *Terminal) directory(ctx context.Context, name string) (abs, path string, err error) {
	if name == "" {
		name = "."
	}
	info, err := t.root.Stat(ctx, name)
	if err != nil {
		return "", "", err
	}
	if info.Kind != security.Directory {
		return "", "", problem(string(security.NotDirectory), "Give a directory of the project, or none.", "%s is not a directory", quote(name))
	}
	return filepath.Join(t.root.Dirs()[info.Dir], filepath.FromSlash(info.Rel)), info.Path, nil
}

// shellOf returns the name of the shell dialect of a program for package command, or "" if the program is no shell.
func shellOf(program string) string {
	name := strings.ToLower(filepath.Base(filepath.ToSlash(program)))
	switch name = strings.TrimSuffix(name, ".exe"); name {
	case "sh", "bash", "dash", "zsh", "ksh", "cmd", "powershell":
		return name
	case "ash", "busybox", "fish":
		return "sh"
	case "pwsh":
		return "powershell"
	}
	return ""
}
