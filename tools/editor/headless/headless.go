package headless

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/installed"
)

// Headless is the adapter that works without an editor. It implements the interfaces of package adapter that need no window. Its
// methods may be called concurrently.
type Headless struct {
	root    *security.Root
	o       Options
	dirs    []string // directories of the project, with links resolved
	finder  *installed.Finder
	env     []string
	project *project

	compilers []compiler // for languages without a server

	work   group.Group
	closed chan struct{} // closed by Close

	watchers adapter.Watchers

	served     chan struct{} // closed by servedOnce when hasServer is known
	servedOnce sync.Once
	scanned    chan struct{} // closed when covers is known
	changed    chan struct{} // has a value after FilesChanged

	mu        sync.Mutex // guards the fields below
	hasServer bool       // a server is installed
	covers    bool       // an installed server covers a language of the project
	instances map[instanceKey]*instance
	// The last run of each compiler, by its name and folder, and the end of the run that was started last.
	compilations map[instanceKey]*compilation
	compiling    <-chan struct{}
	state        adapter.State // as refreshState has found it
}

var (
	_ adapter.Adapter    = (*Headless)(nil)
	_ adapter.Diagnoser  = (*Headless)(nil)
	_ adapter.Fixer      = (*Headless)(nil)
	_ adapter.Formatter  = (*Headless)(nil)
	_ adapter.Refactorer = (*Headless)(nil)
	_ adapter.Navigator  = (*Headless)(nil)
	_ adapter.Listener   = (*Headless)(nil)
	_ adapter.Explainer  = (*Headless)(nil)
	_ adapter.Indexer    = (*Headless)(nil)
	_ adapter.Coverage   = (*Headless)(nil)
	_ adapter.Starter    = (*Headless)(nil)
)

// instanceKey identifies a running server: its name and the folder on which it works.
type instanceKey struct{ server, folder string }

// New returns the adapter for the directories of root. Servers start with the first request. The caller must call Close.
func New(root *security.Root, o Options) *Headless {
	h := &Headless{
		root: root, o: o.withDefaults(), closed: make(chan struct{}), served: make(chan struct{}), scanned: make(chan struct{}), changed: make(chan struct{}, 1),
		instances: make(map[instanceKey]*instance), compilers: compilers(), compilations: make(map[instanceKey]*compilation),
	}
	for _, dir := range root.Dirs() {
		if real, err := filepath.EvalSymlinks(dir); err == nil {
			dir = real
		}
		h.dirs = append(h.dirs, dir)
	}
	h.finder = h.newFinder()
	h.env = h.environment()
	h.project = newProject(root, h.dirs, h.o.Servers)
	h.work.OnPanic = func(value any, stack []byte) {
		h.o.Log.Error("panic in the headless editor", "panic", value, "stack", string(stack))
	}
	h.refreshState()
	h.work.Go(h.endIdle)
	h.work.Go(h.watchCoverage)
	return h
}

// watchCoverage finds out whether the project has a language of an installed server. If it has none, it looks again: soon after a
// tool has changed files, and otherwise ever less often, because a server may be installed, or a file made, by other programs.
func (h *Headless) watchCoverage() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer h.cancelOnClose(cancel)()
	delay := h.o.coverDelay
	for first := true; ; first = false {
		covers := h.looksCovered(ctx)
		h.mu.Lock()
		h.covers = covers
		h.mu.Unlock()
		if first {
			close(h.scanned)
		}
		if first != covers { // CoversProject has returned the opposite, or may have
			h.stateChanged()
		}
		if covers {
			return
		}
		timer := time.NewTimer(delay)
		select {
		case <-timer.C:
			delay = min(delay*3/2, maxCoverDelay)
		case <-h.changed:
			delay = h.o.coverDelay
			timer.Stop()
		case <-h.closed:
			timer.Stop()
			return
		}
	}
}

// maxCoverDelay is the longest time between two looks for languages and servers.
const maxCoverDelay = time.Minute

// looksCovered reports whether the project has a language of an installed server. An error counts as yes. It reads the project only
// if a server is installed.
func (h *Headless) looksCovered(ctx context.Context) bool {
	available := func(s Server) bool {
		return !s.Optional && slices.ContainsFunc(h.dirs, func(dir string) bool {
			_, err := h.command(s, dir)
			return err == nil
		})
	}
	hasServer := slices.ContainsFunc(h.o.Servers, available)
	h.mu.Lock()
	h.hasServer = hasServer
	h.mu.Unlock()
	h.servedOnce.Do(func() { close(h.served) })
	if !hasServer {
		return false
	}
	if err := h.project.update(ctx); err != nil {
		return true
	}
	covers, err := h.coversLanguage(ctx)
	return err != nil || covers
}

// cancelOnClose calls cancel when the adapter closes, until stop is called.
func (h *Headless) cancelOnClose(cancel func()) (stop func()) {
	done := make(chan struct{})
	h.work.Go(func() {
		select {
		case <-h.closed:
			cancel()
		case <-done:
		}
	})
	return func() { close(done) }
}

// Times for which CoversProject waits: for the search of installed servers, which is short on every machine that is not overloaded,
// and for the scan of the project, which depends on its size.
const (
	serversWait = 5 * time.Second
	scanWait    = 3 * time.Second
)

// CoversProject implements adapter.Coverage. Without an installed server its result is false; with one it is true until the project
// has been scanned.
func (h *Headless) CoversProject() bool {
	select {
	case <-h.served:
	case <-h.closed:
		return true
	case <-time.After(serversWait):
		return true
	}
	h.mu.Lock()
	hasServer := h.hasServer
	h.mu.Unlock()
	if !hasServer {
		return false
	}
	select {
	case <-h.scanned:
	case <-h.closed:
		return true
	case <-time.After(scanWait):
		return true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.covers
}

// Name implements adapter.Adapter.
func (h *Headless) Name() string { return "headless" }

// State implements adapter.Adapter. The adapter counts as running if a server or formatter is installed, because a request starts
// the server.
func (h *Headless) State() adapter.State {
	h.mu.Lock()
	defer h.mu.Unlock()
	state := h.state
	state.Folders = slices.Clone(h.dirs)
	return state
}

// maxMissing is the number of servers that State names as examples.
const maxMissing = 5

// refreshState looks for installed programs and updates the state.
func (h *Headless) refreshState() {
	var available, missing []string
	for _, s := range h.o.Servers {
		if _, err := h.command(s, h.dirs[0]); err == nil {
			available = append(available, s.Name)
		} else if len(missing) < maxMissing && !s.Fallback && !s.Optional {
			missing = append(missing, s.Name)
		}
	}
	for _, f := range h.o.Formatters {
		if _, ok := h.find(Server{Command: f.Command}); ok && h.trusts(f.RunsProject) {
			available = append(available, f.Name)
		}
	}
	for _, c := range h.compilers {
		if _, ok := h.find(Server{Command: c.Command}); ok && h.trusts(c.RunsProject) {
			available = append(available, c.Name)
		}
	}
	state := adapter.State{Running: len(available) > 0, Detail: "language servers and formatters: " + strings.Join(available, ", ")}
	if len(available) == 0 {
		state.Detail = "no language server or formatter was found"
		state.Start = "Install a language server, for example " + strings.Join(missing, ", ") + "."
	}
	state.Detail += h.sandboxState()
	h.mu.Lock()
	defer h.mu.Unlock()
	if running := h.runningLocked(); len(running) > 0 {
		state.Detail += "; running: " + strings.Join(running, ", ")
	}
	h.state = state
}

// runningLocked returns the names of the running servers, with the number of instances if there are several. The caller holds mu.
// The life of an instance starts and ends its server process, and counts its failures.
func (h *Headless) runningLocked() []string {
	counts := make(map[string]int)
	for key, i := range h.instances {
		if session, _ := i.life.Running(); session != nil {
			counts[key.server]++
		}
	}
	names := make([]string, 0, len(counts))
	for name, n := range counts {
		if n > 1 {
			name = fmt.Sprintf("%s (%d)", name, n)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// Watch implements adapter.Adapter.
func (h *Headless) Watch(changed func()) (stop func()) { return h.watchers.Watch(changed) }

// stateChanged updates the state and notifies the watchers.
func (h *Headless) stateChanged() {
	h.refreshState()
	h.watchers.Notify()
}

// FilesChanged implements adapter.Listener. Servers receive the changes before the next request.
func (h *Headless) FilesChanged(paths []string) {
	h.project.reportChanged(paths)
	select {
	case h.changed <- struct{}{}:
	default:
	}
}

// Forgive allows servers that failed repeatedly to start with the next request, and to receive all documents again.
func (h *Headless) Forgive() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, i := range h.instances {
		i.life.Forgive()
		i.mu.Lock()
		i.suspects = nil
		i.mu.Unlock()
	}
}

// endIdle ends servers without a request for Options.Idle. It runs until Close.
func (h *Headless) endIdle() {
	ticker := time.NewTicker(max(h.o.Idle/15, 10*time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-h.closed:
			return
		}
		for _, i := range h.all() {
			if i.idleFor() >= h.o.Idle {
				i.stop()
			}
		}
	}
}

func (h *Headless) all() []*instance {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]*instance, 0, len(h.instances))
	for _, i := range h.instances {
		all = append(all, i)
	}
	return all
}

// Close implements adapter.Adapter. It ends all servers.
func (h *Headless) Close(ctx context.Context) error {
	h.mu.Lock()
	select {
	case <-h.closed:
		h.mu.Unlock()
		return nil
	default:
		close(h.closed)
	}
	h.mu.Unlock()
	var ends group.Group
	var mu sync.Mutex
	var errs []error
	for _, i := range h.all() {
		ends.Go(func() {
			err := i.life.Close(ctx)
			mu.Lock()
			defer mu.Unlock()
			errs = append(errs, err)
		})
	}
	ends.Wait()
	h.work.Wait()
	return errors.Join(errs...)
}

// command returns the program and arguments that start a server for a folder, and the environment. It is an error if the server is
// not installed, or if it runs code of a project that is not trusted.
func (h *Headless) command(s Server, folder string) (installed.Program, error) {
	if s.Dialect == NativeTypeScript {
		// nativeTypeScript checks the trust itself: only the copy of TypeScript in the project needs it.
		program, err := h.nativeTypeScript(s, folder)
		return program, err
	}
	p, err := h.program(s, folder)
	if err != nil {
		return installed.Program{}, err
	}
	if s.belowMajorVersion > 0 && major(p.Version()) >= s.belowMajorVersion {
		return installed.Program{}, unsupported(h.installHint(s), "%s %s cannot be used without an editor", s.Name, p.Version())
	}
	if s.notServer != "" && isInPackage(p.File, s.notServer) {
		return installed.Program{}, unsupported(h.installHint(s), "%s is the one of npm, which is built without a language server", p.File)
	}
	if _, ok := h.find(Server{Command: s.requiredProgram}); s.requiredProgram != "" && !ok {
		return installed.Program{}, unsupported("Install "+s.requiredProgram+".", "%s finds errors only with %s, which is not installed", s.Name, s.requiredProgram)
	}
	if !h.trusts(s.RunsProject) {
		return installed.Program{}, unsupported(h.trustHint(), "%s runs code of the project, which is not trusted", s.Name)
	}
	// Some servers need a TypeScript library, outside of a project that is not trusted.
	if _, err := h.initOptions(s, folder); err != nil {
		return installed.Program{}, err
	}
	return p, nil
}

// isInPackage reports whether a program is in the directory of a package, for example node_modules/@taplo/cli.
func isInPackage(program, name string) bool {
	real, err := filepath.EvalSymlinks(program)
	return err == nil && strings.Contains(filepath.ToSlash(real), "/"+name+"/")
}

// program returns the program of a server: the project's own one if the project is trusted, or else one of the machine.
func (h *Headless) program(s Server, folder string) (installed.Program, error) {
	if h.o.TrustProject {
		if p, ok := h.findInProject(s, folder); ok {
			return p, nil
		}
	}
	if p, ok := h.find(s); ok {
		return p, nil
	}
	if _, ok := h.findInProject(s, folder); ok && !h.o.TrustProject {
		return installed.Program{}, unsupported(h.trustHint()+" Or install it outside of the project ("+s.Install+").", "%s is installed only in the project, which is not trusted", s.Name)
	}
	return installed.Program{}, missing(h.installHint(s), "%s is not installed", s.Name)
}

// initOptions returns the initialization options of a server for a folder.
func (h *Headless) initOptions(s Server, folder string) (map[string]any, error) {
	switch {
	case s.Dialect == TSServer:
		return h.tsOptions(s, folder)
	case s.needsTypeScript:
		return h.tsdkOptions(s, folder)
	}
	return s.InitOptions, nil
}

// trustHint is the next step for a server that runs code of the project.
func (h *Headless) trustHint() string {
	if h.o.TrustFlag == "" {
		return "Continue without it: this program starts no language server that runs code of the project."
	}
	return "If the project is trusted, ask the user to start this program with " + h.o.TrustFlag + "."
}

// hasOther reports whether a server before s in Options.Servers can be started for one of the languages of s.
func (h *Headless) hasOther(s Server, folder string) bool {
	before := slices.IndexFunc(h.o.Servers, func(other Server) bool { return other.Name == s.Name })
	return slices.ContainsFunc(h.o.Servers[:max(before, 0)], func(other Server) bool {
		if !slices.ContainsFunc(other.Languages, func(l string) bool { return slices.Contains(s.Languages, l) }) {
			return false
		}
		_, err := h.command(other, folder)
		return err == nil
	})
}

// trusts reports whether a program may start that runs code of the project.
func (h *Headless) trusts(runsProject bool) bool { return !runsProject || h.o.TrustProject }

// installHint is the next step for a server that is not installed.
func (h *Headless) installHint(s Server) string {
	if h.o.InstallCommand != nil {
		if command := h.o.InstallCommand(s.Name); command != "" {
			return "Ask the user to install it with " + command + "."
		}
	}
	if s.Install == "" {
		return "Install it."
	}
	return fmt.Sprintf("Install it (%s).", s.Install)
}
