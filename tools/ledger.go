package tools

import (
	"context"

	"github.com/dougu-go/dougu/tools/internal/ledger"
)

// Ledger records which content of a file, or of a part of a file, each peer has seen last. Changes that refer to another
// content can be refused. Sets that work on the same files share one Ledger. Otherwise a read with one set and a write with
// another would be refused as stale. The zero value is empty. The least recently used entries are removed first.
type Ledger = ledger.Ledger

// WithPeer assigns the calls of a Go program to a peer, whose reads are recorded like those of a client. Calls without a client
// and without a peer are not recorded.
func WithPeer(ctx context.Context, name string) context.Context { return ledger.WithPeer(ctx, name) }

// Ledger returns the ledger, or a new one.
func (e Env) Ledger() *Ledger {
	if e.Seen == nil {
		return new(Ledger)
	}
	return e.Seen
}
