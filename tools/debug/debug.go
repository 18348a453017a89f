package debug

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/quota"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/caller"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/security/redact"
	"github.com/dougu-go/dougu/security/sandbox"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/command"
	"github.com/dougu-go/dougu/tools/internal/environ"
	"github.com/dougu-go/dougu/tools/internal/plural"
)

// Checker decides whether a command may run, for example command.Policy. A refusal is an error whose next step names an
// alternative.
type Checker interface {
	Check(c command.Command) error
}

// Options configure the set. The zero value gives programs the permissions of this process, as tools/terminal does with
// commands.
type Options struct {
	// Adapters are the debuggers. The first one that fits the program is used. nil is DefaultAdapters.
	Adapters []Adapter
	// Policy checks every start, as the command that would run the program, and every expression that can run commands. nil is
	// the zero command.Policy for the directories of the project.
	Policy Checker
	// Sandbox runs programs and debuggers. They always have the network of the machine, because they communicate over it. The
	// caller closes the Sandbox after the set. nil gives them the permissions of this process. Debuggers of attached processes
	// run outside the sandbox.
	Sandbox *sandbox.Sandbox
	// Env are patterns of environment variables of this process that debugged programs and debuggers get; * matches any
	// characters. nil is "*". A pattern with * never matches a name that indicates a secret.
	Env []string
	// Attach allows to debug running processes of any user. Authenticated principals may not attach, because the process can
	// belong to another principal.
	Attach bool
	// MaxSessions is the most sessions that run at once. Default 4. An authenticated principal may start one more session if it
	// runs none, or fewer than places are free: alone it gets half of the places. Callers without authentication may use all.
	MaxSessions int
	// Idle is the time without a call after which a session is ended. Default 15 minutes.
	Idle time.Duration
	// StartTimeout is the time that a program may take to be built and to begin. Default 10 minutes.
	StartTimeout time.Duration
	// CallTimeout is the time that a debugger may take for a quick request. Default 15 seconds, at most 40.
	CallTimeout time.Duration
	// KeepOutput is the time for which the output of a program can be read after its end. Default 10 minutes.
	KeepOutput time.Duration
	// MaxOutput is the most bytes of output that are kept of one program, on disk. The middle of longer output is dropped.
	// Default 16 MiB.
	MaxOutput int64
	// OutputDir is the directory for output that is too large for memory. Default: the cache directory of the user, or the
	// temporary directory.
	OutputDir string
}

// Debugger is the set of tools that debug programs. Its methods may be called from several goroutines at once.
type Debugger struct {
	root     *security.Root
	limits   tools.Limits
	log      *slog.Logger
	audit    *audit.Log
	options  Options
	base     []string // the environment that programs get
	features mcp.Features

	life context.Context // ends with the set
	end  context.CancelFunc
	work group.Group

	mu       sync.Mutex // guards sessions
	sessions []*session // ordered by start; ended sessions are kept for a while
}

// idLength is the number of random characters in the ID of a session, of 5 bits each. An ID reveals nothing about other sessions.
const idLength = 6

// maxEnded is the most ended sessions of all principals together that are kept.
const maxEnded = 16

// maxCall is the upper limit of CallTimeout, so that every call ends before the timeouts of clients.
const maxCall = 40 * time.Second

// New makes the set. env.Root is required and is not closed by Debugger; programs are in its directories.
func New(ctx context.Context, env tools.Env, o Options) (*Debugger, error) {
	if env.Root == nil {
		return nil, errors.New("making the debugging tools: the environment has no root")
	}
	d := &Debugger{
		root: env.Root, limits: env.Limits.WithDefaults(), log: env.Logger(), audit: env.Audit, options: o.withDefaults(env.Root),
	}
	var removed []string
	d.base, removed = environ.Inherited(d.options.Env, (*redact.Redactor)(nil).SecretVariable)
	if len(removed) > 0 {
		d.log.Info("variables with secrets are kept from programs", slog.Any("names", removed))
	}
	d.work.OnPanic = func(value any, stack []byte) {
		d.log.Error("a background task of the debugging tools ended", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	d.life, d.end = context.WithCancel(context.WithoutCancel(ctx))
	defined, err := d.define()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("making the debugging tools: %w", err), d.Close(ctx))
	}
	d.features = mcp.Features{Tools: defined}
	return d, nil
}

func (o Options) withDefaults(root *security.Root) Options {
	if o.Adapters == nil {
		o.Adapters = DefaultAdapters()
	}
	if o.Policy == nil {
		o.Policy = &command.Policy{Dirs: root.Dirs()}
	}
	if o.Env == nil {
		o.Env = []string{"*"}
	}
	if o.OutputDir == "" {
		o.OutputDir, _ = root.CacheDir("debug")
	}
	o.Sandbox = o.Sandbox.WithNetwork() // nil stays nil
	o.MaxSessions = positive(o.MaxSessions, 4)
	o.Idle = positive(o.Idle, 15*time.Minute)
	o.StartTimeout = positive(o.StartTimeout, 10*time.Minute)
	o.CallTimeout = min(positive(o.CallTimeout, 15*time.Second), maxCall)
	o.KeepOutput = positive(o.KeepOutput, 10*time.Minute)
	o.MaxOutput = positive(o.MaxOutput, 16<<20)
	return o
}

func positive[N cmp.Ordered](n, usual N) N {
	var zero N
	if n <= zero {
		return usual
	}
	return n
}

// Features implements tools.Set.
func (d *Debugger) Features() mcp.Features { return d.features }

// Close implements tools.Set: it ends every session with all its processes.
func (d *Debugger) Close(context.Context) error {
	d.end()
	d.work.Wait()
	d.mu.Lock()
	d.sessions = nil
	d.mu.Unlock()
	return nil
}

// enter gives a new session its ID and adds it to the sessions. It returns TOO_MANY_SESSIONS if its principal may not run
// another one. It removes ended sessions beyond maxEnded.
func (d *Debugger) enter(s *session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.life.Err() != nil {
		return problem(string(security.InternalError), "Start the server again.", "the debugger is closed")
	}
	busy, own := 0, 0
	var ended []*session
	for _, other := range d.sessions {
		switch {
		case other.finished():
			ended = append(ended, other)
		case other.owner == s.owner:
			own++
			busy++
		default:
			busy++
		}
	}
	// The sessions count and their bytes do not, so the size of each and the limit of bytes are 0.
	for _, old := range quota.Surplus(ended, func(s *session) string { return s.owner }, func(*session) int64 { return 0 }, maxEnded, 0) {
		old.forget()
	}
	if !quota.MayTake(s.owner, own, busy, d.options.MaxSessions) {
		return problem(codeTooMany, "End one with debug_stop; debug_status shows them.", "%s of yours run, and no more may now", plural.Count(own, "session"))
	}
	for s.id == "" || slices.ContainsFunc(d.sessions, func(other *session) bool { return other.id == s.id }) {
		s.id = "d-" + strings.ToLower(rand.Text()[:idLength])
	}
	d.sessions = append(d.sessions, s)
	return nil
}

func (d *Debugger) remove(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, other := range d.sessions {
		if other == s {
			d.sessions = append(d.sessions[:i:i], d.sessions[i+1:]...)
			return
		}
	}
}

// known returns the running and kept sessions of the caller, ordered by start.
func (d *Debugger) known(ctx context.Context) []*session {
	owner := caller.PrincipalOf(ctx)
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(d.sessions), func(s *session) bool { return s.owner != owner })
}

// find returns the session of the caller with an ID. Without an ID it returns the only running session; several running
// sessions are an error. If none is running, it returns the session that was started last. The sessions of other principals
// are unknown to the caller.
func (d *Debugger) find(ctx context.Context, id string) (*session, error) {
	all := d.known(ctx)
	var found *session
	for _, s := range all {
		switch {
		case s.id == id:
			found = s
		case id != "" || found != nil && s.finished(): // another ID, or an ended session after the first one
		case found != nil && !found.finished():
			return nil, invalid("Give its sessionId; debug_status shows them.", "there are several sessions")
		default:
			found = s
		}
	}
	if id == "" && len(all) > 0 && found.finished() { // none is running
		found = all[len(all)-1]
	}
	if found == nil {
		return nil, problem(codeUnknownSession, "Start one with debug_start; debug_status shows the sessions.", "there is no session %s", quote(id))
	}
	found.touch()
	return found, nil
}
