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

// Checker decides whether a command may run: command.Policy is one. A refusal is
// an error that says what to do instead.
type Checker interface {
	Check(c command.Command) error
}

// Options limit commands. The zero value refuses commands that plainly
// destroy a system or a home, and gives the others the rights of this program.
type Options struct {
	// Policy is asked before every command. nil is the zero command.Policy for the
	// directories of the project: a hint against mistakes, not a wall.
	Policy Checker
	// Sandbox is where commands run. It stays the caller's to close, after the set.
	// nil gives them the rights of this program. In a read-only Root commands run
	// only in a sandbox that is read-only too.
	Sandbox *sandbox.Sandbox
	// Shell runs commands that are given without args: bash by default, "sh" where
	// there is none, and "cmd" on Windows; another one is called with -c, or with /c
	// if it is cmd.
	Shell string
	// Offers reports whether the server offers a tool of the set: advice names no
	// other. It must be safe for concurrent use. nil: all are offered.
	Offers func(tool string) bool
	// Env are patterns of the variables of this program that commands get, in which *
	// stands for any characters; nil is "*". A name that says that it is secret, such
	// as GITHUB_TOKEN, is matched by no pattern with a *: it must be listed. Those
	// that begin with DOUGU_ are never handed on.
	Env []string
	// Timeout is after how long a command is ended that runs in the foreground and was
	// given no other limit. Default 1 minute.
	Timeout time.Duration
	// MaxProcesses bounds how many run at once. Default 32. A principal that was authenticated runs at most as many as it leaves
	// places free, and always the first one while there is a place: alone it gets half of them.
	MaxProcesses int
	// KeepOutput is how long the output of a process can be read after its end.
	// Default 10 minutes; the newest 64 are kept at most.
	KeepOutput time.Duration
	// MaxOutput bounds what is kept of the output of one process, in bytes; past it
	// the middle is dropped. Default 100 MiB, on disk.
	MaxOutput int64
	// OutputDir is where output goes that is too large for memory, into files
	// without a name. Default: the cache directory of the user, or that for temporary
	// files.
	OutputDir string
}

const (
	defaultMaxProcesses = 32
	defaultKeepOutput   = 10 * time.Minute
	defaultMaxOutput    = 100 << 20
	// maxKept bounds the processes that have ended and are remembered, and
	// maxKeptOutputs what they hold on disk, in multiples of MaxOutput.
	maxKept        = 64
	maxKeptOutputs = 5
	// killGrace is how long a process has to end by itself when it is asked to.
	killGrace = 5 * time.Second
	// closeGrace is how long it has when the set is closed.
	closeGrace = 200 * time.Millisecond
)

// Terminal is the set of tools that run commands. Its methods may be called from
// several goroutines at once.
type Terminal struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	base     []string // the environment that commands get
	mark     string   // in the environment of all processes of the set
	features mcp.Features

	life context.Context // ends with the set
	end  context.CancelFunc
	work group.Group

	mu       sync.Mutex
	byID     map[string]*proc
	order    []*proc  // by start
	starting []string // the owners of processes that are not in order yet

	building sync.Mutex
	builds   []*buildRun // that are running, or can still be asked for
}

// New makes the set. The environment needs a Root, which stays the caller's to
// close: commands start in its directories.
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
	if o.OutputDir == "" {
		o.OutputDir, _ = root.CacheDir("terminal") // or that for temporary files
	}
	return o
}

// offers is Options.Offers.
func (t *Terminal) offers() offering { return t.options.Offers }

// Features implements tools.Set.
func (t *Terminal) Features() mcp.Features { return t.features }

// Close implements tools.Set: it ends every process of the set, and where that is
// possible what they have left behind.
func (t *Terminal) Close(ctx context.Context) error {
	t.end()
	t.work.Wait()
	t.mu.Lock()
	t.byID, t.order = nil, nil
	t.mu.Unlock()
	return process.KillMarked(context.WithoutCancel(ctx), t.mark)
}

// directory finds where a command is to start: its absolute name, and the one for
// other calls.
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

// shellOf is the shell, as package command knows it, that a program is; "" for no
// shell.
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
