package neovim

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// scanEvery is how often Neovim is looked for when nobody asks.
const scanEvery = 2 * time.Second

// search looks for Neovim every now and then, and when it is asked to. It owns the connections, and ends when they have ended.
func (n *Neovim) search() {
	var connections group.Group
	defer connections.Wait()
	n.lookout.Run(n.ctx, scanEvery, func() { n.look(&connections) })
}

// look connects to those that listen and are not yet connected.
func (n *Neovim) look(connections *group.Group) {
	var opening group.Group
	found := map[string]bool{}
	for _, p := range n.places() {
		found[p.address] = true
		if n.ctx.Err() == nil && n.connections.Due(p.address, p.since) {
			opening.Go(func() { n.open(p, connections) })
		}
	}
	opening.Wait()
	n.connections.Keep(found)
}

// open connects, and stays connected.
func (n *Neovim) open(p place, connections *group.Group) {
	s, err := connect(n.ctx, p, n.options.Name, connections, n.news.Announce)
	if err != nil {
		if n.connections.Failed(p.address, p.since, err, scanEvery) && !local.IsDeserted(err) {
			n.options.Log.Warn("Neovim does not take the connection", "address", p.address, "error", err)
		}
		return
	}
	n.connections.Connected(p.address, s)
	n.options.Log.Info("connected to Neovim", "version", s.version, "address", p.address)
	n.news.Announce()
	connections.Go(func() {
		select {
		case <-s.conn.Done():
		case <-n.ctx.Done():
			s.conn.Close()
		}
		n.connections.Ended(p.address)
		n.documents.Forget(s)
		n.options.Log.Info("the connection to Neovim has ended", "address", p.address)
		n.news.Announce()
	})
}
