package wait_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dougu-go/dougu/internal/wait"
)

func TestFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		if err := wait.Sleep(t.Context(), time.Second); err != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v", err, time.Since(start))
		}
		gone := errors.New("gone")
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, gone)
		defer cancel()
		start = time.Now()
		if err := wait.Sleep(ctx, time.Hour); !errors.Is(err, gone) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

func TestIsClosed(t *testing.T) {
	c := make(chan struct{})
	if wait.IsClosed(c) {
		t.Error("an open channel counts as closed")
	}
	close(c)
	if !wait.IsClosed(c) {
		t.Error("a closed channel counts as open")
	}
}
