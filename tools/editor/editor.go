package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/dougu-go/dougu/internal/keymutex"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/adapter"
)

// Options are what the tools work with. The zero value has no adapter: then code is edited on the disk, and nobody knows what
// is wrong with it.
type Options struct {
	// Adapters are asked in this order. The set closes them.
	Adapters []adapter.Adapter
	// Syntax looks at the syntax of files that no adapter looks at. It stays the caller's to close. nil leaves them unchecked.
	Syntax adapter.SyntaxChecker
	// BuildTool is the tool of this server that builds the project, such as "execute_build". get_diagnostics names it for files that no
	// language server has looked at. Empty is none.
	BuildTool string
	// ToolPatience is how long an editor may take to answer about a document or a window, or to change one; 5 seconds by
	// default. What takes thought, such as a rename, may last as long as the call.
	ToolPatience time.Duration
	// Feedback is how long a change may wait for what is wrong with the file now: 140 ms by default, and not at all
	// if it is negative. A language server of a large project needs up to 700 ms.
	Feedback time.Duration
	// RetryDelay is the time before a question that failed is put again, doubled for the next: 1 second by default.
	RetryDelay time.Duration
}

const (
	defaultPatience   = 5 * time.Second
	defaultFeedback   = 140 * time.Millisecond // which leaves a change within the 200 ms of its specification
	defaultRetryDelay = time.Second
)

func (o Options) withDefaults() Options {
	if o.ToolPatience <= 0 {
		o.ToolPatience = defaultPatience
	}
	if o.Feedback == 0 {
		o.Feedback = defaultFeedback
	}
	if o.RetryDelay <= 0 {
		o.RetryDelay = defaultRetryDelay
	}
	return o
}

// Editor is the set of tools. Its methods may be called from several goroutines at once.
type Editor struct {
	root    *security.Root
	limits  tools.Limits
	audit   *audit.Log
	log     *slog.Logger
	options Options
	dirs    []string // of the Root
	real    []string // the same with every link resolved
	tools   []offer
	seen    *tools.Ledger // nil knows nothing

	turns      keymutex.Mutex[string] // of changes of a file, by its path, or of everything
	reports    *store[*report]
	found      *store[foundDiagnostic]
	fixes      *store[*offeredFix]
	refactored *store[*offeredRefactoring]
	consents   *store[consent]
	known      *store[knownErrors]
	trail      *store[step]
}

// New makes the set. The environment needs a Root, which stays the caller's to close; its Limits bound answers and what is held
// of one file, its Audit records what is changed in editors, and its Seen, if it is that of the tools which callers read with, keeps
// edits by line numbers off what has changed since.
func New(_ context.Context, env tools.Env, o Options) (*Editor, error) {
	if env.Root == nil {
		return nil, fmt.Errorf("making the editor tools: the environment has no root")
	}
	e := &Editor{
		root: env.Root, limits: env.Limits.WithDefaults(), audit: env.Audit, log: env.Logger(), options: o.withDefaults(), seen: env.Seen,
		dirs:    env.Root.Dirs(),
		reports: newStore[*report](maxReports), found: newStore[foundDiagnostic](maxFound), fixes: newStore[*offeredFix](maxFixes), refactored: newStore[*offeredRefactoring](maxRefactorings),
		consents: newStore[consent](maxConsents), known: newStore[knownErrors](maxKnown), trail: newStore[step](maxSteps),
	}
	e.real = resolve(e.dirs)
	var err error
	if e.tools, err = e.define(); err != nil {
		return nil, fmt.Errorf("making the editor tools: %w", err)
	}
	for i := range e.tools {
		e.tools[i].tool = env.WithNotices(e.tools[i].tool)[0]
	}
	return e, nil
}

// Features implements tools.Set. Tools for which no adapter has the means now are not listed; they can be called, and say what to
// start.
func (e *Editor) Features() mcp.Features {
	var f mcp.Features
	for _, t := range e.tools {
		f.Tools = append(f.Tools, t.tool.With(mcp.ToolOptions{Unlisted: t.needs != nil && !t.needs(e)}))
	}
	return f
}

// Watch implements tools.Watcher: changed is called when Features may answer something else, until stop is called.
func (e *Editor) Watch(changed func()) (stop func()) {
	var stops []func()
	for _, a := range e.options.Adapters {
		stops = append(stops, a.Watch(changed))
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
	}
}

// Close implements tools.Set. It closes the adapters.
func (e *Editor) Close(ctx context.Context) error {
	var all []error
	for _, a := range e.options.Adapters {
		if err := a.Close(ctx); err != nil {
			all = append(all, fmt.Errorf("closing %s: %w", a.Name(), err))
		}
	}
	return errors.Join(all...)
}
