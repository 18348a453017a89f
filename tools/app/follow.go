package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/punctuation"
	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/mcp/protocol"
	"github.com/dougu-go/dougu/transport"
)

// rootsTimeout is the longest time for which requests wait for the client's folders. A later
// answer is still followed.
const rootsTimeout = 2 * time.Second

// emptyProject returns an empty directory in which a program is built without a project. It is in
// the user's cache directory and always the same one, because programs keep caches for each
// project; without a cache directory it is a temporary one. clean removes a temporary directory.
func emptyProject() (dir string, clean func() error, err error) {
	if cache, err := os.UserCacheDir(); err == nil {
		dir := filepath.Join(cache, "dougu", "no-project")
		if os.MkdirAll(dir, 0o700) == nil {
			return dir, func() error { return nil }, nil
		}
	}
	if dir, err = os.MkdirTemp("", "dougu-no-project-"); err != nil {
		return "", nil, fmt.Errorf("making an empty directory: %w", err)
	}
	return dir, func() error { return os.RemoveAll(dir) }, nil
}

// follower serves one client on standard input and output with the project that the client works
// in, and with the flags that suit the client. It is a Dispatcher and forwards each request to an instance of the program.
//
// The first instance is a blank one unless a variable of the client names the project. When the
// client introduces itself, an instance for its project replaces the blank one: at once for a
// client without roots, else as soon as the client has answered roots/list. Each later change of
// the roots replaces the instance again. Running calls and tasks finish with the old instance, which
// is closed after the last of them. Until then both may have the same project; their indexes and
// stores are made for several processes. The new instance finds the tasks of its project in the
// store of tasks.
type follower struct {
	app *App
	// args is the command line, without -root if fixed is nil.
	args []string
	// fixed is the project that the user has named; nil if it follows the client.
	fixed *selection
	// several reports that the program accepts more than one directory.
	several bool
	ctx     context.Context
	log     *slog.Logger

	introduction sync.Once
	work         group.Group
	// building serializes changes of the instance.
	building sync.Mutex

	mu        sync.Mutex // guards the fields below
	current   *instance
	instances map[*instance]bool // instances that are not closed
	problem   string             // why current is blank, a sentence
	flags     []string           // of App.ClientFlags, for the client
	question  int                // number of the last roots/list
	preparing bool               // the last roots/list is not sent yet
	pending   chan struct{}      // closed when requests need not wait any longer; nil if they need not wait
	timer     *time.Timer        // ends pending; nil before a request waits
	// listed has the instances whose lists the client has received last, by the kind of list: "tools", "prompts", "resources".
	listed map[string]*instance
	asked  bool // a client of revision 2026-07-28 was asked for its roots
	ended  bool
	failed []error // errors of closing instances
}

// instance is the program, built for one project.
type instance struct {
	selection
	flags   []string // of App.ClientFlags
	blank   bool     // without a project: it lists tools, and calls fail
	program *Program
	opts    *transport.Options
	// over ends when another instance has replaced this one.
	over   context.Context
	retire context.CancelFunc
	// release lets the instance close.
	release func()

	mu      sync.Mutex // guards the fields below
	uses    int        // running calls and tasks
	retired bool
}

// followsClient reports whether the server takes its project, or some of its flags, from the client.
func (a *App) followsClient() bool {
	return a.New != nil && (!a.options.project.given || a.ClientFlags != nil) && !a.options.remote.isOn() && !a.options.remote.auth.isOn()
}

// serveClient serves standard input and output with the project and the flags of the client. ok is
// false if the program serves other endpoints, too; nothing is served then.
func (a *App) serveClient(ctx context.Context, several bool) (ok bool, err error) {
	f := &follower{app: a, args: a.options.args, several: several, ctx: ctx, log: a.logger(), instances: make(map[*instance]bool), listed: make(map[string]*instance)}
	f.work.OnPanic = func(value any, stack []byte) {
		f.log.Error("panic while the project was changed", slog.Any("panic", value), slog.String("stack", string(stack)))
	}
	s := a.options.project
	switch {
	case s.given:
		f.fixed = &s
	case !s.byClient:
		f.problem = "The client has not named a project yet."
		s = selection{}
	}
	first, err := f.open(s)
	if err != nil {
		return true, errors.Join(err, f.close())
	}
	if first.program.Endpoints != nil && !a.options.remote.stdio {
		f.current = first
		return false, f.close()
	}
	f.current = first
	opts := *first.opts
	opts.Log = slog.New(currentLog{f: f, shape: func(h slog.Handler) slog.Handler { return h }})
	a.Progress("")
	if first.blank {
		opts.Log.InfoContext(ctx, "server ready; the project follows when the client names it")
	} else {
		logProject(opts.Log, s)
		a.logReady(ctx, first.program, opts.Log)
	}
	if a.hasTerminal() {
		a.explain(ctx, first.program)
	}
	err = transport.Serve(ctx, f, stdio{a, &opts})
	return true, errors.Join(err, f.close())
}

// open builds an instance for the directories of s; a blank one without directories.
func (f *follower) open(s selection) (*instance, error) {
	next := f.app.New()
	next.Stdin, next.Stdout, next.Stderr = f.app.Stdin, f.app.Stdout, f.app.Stderr
	next.Environment, next.Executable = f.app.Environment, f.app.Executable
	f.mu.Lock()
	i := &instance{selection: s, flags: f.flags, blank: len(s.dirs) == 0}
	f.mu.Unlock()
	clean := func() error { return nil }
	dirs := s.dirs
	if i.blank {
		empty, remove, err := emptyProject()
		if err != nil {
			return nil, err
		}
		dirs, clean, next.Stderr = []string{empty}, remove, io.Discard
	}
	c, _ := next.command(serveName)
	flags := next.flagSet(c)
	err := flags.Parse(slices.Concat(i.flags, f.args))
	if err == nil && f.fixed == nil {
		err = setRoots(flags, dirs)
	}
	if err != nil {
		return nil, errors.Join(err, clean())
	}
	next.options.project, next.options.command = s, serveName
	if i.blank {
		next.options.command = "tools" // only a server may create files
		next.options.auditFile = ""
	}
	i.over, i.retire = context.WithCancel(context.WithoutCancel(f.ctx))
	released := make(chan struct{})
	i.release = sync.OnceFunc(func() { close(released) })
	built, ended := make(chan struct{}), make(chan struct{})
	var failure error
	f.mu.Lock()
	if f.ended {
		f.mu.Unlock()
		return nil, errors.Join(errors.New("the server ends"), clean())
	}
	f.instances[i] = true
	f.mu.Unlock()
	next.holdTask = i.hold
	f.work.Go(func() {
		defer close(ended)
		failure = errors.New("panic while opening the project")
		failure = next.withServer(f.ctx, func(p *Program, opts *transport.Options) error {
			i.program, i.opts = p, opts
			close(built)
			<-released
			return nil
		})
		failure = errors.Join(failure, clean())
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.instances, i)
		if i.program != nil && failure != nil {
			f.failed = append(f.failed, failure)
		}
	})
	select {
	case <-built:
		return i, nil
	case <-ended:
		return nil, failure
	}
}

// close ends all instances and returns the errors of closing them.
func (f *follower) close() error {
	f.mu.Lock()
	f.ended = true
	if f.timer != nil {
		f.timer.Stop()
	}
	for i := range f.instances {
		i.retire()
		i.release()
	}
	f.mu.Unlock()
	f.work.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.failed...)
}

// enter returns the current instance, held for a request. The caller calls leave.
func (f *follower) enter() (i *instance, leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current, f.current.hold()
}

// hold keeps the instance open until leave is called. A replaced instance closes after the last use.
func (i *instance) hold() (leave func()) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.uses++
	return sync.OnceFunc(func() {
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.uses--; i.uses == 0 && i.retired {
			i.release()
		}
	})
}

// replace marks the instance as replaced.
func (i *instance) replace() {
	i.mu.Lock()
	i.retired = true
	idle := i.uses == 0
	i.mu.Unlock()
	i.retire()
	if idle {
		i.release()
	}
}

// Dispatch implements protocol.Dispatcher.
func (f *follower) Dispatch(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	f.introduction.Do(func() { f.meet(req) })
	switch req.Method {
	case "server/discover":
	case "subscriptions/listen":
		return f.listen(ctx, req)
	default:
		if err := f.await(ctx); err != nil {
			return nil, err
		}
	}
	if req.Method == "tools/call" && req.Meta.Session() == nil {
		var question protocol.Result
		if req, question = f.askInCall(req); question != nil {
			return question, nil
		}
	}
	i, leave := f.enter()
	defer leave()
	switch {
	case i.blank && req.Method == "tools/call":
		return mcp.ErrorResult(f.noProject()), nil
	case i.blank && req.Method == "resources/read":
		problem := f.noProject()
		return nil, protocol.Errorf(protocol.CodeInternal, "%s Next: %s.", problem.Message, problem.Next)
	}
	if kind, isList := strings.CutSuffix(req.Method, "/list"); isList {
		f.mu.Lock()
		f.listed[strings.TrimSuffix(kind, "/templates")] = i
		f.mu.Unlock()
	}
	return i.program.Server.Dispatch(ctx, req)
}

// noProject returns the error of a call without a project.
func (f *follower) noProject() *mcp.ToolError {
	f.mu.Lock()
	defer f.mu.Unlock()
	return &mcp.ToolError{
		Code: "NO_PROJECT", Message: f.problem,
		Next: fmt.Sprintf("ask the user to open a folder in the client, or to run \"%s install CLIENT -%s DIR\" with the directory of the project", f.app.Name, rootFlag),
	}
}

// meet handles the first request of the client. It opens the project for a client that announces no
// roots. Otherwise requests wait for the roots; see HandleNotification.
func (f *follower) meet(req *protocol.Request) {
	if f.app.ClientFlags != nil {
		f.mu.Lock()
		f.flags = f.app.ClientFlags(req.Meta.Client())
		f.mu.Unlock()
	}
	switch {
	case f.fixed == nil && hasRoots(req) && req.Meta.Session() != nil:
		f.mu.Lock()
		if f.pending == nil && f.question == 0 {
			f.pending = make(chan struct{})
		}
		f.mu.Unlock()
		f.adapt()
	case f.isBlank():
		f.change(f.app.place().choose(nil))
	default:
		f.adapt()
	}
}

// adapt builds the present project again, unless it was built with the flags for the client.
func (f *follower) adapt() {
	f.building.Lock()
	defer f.building.Unlock()
	f.adaptLocked()
}

// adaptLocked is adapt while f.building is held.
func (f *follower) adaptLocked() {
	f.mu.Lock()
	before, flags, ended := f.current, f.flags, f.ended
	f.mu.Unlock()
	if ended || slices.Equal(before.flags, flags) {
		return
	}
	next, err := f.open(before.selection)
	if err != nil {
		f.log.Error("the flags for the client cannot be used", slog.Any("flags", flags), slog.Any("error", err))
		return
	}
	f.mu.Lock()
	f.current = next
	f.mu.Unlock()
	before.replace()
}

// hasRoots reports whether the client of a request declares that it has roots.
func hasRoots(req *protocol.Request) bool {
	//lint:ignore SA1019 clients still have roots
	return req.Meta.Capabilities().Roots != nil
}

func (f *follower) isBlank() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.current.blank
}

// await waits while the project is about to change, for at most rootsTimeout and the time in which
// the program is built.
func (f *follower) await(ctx context.Context) error {
	f.mu.Lock()
	pending := f.pending
	if pending != nil && f.timer == nil && !f.ended {
		f.startTimer()
	}
	f.mu.Unlock()
	if pending == nil {
		return nil
	}
	select {
	case <-pending:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// startTimer limits the time for which requests wait for an answer of the client. The lock is held.
func (f *follower) startTimer() {
	var timer *time.Timer
	timer = group.AfterFunc(rootsTimeout, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		switch {
		case f.timer != timer || f.ended:
		case f.preparing:
			f.startTimer()
		default:
			f.work.Go(func() { f.expire(timer) })
		}
	})
	f.timer = timer
}

// expire goes on without an answer of the client, unless the answer came while the project was built.
func (f *follower) expire(timer *time.Timer) {
	f.building.Lock()
	defer f.building.Unlock()
	f.mu.Lock()
	expired := f.timer == timer
	f.mu.Unlock()
	if !expired {
		return
	}
	f.log.Warn("the client does not tell its folders; they are followed when it does")
	if f.isBlank() {
		f.changeLocked(f.app.place().choose(nil))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.timer == timer {
		f.proceed()
	}
}

// proceed lets waiting requests go on. The lock is held.
func (f *follower) proceed() {
	if f.timer != nil {
		f.timer.Stop()
	}
	if f.pending != nil {
		close(f.pending)
	}
	f.pending, f.timer = nil, nil
}

// HandleNotification implements protocol.NotificationHandler. After the initialization and after each
// change of the roots it asks the client for them and changes the project. Requests that arrive later
// wait for that.
func (f *follower) HandleNotification(ctx context.Context, n *protocol.Request) {
	if !hasRoots(n) || f.fixed != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ended {
		return
	}
	f.question++
	question := f.question
	if f.pending == nil {
		f.pending = make(chan struct{})
	}
	f.preparing = true
	if f.timer != nil {
		f.timer.Stop()
	}
	f.startTimer()
	f.work.Go(func() {
		f.introduction.Do(func() { f.meet(n) })
		f.followRoots(ctx, n.Asker, question)
	})
}

// followRoots asks the client for its roots and changes the project. question is the number of the
// question; the answer to an earlier one than the last does not count.
func (f *follower) followRoots(ctx context.Context, asker protocol.Asker, question int) {
	f.mu.Lock()
	if question == f.question && f.timer != nil {
		f.preparing = false
		f.timer.Stop()
		f.startTimer()
	}
	f.mu.Unlock()
	folders, err := askRoots(ctx, asker)
	if ctx.Err() != nil {
		return
	}
	// One answer is followed at a time. Of the answers that wait meanwhile only the last one counts.
	f.building.Lock()
	defer f.building.Unlock()
	f.mu.Lock()
	newest := question == f.question
	f.mu.Unlock()
	if !newest {
		return
	}
	switch {
	case err == nil:
		f.changeLocked(f.app.place().choose(folders))
	case f.isBlank():
		f.log.Warn("the client does not tell its folders", slog.Any("error", err))
		f.changeLocked(f.app.place().choose(nil))
	default:
		f.log.Warn("the client does not tell its folders; the project stays", slog.Any("error", err))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if question == f.question {
		f.proceed()
	}
}

// rootsKey is the key of the question for the roots.
const rootsKey = "dougu.roots"

// askRoots asks a client for its roots and returns their URIs.
func askRoots(ctx context.Context, asker protocol.Asker) ([]string, error) {
	answers, err := asker.Ask(ctx, map[string]protocol.InputRequest{rootsKey: {Method: "roots/list"}})
	if err != nil {
		return nil, err
	}
	return parseRoots(answers[rootsKey])
}

// parseRoots returns the URIs in a result of roots/list.
func parseRoots(answer json.RawMessage) ([]string, error) {
	var list struct {
		Roots []struct {
			URI string `json:"uri"`
		} `json:"roots"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, fmt.Errorf("reading the roots: %w", err)
	}
	folders := make([]string, len(list.Roots))
	for i, root := range list.Roots {
		folders[i] = root.URI
	}
	return folders, nil
}

// askInCall asks a client of revision 2026-07-28 for its roots, once, and only if no other rule
// gives a project. It returns the question as the result of the call, or the
// request without the answer.
func (f *follower) askInCall(req *protocol.Request) (*protocol.Request, protocol.Result) {
	f.mu.Lock()
	blank, asked := f.current.blank, f.asked
	f.mu.Unlock()
	var params map[string]json.RawMessage
	var responses map[string]json.RawMessage
	switch {
	case !asked && (!blank || !hasRoots(req)):
		return req, nil
	case !asked:
		f.mu.Lock()
		f.asked = true
		f.mu.Unlock()
		return req, &protocol.InputRequired{Requests: map[string]protocol.InputRequest{rootsKey: {Method: "roots/list"}}}
	case json.Unmarshal(req.Params, &params) != nil || json.Unmarshal(params["inputResponses"], &responses) != nil || responses[rootsKey] == nil:
		return req, nil
	}
	if folders, err := parseRoots(responses[rootsKey]); err == nil {
		f.change(f.app.place().choose(folders))
	}
	delete(params, "inputResponses")
	delete(params, "requestState")
	rest := *req
	if encoded, err := json.Marshal(params); err == nil {
		rest.Params = encoded
	}
	return &rest, nil
}

// change replaces the instance by one for the project s, unless it has the same directories. If
// the program cannot be built for the project, the new instance is blank: the client must not
// work in a project that it has left.
func (f *follower) change(s selection) {
	f.building.Lock()
	defer f.building.Unlock()
	f.changeLocked(s)
}

// changeLocked is change while f.building is held.
func (f *follower) changeLocked(s selection) {
	if !f.several && len(s.dirs) > 1 {
		s.dirs = s.dirs[:1]
	}
	problem := ""
	if len(s.dirs) == 0 {
		problem = s.missing()
		f.log.Warn("there is no project; tools answer so until the client opens a folder", slog.Any("refused", s.reasons()))
	}
	f.mu.Lock()
	before, ended := f.current, f.ended
	f.problem = cmp.Or(problem, f.problem)
	f.mu.Unlock()
	if slices.Equal(before.dirs, s.dirs) {
		f.adaptLocked()
		return
	}
	if ended {
		return
	}
	logProject(f.log, s)
	next, err := f.open(s)
	if err != nil {
		problem = fmt.Sprintf("The project %s cannot be opened: %s.", s.dirs, punctuation.Clause(Explain(err)))
		f.log.Error("the project cannot be opened", slog.Any("project", s.dirs), slog.Any("error", err))
		if before.blank {
			f.mu.Lock()
			f.problem = problem
			f.mu.Unlock()
			return
		}
		if next, err = f.open(selection{}); err != nil {
			f.log.Error("the project stays", slog.Any("error", err))
			return
		}
	}
	f.mu.Lock()
	f.current, f.problem = next, problem
	f.mu.Unlock()
	before.replace()
}

// listen serves a subscription with one instance after another. After each change of the instance
// the client is notified that the lists that it has have changed.
func (f *follower) listen(ctx context.Context, req *protocol.Request) (protocol.Result, error) {
	for again := false; ; again = true {
		result, err, over := f.listenOnce(ctx, req, again)
		if !over || ctx.Err() != nil {
			return result, err
		}
	}
}

// listenOnce serves a subscription with the current instance. over reports that another instance
// has replaced it.
func (f *follower) listenOnce(ctx context.Context, req *protocol.Request, again bool) (result protocol.Result, err error, over bool) {
	i, leave := f.enter()
	defer leave()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(i.over, cancel)()
	r := *req
	if again && req.Notify != nil {
		r.Notify = func(ctx context.Context, n protocol.Notification) error {
			if open, ok := n.(*protocol.AcknowledgedNotification); ok {
				return f.notifyChanged(ctx, i, req, open.Filter)
			}
			return req.Notify(ctx, n)
		}
	}
	result, err = i.program.Server.Dispatch(ctx, &r)
	f.mu.Lock()
	defer f.mu.Unlock()
	return result, err, i.over.Err() != nil && !f.ended
}

// notifyChanged reports the lists of the filter that the client has received from another instance than i.
func (f *follower) notifyChanged(ctx context.Context, i *instance, req *protocol.Request, filter protocol.SubscriptionFilter) error {
	f.mu.Lock()
	listed := maps.Clone(f.listed)
	f.mu.Unlock()
	for _, list := range [...]struct {
		name   string
		wanted bool
	}{{"tools", filter.ToolsListChanged}, {"prompts", filter.PromptsListChanged}, {"resources", filter.ResourcesListChanged}} {
		if from := listed[list.name]; !list.wanted || from == nil || from == i {
			continue
		}
		if err := req.Notify(ctx, &protocol.ListChangedNotification{List: list.name, Subscription: req.ID}); err != nil {
			return err
		}
	}
	return nil
}

// currentLog is a slog.Handler that writes to the log of the current instance.
type currentLog struct {
	f     *follower
	shape func(slog.Handler) slog.Handler
}

func (l currentLog) handler() slog.Handler {
	l.f.mu.Lock()
	defer l.f.mu.Unlock()
	if i := l.f.current; !i.blank && i.opts.Log != nil {
		return l.shape(i.opts.Log.Handler())
	}
	return l.shape(l.f.log.Handler())
}

// Enabled implements slog.Handler.
func (l currentLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.handler().Enabled(ctx, level)
}

// Handle implements slog.Handler.
func (l currentLog) Handle(ctx context.Context, r slog.Record) error {
	return l.handler().Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l currentLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	return currentLog{l.f, func(h slog.Handler) slog.Handler { return l.shape(h).WithAttrs(attrs) }}
}

// WithGroup implements slog.Handler.
func (l currentLog) WithGroup(name string) slog.Handler {
	return currentLog{l.f, func(h slog.Handler) slog.Handler { return l.shape(h).WithGroup(name) }}
}
