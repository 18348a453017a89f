package editor

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/dougu-go/dougu/internal/keymutex"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/security/audit"
	"github.com/dougu-go/dougu/tools"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

// Options configure the set. The zero value has no adapter: files are edited on the disk and no diagnostics are available.
type Options struct {
	// Adapters are tried in this order. The set closes them.
	Adapters []adapter.Adapter
	// Syntax checks the syntax of files that no adapter checks. The caller closes it. nil leaves them unchecked.
	Syntax adapter.SyntaxChecker
	// Parsers read declarations, for the tools that find and edit symbols: find_symbol, find_hierarchy, insert_before_symbol,
	// insert_after_symbol, replace_symbol_body and delete_symbol. They also let find_definition and find_references work by name
	// without a language server. The caller closes them. nil leaves these tools out.
	Parsers *source.Parsers
	// Shared are further Roots of the same directories. Tools that use one of them read the unsaved text of the editors and change open
	// documents through them, too. The caller closes them after the set.
	Shared []*security.Root
	// OnlyCovered lists find_definition, find_references and rename_symbol only while an adapter covers a language of the
	// project; see adapter.Coverage. They can be called in any case.
	OnlyCovered bool
	// BuildTool is the build tool of this server, for example "execute_build". get_diagnostics names it for unchecked files. ""
	// is none.
	BuildTool string
	// FixEdits adds the edits to each fix of get_quick_fixes, and computes them for all listed fixes.
	FixEdits bool
	// ToolTimeout limits one query or change of a document or window in an editor. The default is 5 seconds. It does not limit
	// computations of a language server, for example a rename.
	ToolTimeout time.Duration
	// Feedback is the time that a change waits for new diagnostics. The default is 140 ms; a negative value disables the wait.
	// Language servers of large projects need up to 700 ms.
	Feedback time.Duration
	// RetryDelay is the delay before a failed query is repeated. It doubles each time. The default is 1 second.
	RetryDelay time.Duration

	searchTime     time.Duration // limits the search for a name in the files of the project; tests lengthen it
	referencesTime time.Duration // limits the search of a language server for references, and its rename; tests shorten it
}

const (
	defaultToolTimeout = 5 * time.Second
	defaultFeedback    = 140 * time.Millisecond // a change with its diagnostics takes less than 200 ms then
	defaultRetryDelay  = time.Second
)

func (o Options) withDefaults() Options {
	if o.searchTime == 0 {
		o.searchTime = symbolSearchTime
	}
	if o.referencesTime == 0 {
		o.referencesTime = maxReferencesTime
	}
	if o.ToolTimeout <= 0 {
		o.ToolTimeout = defaultToolTimeout
	}
	if o.Feedback == 0 {
		o.Feedback = defaultFeedback
	}
	if o.RetryDelay <= 0 {
		o.RetryDelay = defaultRetryDelay
	}
	return o
}

// Editor is the tool set. Its methods are safe for concurrent use.
type Editor struct {
	root    *security.Root
	limits  tools.Limits
	audit   *audit.Log
	log     *slog.Logger
	options Options
	dirs    []string // directories of the Root
	real    []string // the same, with all links resolved
	tools   []toolDefinition
	seen    *tools.Ledger // nil without a ledger

	buffers *buffers     // the open documents of the adapters
	detach  func()       // ends the use of buffers by the Root
	bodies  tools.Ledger // the last body of each symbol that each peer has read, by ID
	sources atomic.Bool  // the project has had a file that a parser knows

	// locks has a lock for each path. If an adapter has buffers, all changes take the one lock with the key allFiles.
	locks keymutex.Mutex[string]

	// The stores keep the newest results of calls, to which later calls refer.
	reports    *store[*report]
	found      *store[foundDiagnostic]
	fixes      *store[*offeredFix]
	refactored *store[*offeredRefactoring]
	consents   *store[consent]
	known      *store[knownErrors]
	history    *store[pastChange]
}

// New returns the set. The environment must have a Root, which the caller closes. Until the set is closed, all tools that use the Root
// read the unsaved text of the editors, and change open documents through them; see security.Root.Attach. Its Limits bound answers and file sizes. Its
// Audit records changes in editors. Its Seen, if the reading tools share it, protects edits by line number from outdated
// content.
func New(_ context.Context, env tools.Env, o Options) (*Editor, error) {
	if env.Root == nil {
		return nil, fmt.Errorf("making the editor tools: the environment has no root")
	}
	for i, a := range o.Adapters {
		if a == nil {
			return nil, fmt.Errorf("making the editor tools: adapter %d is nil", i)
		}
	}
	e := &Editor{
		root: env.Root, limits: env.Limits.WithDefaults(), audit: env.Audit, log: env.Logger(), options: o.withDefaults(), seen: env.Seen,
		dirs:    env.Root.Dirs(),
		reports: newStore[*report](maxReports), found: newStore[foundDiagnostic](maxFound), fixes: newStore[*offeredFix](maxFixes), refactored: newStore[*offeredRefactoring](maxRefactorings),
		consents: newStore[consent](maxConsents), known: newStore[knownErrors](maxKnown), history: newStore[pastChange](maxHistory),
	}
	e.real = resolveDirs(e.dirs)
	var err error
	if e.tools, err = e.define(); err != nil {
		return nil, fmt.Errorf("making the editor tools: %w", err)
	}
	e.buffers = newBuffers(e.options.Adapters, e.options.ToolTimeout, e.log)
	detach := []func(){env.Root.Attach(e.buffers)}
	for _, root := range e.options.Shared {
		detach = append(detach, root.Attach(e.buffers))
	}
	e.detach = func() {
		for _, detach := range detach {
			detach()
		}
	}
	for i := range e.tools {
		e.tools[i].tool = env.WithNotices(e.tools[i].tool)[0]
	}
	return e, nil
}

// Features implements tools.Set. A tool without a suitable running adapter is registered but not listed. Clients that know the
// tool can still call it. The call then returns an error that names the program to start.
func (e *Editor) Features() mcp.Features {
	var f mcp.Features
	for _, t := range e.tools {
		f.Tools = append(f.Tools, t.tool.With(mcp.ToolOptions{Unlisted: t.available != nil && !t.available(e)}))
	}
	return f
}

// Watch implements tools.Watcher. It calls changed when the listed tools may have changed, until stop is called.
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

// Close implements tools.Set. It closes the adapters. The Root no longer uses the documents of their editors then.
func (e *Editor) Close(ctx context.Context) error {
	e.detach()
	var all []error
	for _, a := range e.options.Adapters {
		if err := a.Close(ctx); err != nil {
			all = append(all, fmt.Errorf("closing %s: %w", a.Name(), err))
		}
	}
	return errors.Join(all...)
}
