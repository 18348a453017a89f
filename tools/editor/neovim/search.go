package neovim

import (
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/editor/internal/local"
)

const (
	retryPause   = time.Second      // after the first failure to connect; doubled after each
	longestPause = 30 * time.Second // between attempts
)

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
		if n.due(p) {
			opening.Go(func() { n.open(p, connections) })
		}
	}
	opening.Wait()
	n.mu.Lock()
	defer n.mu.Unlock()
	for address := range n.attempts {
		if !found[address] {
			delete(n.attempts, address)
		}
	}
}

// due tells whether a connection should be made now.
func (n *Neovim) due(p place) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx.Err() != nil || n.sessions[p.address] != nil {
		return false
	}
	before := n.attempts[p.address]
	return before == nil || !before.since.Equal(p.since) || !time.Now().Before(before.next)
}

// open connects, and stays connected.
func (n *Neovim) open(p place, connections *group.Group) {
	s, err := connect(n.ctx, p, n.options.Name, connections, n.news.Announce)
	if err != nil {
		n.failed(p, err)
		return
	}
	n.mu.Lock()
	delete(n.attempts, p.address)
	n.sessions[p.address] = s
	n.mu.Unlock()
	n.options.Log.Info("connected to Neovim", "version", s.version, "address", p.address)
	n.news.Announce()
	connections.Go(func() {
		select {
		case <-s.conn.Done():
		case <-n.ctx.Done():
			s.conn.Close()
		}
		n.mu.Lock()
		delete(n.sessions, p.address)
		for path, c := range n.chosen {
			if c.session == s {
				delete(n.chosen, path)
			}
		}
		n.mu.Unlock()
		n.options.Log.Info("the connection to Neovim has ended", "address", p.address)
		n.news.Announce()
	})
}

// failed remembers that a connection was not made.
func (n *Neovim) failed(p place, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	pause := retryPause
	if before := n.attempts[p.address]; before != nil && before.since.Equal(p.since) {
		pause = min(2*before.pause, longestPause)
	} else if !local.IsDeserted(err) {
		n.options.Log.Warn("Neovim does not take the connection", "address", p.address, "error", err)
	}
	if local.IsDeserted(err) {
		pause = min(pause, scanEvery) // it costs next to nothing
	}
	n.attempts[p.address] = &attempt{p.since, err, pause, time.Now().Add(pause)}
}
