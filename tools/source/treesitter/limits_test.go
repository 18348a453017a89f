package treesitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/treesitter"
)

// A thread that waits has used no processor time: the machine may be busy.
func TestWithin_Waiting(t *testing.T) {
	t.Parallel()
	err := treesitter.Within(t.Context(), time.Millisecond, 3, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, source.ErrBusy) || errors.Is(err, source.ErrTooComplex) {
		t.Error(err)
	}
}

func TestWithin_Error(t *testing.T) {
	t.Parallel()
	failed := errors.New("failed")
	if err := treesitter.Within(t.Context(), time.Hour, 1, func(context.Context) error { return failed }); !errors.Is(err, failed) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	err := treesitter.Within(ctx, time.Hour, 1, func(ctx context.Context) error {
		cancel()
		<-ctx.Done()
		return failed
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
