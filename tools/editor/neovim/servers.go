package neovim

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/internal/relay"
)

// maxReply is the size of a language server's response, in bytes.
const (
	maxReply = 32 << 20 // of a language server, in bytes
)

// peer adapts a session to relay.Editor.
type peer struct{ *session }

// Read implements relay.Editor.
func (p peer) Read(ctx context.Context, path, method string) (relay.Document, bool, error) {
	d, ok, err := p.document(ctx, path, method)
	return relay.Document{Text: d.Text, Version: d.Tick, Servers: d.Clients, Tab: d.Tab, Spaces: d.Spaces, Ref: d.Buf}, ok, err
}

// Servers implements relay.Editor.
func (p peer) Servers(ctx context.Context, method string) (servers []relay.Server, err error) {
	err = p.run(ctx, "clients", map[string]any{"method": method}, &servers)
	return servers, err
}

// Request implements relay.Editor.
func (p peer) Request(ctx context.Context, server relay.Server, about *relay.Document, method string, params, result any) error {
	buf, tick := 0, 0
	if about != nil {
		buf, _ = about.Ref.(int)
		tick = about.Version
	}
	return p.request(ctx, server, buf, tick, method, params, result)
}

// relayed is embedded under this name, so that it is not exported.
type relayed = relay.Relay

// relay returns the requests to the language servers of all connected Neovims.
func (n *Neovim) relay() *relay.Relay {
	peers := func(all []*session) []relay.Editor {
		editors := make([]relay.Editor, len(all))
		for i, s := range all {
			editors[i] = peer{s}
		}
		return editors
	}
	near := func(ctx context.Context, path string) ([]relay.Editor, error) {
		all, err := n.covering(ctx, path)
		return peers(all), err
	}
	return relay.New("Neovim", near, func() []relay.Editor { return peers(n.connected()) })
}

// request sends a request to a language server and waits for the response, which Neovim sends as a notification. buf 0 is no
// document.
func (s *session) request(ctx context.Context, server relay.Server, buf, tick int, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	said := make(chan reply, 1)
	s.mu.Lock()
	s.lastRequest++
	id := s.lastRequest
	s.waiting[id] = said
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		delete(s.waiting, id)
		s.mu.Unlock()
	}()
	var request int
	err = s.run(ctx, "request", map[string]any{
		"channel": s.channel, "id": id, "buf": buf, "tick": tick, "client": server.ID, "method": method, "params": string(text), "max": maxReply,
	}, &request)
	if err != nil {
		return err
	}
	select {
	case r := <-said:
		if r.failure != "" {
			return fmt.Errorf("%s failed: %s", method, truncate.Line(r.failure, maxErrorText))
		}
		if err := json.Unmarshal([]byte(r.text), result); err != nil {
			return fmt.Errorf("decode the response of %s: %w", method, err)
		}
		return nil
	case <-s.conn.Done():
		return adapter.ErrNotRunning
	case <-ctx.Done():
		s.cancel(server, request)
		return fmt.Errorf("no response to %s in time: %w", method, context.Cause(ctx))
	}
}

// cancel cancels a request at the language server. Errors are ignored.
func (s *session) cancel(server relay.Server, request int) {
	ctx, cancel := context.WithTimeout(context.Background(), cancelTimeout)
	defer cancel()
	_ = s.run(ctx, "cancel", map[string]any{"client": server.ID, "request": request}, nil)
}

// deliver delivers a response to the request that waits for it.
func (s *session) deliver(id int, r reply) {
	s.mu.Lock()
	said := s.waiting[id]
	delete(s.waiting, id)
	s.mu.Unlock()
	if said != nil {
		said <- r // the channel has a buffer of 1
	}
}
