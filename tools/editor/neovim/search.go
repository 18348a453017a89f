package neovim

import (
	"context"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// scanInterval is the interval of searches for Neovim.
const scanInterval = 2 * time.Second

// answerTime is the time for a new Neovim to answer, before queries return an error about it.
const answerTime = 1500 * time.Millisecond

// search looks for Neovim at intervals and on request. It owns the connections, and returns after they have ended.
func (n *Neovim) search() {
	var connections group.Group
	defer connections.Wait()
	n.lookout.Run(n.ctx, scanInterval, func() { n.connectNew(&connections) })
}

// refresh looks for new Neovims now, and waits until they have answered or answerTime has passed since the connection.
func (n *Neovim) refresh(ctx context.Context) {
	n.lookout.Refresh(ctx)
	n.connections.Await(ctx, answerTime)
}

// connectNew starts to connect to addresses without a connection.
func (n *Neovim) connectNew(connections *group.Group) {
	found := map[string]bool{}
	for _, p := range n.endpoints() {
		found[p.address] = true
		if n.ctx.Err() == nil && n.connections.Begin(p.address, p.since) {
			connections.Go(func() { n.open(p, connections) })
		}
	}
	n.connections.Keep(found)
}

// open connects to an address and starts a goroutine that waits for the end of the connection.
func (n *Neovim) open(p endpoint, connections *group.Group) {
	s, err := n.connect(p, connections)
	if err != nil {
		if n.connections.Failed(p.address, p.since, err, scanInterval) && !local.IsDeserted(err) && n.ctx.Err() == nil {
			n.options.Log.Warn("connecting to Neovim failed", "address", p.address, "error", err)
		}
		return
	}
	n.connections.Connected(p.address, s)
	n.options.Log.Info("connected to Neovim", "version", s.version, "address", p.address)
	n.announcer.Announce()
	connections.Go(func() {
		select {
		case <-s.conn.Done():
		case <-n.ctx.Done():
			s.conn.Close()
		}
		n.connections.Ended(p.address)
		n.documents.Forget(s)
		n.options.Log.Info("the connection to Neovim has ended", "address", p.address)
		n.announcer.Announce()
	})
}
