package emacs

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	scanEvery    = 2 * time.Second  // how often Emacs is looked for when nobody asks
	retryPause   = time.Second      // after the first failure to connect; doubled after each
	longestPause = 30 * time.Second // between attempts
)

// attempt is a connection that was not made.
type attempt struct {
	since time.Time
	err   error
	pause time.Duration
	next  time.Time
}

// search looks for Emacs every now and then, and when it is asked to. It owns the connections, and ends when they have ended.
func (e *Emacs) search() {
	var connections group.Group
	defer connections.Wait()
	e.lookout.Run(e.ctx, scanEvery, func() { e.look(&connections) })
}

// look connects to those that listen and are not yet connected.
func (e *Emacs) look(connections *group.Group) {
	var opening group.Group
	found := map[string]bool{}
	for _, p := range e.places() {
		found[p.file] = true
		if e.due(p) {
			opening.Go(func() { e.open(p, connections) })
		}
	}
	opening.Wait()
	e.mu.Lock()
	defer e.mu.Unlock()
	for file := range e.attempts {
		if !found[file] {
			delete(e.attempts, file)
		}
	}
}

// due tells whether a connection should be made now.
func (e *Emacs) due(p place) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ctx.Err() != nil || e.sessions[p.file] != nil {
		return false
	}
	before := e.attempts[p.file]
	return before == nil || !before.since.Equal(p.since) || !time.Now().Before(before.next)
}

// open connects, and stays connected.
func (e *Emacs) open(p place, connections *group.Group) {
	s, err := connect(e.ctx, p)
	if err != nil {
		e.failed(p, err)
		return
	}
	e.mu.Lock()
	delete(e.attempts, p.file)
	e.sessions[p.file] = s
	e.mu.Unlock()
	e.options.Log.Info("connected to Emacs", "version", s.version, "server", p.file)
	e.news.Announce()
	connections.Go(func() {
		s.wait(e.ctx)
		e.mu.Lock()
		delete(e.sessions, p.file)
		for path, c := range e.chosen {
			if c.session == s {
				delete(e.chosen, path)
			}
		}
		e.mu.Unlock()
		e.options.Log.Info("the connection to Emacs has ended", "server", p.file)
		e.news.Announce()
	})
}

// failed remembers that a connection was not made.
func (e *Emacs) failed(p place, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	pause := retryPause
	if before := e.attempts[p.file]; before != nil && before.since.Equal(p.since) {
		pause = min(2*before.pause, longestPause)
	} else if !local.IsDeserted(err) {
		e.options.Log.Warn("Emacs does not take the connection", "server", p.file, "error", err)
	}
	if local.IsDeserted(err) {
		pause = min(pause, scanEvery) // it costs next to nothing
	}
	e.attempts[p.file] = &attempt{p.since, err, pause, time.Now().Add(pause)}
}
