package sessions

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/mcp"
)

var _ mcp.SpentStore = (*Store)(nil)

// Spend implements mcp.SpentStore: of all servers that share NATS and the keys of
// their states, one uses a consent. Options.Idle must be at least
// mcp.ServerOptions.StateTTL, since nothing in the bucket lives longer.
func (s *Store) Spend(ctx context.Context, id string, until time.Time) (bool, error) {
	if left := time.Until(until); left > s.opts.Idle {
		return false, fmt.Errorf("recording a used consent: it is valid for %v, and records live for %v", left.Round(time.Second), s.opts.Idle)
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return false, err
	}
	defer cancel()
	records, _ := s.streams()
	_, err = records.Create(ctx, "spent."+key(id), nil)
	switch {
	case errors.Is(err, jetstream.ErrKeyExists):
		return false, nil
	case err != nil:
		return false, s.failed("recording a used consent", err)
	}
	return true, nil
}
