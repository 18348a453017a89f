package neovim

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

// scanInterval is the interval of searches for Neovim.
const scanInterval = 2 * time.Second

// search looks for Neovim at intervals and on request. It owns the connections, and returns after they have ended.
func (n *Neovim) search() {
	var connections group.Group
	defer connections.Wait()
	n.lookout.Run(n.ctx, scanInterval, func() { n.connectNew(&connections) })
}

// connectNew connects to addresses without a connection.
func (n *Neovim) connectNew(connections *group.Group) {
	var opening group.Group
	found := map[string]bool{}
	for _, p := range n.endpoints() {
		found[p.address] = true
		if n.ctx.Err() == nil && n.connections.Due(p.address, p.since) {
			opening.Go(func() { n.open(p, connections) })
		}
	}
	opening.Wait()
	n.connections.Keep(found)
}

// open connects to an address and starts a goroutine that waits for the end of the connection.
func (n *Neovim) open(p endpoint, connections *group.Group) {
	s, err := connect(n.ctx, p, n.options.Name, connections, n.announcer.Announce)
	if err != nil {
		if n.connections.Failed(p.address, p.since, err, scanInterval) && !local.IsDeserted(err) {
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
