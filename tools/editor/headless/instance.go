package headless

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp"

	"golang.org/x/sync/semaphore"
)

// instance is a language server for one folder, running or not.
type instance struct {
	h      *Headless
	server Server
	folder string
	life   lsp.Server

	useMu sync.RWMutex // read-locked by each use, locked to end an idle server

	mu          sync.Mutex
	users       int                  // current uses
	lastUsed    time.Time            // end of the last use
	requests    map[string]int       // number of current requests about a document, by path
	indexing    *lsp.Session         // session whose index was complete at an earlier request
	opened      *lsp.Session         // session that has received a document
	openedAt    time.Time            // time of its first document
	suspects    map[string]suspicion // by path
	answered    *lsp.Session         // session that has reported on a file
	startEvents int                  // number of project events at the start of the server

	sync *semaphore.Weighted // weight 1; held to send documents to the server

	// Guarded by sync.
	session    *lsp.Session     // session to which sentEvents and stamps belong
	sentEvents int              // number of project events that the server has received
	stamps     map[string]stamp // of documents that were read from disk, by path

	lastMu sync.Mutex
	last   map[string]fileReport // last reports, by path
}

// pyrightReady is the message of Pyright after it has listed the source files.
var pyrightReady = regexp.MustCompile(`^(?:Found \d+ source file|No source files found)`)

// serversFor returns the servers of a language that can be started for a file. If there is none, the error gives the reason.
func (h *Headless) serversFor(path, language string) ([]Server, error) {
	var usable []Server
	var problem error
	for _, s := range h.o.Servers {
		if !slices.Contains(s.Languages, language) {
			continue
		}
		if s.Fallback && len(usable) > 0 {
			continue
		}
		if _, err := h.command(s, h.folderOf(path, s.RootMarkers)); err != nil {
			// An installed server that cannot be started is closest to the goal. Among missing ones the first entry is preferred.
			if problem == nil || errors.Is(problem, errMissing) && !errors.Is(err, errMissing) {
				problem = err
			}
			continue
		}
		usable = append(usable, s)
	}
	if len(usable) > 0 {
		return usable, nil
	}
	if problem == nil {
		name := language
		if name == "" {
			name = "this kind of file"
		}
		problem = unsupported("Continue without it, or configure a server.", "no language server is known for %s", name)
	}
	return nil, problem
}

// instancesFor returns the instances for a file, one for each available server of the language.
func (h *Headless) instancesFor(path, language string) ([]*instance, error) {
	servers, err := h.serversFor(path, language)
	if err != nil {
		return nil, err
	}
	instances := make([]*instance, 0, len(servers))
	for _, s := range servers {
		i, err := h.instance(s, h.folderOf(path, s.RootMarkers))
		if err != nil {
			return nil, err
		}
		instances = append(instances, i)
	}
	return instances, nil
}

// folderOf returns the topmost directory, between the project directory and a file, that has a root marker. Without a marker it is
// the project directory.
func (h *Headless) folderOf(path string, markers []string) string {
	top, ok := h.dirOf(path)
	if !ok {
		return h.dirs[0]
	}
	folder := top
	for dir := filepath.Dir(path); len(markers) > 0; dir = filepath.Dir(dir) {
		for _, name := range markers {
			if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
				folder = dir
				break
			}
		}
		if dir == top || dir == filepath.Dir(dir) {
			return folder
		}
	}
	return folder
}

// instance returns the instance of a server for a folder, and creates it if necessary. The server is not started.
func (h *Headless) instance(s Server, folder string) (*instance, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	key := instanceKey{s.Name, folder}
	if i, ok := h.instances[key]; ok {
		return i, nil
	}
	select {
	case <-h.closed:
		return nil, unsupported("Open the project again.", "the project was closed")
	default:
	}
	program, err := h.command(s, folder)
	if err != nil {
		return nil, err
	}
	options, err := h.initOptions(s, folder)
	if err != nil {
		return nil, err
	}
	command := expandData(append(slices.Clone(program.Command), s.Args...), s.Name, folder)
	i := &instance{h: h, server: s, folder: folder, sync: semaphore.NewWeighted(1), last: make(map[string]fileReport), lastUsed: time.Now()}
	i.life.Config = lsp.Config{Name: s.Name, Command: command, Dir: folder, Env: h.environmentFor(program), InitOptions: options, Settings: s.Settings, Log: h.o.Log, CallTimeout: h.o.RequestTimeout, Wrap: h.confine(s, folder), MaxMemory: h.o.MaxMemory, MemoryInterval: h.o.memoryInterval}
	switch s.Dialect {
	case Gopls:
		i.life.Config.Working = "diagnosing "
	case Pyright:
		i.life.Config.ReadyMessage = pyrightReady
	}
	i.life.Changed = h.stateChanged
	h.instances[key] = i
	return i, nil
}

// use starts the server if necessary and returns its session. The caller must call done after the use.
func (i *instance) use(ctx context.Context) (session *lsp.Session, done func(), err error) {
	i.useMu.RLock()
	i.mu.Lock()
	i.users++
	i.mu.Unlock()
	done = func() {
		i.mu.Lock()
		i.users--
		i.lastUsed = time.Now()
		i.mu.Unlock()
		i.useMu.RUnlock()
	}
	if running, starting := i.life.Running(); running == nil && !starting {
		i.h.endOldest()
		// The server reads the files at its start. It must be notified of later changes only.
		if _, now, _, err := i.h.project.changes(ctx, -1); err == nil {
			i.mu.Lock()
			i.startEvents = now
			i.mu.Unlock()
		}
	}
	if session, err = i.life.Session(ctx); err != nil {
		done()
		return nil, nil, i.h.startFailure(ctx, i.server.Name, err)
	}
	return session, done, nil
}

// idleFor returns the time since the last use of a running server; 0 if the server is in use or does not run.
func (i *instance) idleFor() time.Duration {
	session, starting := i.life.Running()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.users > 0 || session == nil && !starting {
		return 0
	}
	return time.Since(i.lastUsed)
}

// endOldest ends the server that was idle longest, if Options.MaxServers run.
func (h *Headless) endOldest() {
	var oldest *instance
	var longest time.Duration
	running := 0
	for _, i := range h.all() {
		if session, _ := i.life.Running(); session != nil {
			running++
		}
		if d := i.idleFor(); d > longest {
			oldest, longest = i, d
		}
	}
	if running >= h.o.MaxServers && oldest != nil {
		oldest.stop()
	}
}

// stop ends the server if it is not in use. A request that arrives meanwhile waits a few seconds at most and starts the server
// again.
func (i *instance) stop() {
	if !i.useMu.TryLock() {
		return
	}
	defer i.useMu.Unlock()
	_ = i.life.Stop(context.Background()) // the server has ended even if Stop fails
}
