package emacs

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// scanInterval is the interval of searches for Emacs.
const scanInterval = 2 * time.Second

// answerTime is the time for a new Emacs to answer, before queries return an error about it.
const answerTime = 1500 * time.Millisecond

// search looks for Emacs at intervals and on request. It owns the connections, and returns after they have ended.
func (e *Emacs) search() {
	var connections group.Group
	defer connections.Wait()
	e.lookout.Run(e.ctx, scanInterval, func() { e.connectNew(&connections) })
}

// refresh looks for new servers now, and waits until they have answered or answerTime has passed since the connection.
func (e *Emacs) refresh(ctx context.Context) {
	e.lookout.Refresh(ctx)
	e.connections.Await(ctx, answerTime)
}

// connectNew starts to connect to servers without a connection.
func (e *Emacs) connectNew(connections *group.Group) {
	found := map[string]bool{}
	for _, p := range e.endpoints() {
		found[p.file] = true
		if e.ctx.Err() == nil && e.connections.Begin(p.file, p.since) {
			connections.Go(func() { e.open(p, connections) })
		}
	}
	e.connections.Keep(found)
}

// open connects to a server and starts a goroutine that waits for the end of the connection.
func (e *Emacs) open(p endpoint, connections *group.Group) {
	s, err := e.connect(p)
	if err != nil {
		if e.connections.Failed(p.file, p.since, err, scanInterval) && !local.IsDeserted(err) {
			e.options.Log.Warn("connecting to Emacs failed", "server", p.file, "error", err)
		}
		return
	}
	e.connections.Connected(p.file, s)
	e.options.Log.Info("connected to Emacs", "version", s.version, "server", p.file)
	e.announcer.Announce()
	connections.Go(func() {
		s.wait(e.ctx)
		e.connections.Ended(p.file)
		e.documents.Forget(s)
		e.options.Log.Info("the connection to Emacs has ended", "server", p.file)
		e.announcer.Announce()
	})
}
