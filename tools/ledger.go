package tools

import (
	"context"

	"github.com/dougu-go/dougu/tools/internal/ledger"
)

// Ledger remembers which content of a file, or of a part of one, each peer has
// last seen, so that a change over something that is not what the peer believes can
// be refused. Sets that work on the same files share one: else a peer that reads
// with the tools of one and writes with those of another would be told that its
// knowledge is stale. The zero value is empty. Who and what was not heard of for
// the longest time is forgotten first.
type Ledger = ledger.Ledger

// WithPeer makes the calls of a Go program those of a peer of this name, whose
// reading is remembered as that of a client is. Without it, calls that come from no
// client are nobody's, of whom nothing is remembered.
func WithPeer(ctx context.Context, name string) context.Context { return ledger.WithPeer(ctx, name) }

// Ledger returns the ledger, or a new one.
func (e Env) Ledger() *Ledger {
	if e.Seen == nil {
		return new(Ledger)
	}
	return e.Seen
}
