package emacs

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/internal/relay"
	"github.com/dougu-go/dougu/tools/internal/lsp"
)

const maxReply = 32 << 20 // bytes of a language server's response

// relayed is embedded under this name, so that it is not exported.
type relayed = relay.Relay

// peer adapts a session to relay.Editor.
type peer struct{ *session }

// Read implements relay.Editor.
func (p peer) Read(ctx context.Context, path, method string) (relay.Document, bool, error) {
	d, ok, err := p.document(ctx, path, lsp.Provider(method))
	return relay.Document{Text: d.content(), Version: d.Tick, Servers: d.Servers, Tab: d.Tab, Spaces: d.Spaces, Ref: path}, ok, err
}

// Servers implements relay.Editor.
func (p peer) Servers(ctx context.Context, method string) (servers []relay.Server, err error) {
	err = p.ask(ctx, "servers", map[string]any{"provider": lsp.Provider(method)}, &servers)
	return servers, err
}

// Request implements relay.Editor. Emacs does not block while the language server works.
func (p peer) Request(ctx context.Context, server relay.Server, about *relay.Document, method string, params, result any) error {
	text, err := json.Marshal(params)
	if err != nil {
		return err
	}
	args := map[string]any{"server": server.Name, "method": method, "provider": lsp.Provider(method), "params": string(text), "max": maxReply}
	if about != nil {
		args["path"], args["tick"] = about.Ref, about.Version
	}
	if err := p.ask(ctx, deferredRequest, args, result); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	return nil
}

// relay returns the requests to the language servers of all connected Emacs.
func (e *Emacs) relay() *relay.Relay {
	peers := func(all []*session) []relay.Editor {
		editors := make([]relay.Editor, len(all))
		for i, s := range all {
			editors[i] = peer{s}
		}
		return editors
	}
	near := func(ctx context.Context, _ string) ([]relay.Editor, error) {
		all, err := e.running(ctx)
		return peers(all), err
	}
	return relay.New("Emacs", near, func() []relay.Editor { return peers(e.connected()) })
}
