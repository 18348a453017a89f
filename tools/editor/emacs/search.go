package emacs

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// scanEvery is how often Emacs is looked for when nobody asks.
const scanEvery = 2 * time.Second

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
		if e.ctx.Err() == nil && e.connections.Due(p.file, p.since) {
			opening.Go(func() { e.open(p, connections) })
		}
	}
	opening.Wait()
	e.connections.Keep(found)
}

// open connects, and stays connected.
func (e *Emacs) open(p place, connections *group.Group) {
	s, err := connect(e.ctx, p)
	if err != nil {
		if e.connections.Failed(p.file, p.since, err, scanEvery) && !local.IsDeserted(err) {
			e.options.Log.Warn("Emacs does not take the connection", "server", p.file, "error", err)
		}
		return
	}
	e.connections.Connected(p.file, s)
	e.options.Log.Info("connected to Emacs", "version", s.version, "server", p.file)
	e.news.Announce()
	connections.Go(func() {
		s.wait(e.ctx)
		e.connections.Ended(p.file)
		e.documents.Forget(s)
		e.options.Log.Info("the connection to Emacs has ended", "server", p.file)
		e.news.Announce()
	})
}
