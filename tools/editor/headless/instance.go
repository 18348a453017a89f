package headless

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/internal/lsp"

	"golang.org/x/sync/semaphore"
)

// instance is a server for a folder, whether it runs or not.
type instance struct {
	h      *Headless
	server Server
	folder string
	life   lsp.Server

	gate sync.RWMutex // held for reading by who uses the server, for writing while it is ended for want of use

	mu       sync.Mutex
	users    int
	used     time.Time
	asked    map[string]int // how many requests ask about a document now, by its path
	indexing *lsp.Session   // whose index was waited for to its end
	base     int            // changes of the project that were known when the server was started

	sync *semaphore.Weighted // of 1, for bringing documents to the server

	// What follows belongs to the holder of the token.
	session *lsp.Session     // to which it refers
	seen    int              // changes of the project that it was told
	stamps  map[string]stamp // of documents as they were read from the disk

	lastMu sync.Mutex
	last   map[string]fileReport // what was found last
}

// serversFor answers the servers of a language that can be started for a file, or for the project if path is empty, and why there is
// none.
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
			problem = err
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
		problem = unsupported("Do without it, or configure a server.", "no language server is known for %s", name)
	}
	return nil, problem
}

// instancesFor answers the instances that a file belongs to.
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

// folderOf answers the topmost directory, from the top of the project to a file, that has one of the markers; the top if none has.
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
	command, err := h.command(s, folder)
	if err != nil {
		return nil, err
	}
	options := s.InitOptions
	if s.Dialect == TSServer {
		if options, err = h.tsOptions(s, folder); err != nil {
			return nil, err
		}
	}
	i := &instance{h: h, server: s, folder: folder, sync: semaphore.NewWeighted(1), last: make(map[string]fileReport), used: time.Now()}
	i.life.Config = lsp.Config{Name: s.Name, Command: command, Dir: folder, Env: h.env, InitOptions: options, Settings: s.Settings, Log: h.o.Log, CallTimeout: h.o.Patience, Wrap: h.confine(s, folder)}
	if s.Dialect == Gopls {
		i.life.Config.Working = "diagnosing "
	}
	i.life.Changed = h.stateChanged
	h.instances[key] = i
	return i, nil
}

// use answers the session, and starts it if it must; done ends the use.
func (i *instance) use(ctx context.Context) (session *lsp.Session, done func(), err error) {
	i.gate.RLock()
	i.mu.Lock()
	i.users++
	i.mu.Unlock()
	done = func() {
		i.mu.Lock()
		i.users--
		i.used = time.Now()
		i.mu.Unlock()
		i.gate.RUnlock()
	}
	if running, starting := i.life.Running(); running == nil && !starting {
		i.h.makeRoom()
		// What changes from here on it must be told; what was before it reads itself.
		if _, now, _, err := i.h.project.changes(ctx, -1); err == nil {
			i.mu.Lock()
			i.base = now
			i.mu.Unlock()
		}
	}
	if session, err = i.life.Session(ctx); err != nil {
		done()
		return nil, nil, i.h.startFailure(ctx, i.server.Name, err)
	}
	return session, done, nil
}

// idleFor tells for how long nobody has asked a server that runs.
func (i *instance) idleFor() time.Duration {
	session, starting := i.life.Running()
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.users > 0 || session == nil && !starting {
		return 0
	}
	return time.Since(i.used)
}

// makeRoom ends the server that was not asked for longest, if too many run.
func (h *Headless) makeRoom() {
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

// stop ends the server if nobody uses it. Who comes meanwhile waits, which takes a few seconds at most, and starts it again.
func (i *instance) stop() {
	if !i.gate.TryLock() {
		return
	}
	defer i.gate.Unlock()
	_ = i.life.Stop(context.Background()) // it has ended in any case
}
