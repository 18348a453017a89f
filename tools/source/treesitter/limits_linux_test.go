package treesitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// A thread that works is stopped by its processor time, and not by the wall time of a busy machine.
func TestWithin_Working(t *testing.T) {
	t.Parallel()
	err := treesitter.Within(t.Context(), 10*time.Millisecond, 1_000_000, func(ctx context.Context) error {
		for ctx.Err() == nil {
		}
		return ctx.Err()
	})
	if !errors.Is(err, treesitter.ErrTime) {
		t.Error(err)
	}
}

// A text is not too complex because its thread has waited for longer than the limit of processor time.
func TestWithin_Waited(t *testing.T) {
	t.Parallel()
	err := treesitter.Within(t.Context(), 20*time.Millisecond, 1_000_000, func(ctx context.Context) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(60 * time.Millisecond):
			return nil
		}
	})
	if err != nil {
		t.Error(err)
	}
}
