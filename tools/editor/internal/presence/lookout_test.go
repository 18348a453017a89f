package presence_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/dougu-go/dougu/tools/editor/internal/presence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLookout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var looks atomic.Int64
		const takes = time.Second // a look
		l := presence.NewLookout()
		var running sync.WaitGroup
		running.Go(func() {
			l.Run(ctx, time.Minute, func() {
				looks.Add(1)
				time.Sleep(takes)
			})
		})
		for _, step := range []struct {
			name   string
			do     func()
			takes  time.Duration
			looked int64 // so far
		}{
			{"at first", func() { time.Sleep(takes) }, takes, 1},
			{"after a minute", func() { time.Sleep(time.Minute) }, time.Minute, 2},
			{"asked to", func() { l.Refresh(t.Context()) }, takes, 3},
			{"asked by one who does not wait", func() { ask(l, takes/2) }, takes / 2, 4},
			{"asked by one who does not wait for the look before", func() { ask(l, takes/4) }, takes / 4, 4},
			{"asked to during a look", func() { l.Refresh(t.Context()) }, takes/4 + takes, 5},
			{"after its end", func() { stop(); running.Wait(); l.Refresh(t.Context()) }, 0, 5},
		} {
			synctest.Wait()
			begun := time.Now()
			step.do()
			if took := time.Since(begun); took != step.takes || looks.Load() != step.looked {
				t.Errorf("%s: it took %v, want %v, and has looked %d times, want %d", step.name, took, step.takes, looks.Load(), step.looked)
			}
		}
	})
}

// ask asks for a look, and waits for it no longer than that.
func ask(l *presence.Lookout, patience time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	l.Refresh(ctx)
}

func TestAnnouncer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		a := presence.NewAnnouncer()
		var told atomic.Int64
		unwatch := a.Watch(func() { told.Add(1) })
		for range 3 {
			a.Announce() // never blocks
		}
		var running sync.WaitGroup
		running.Go(func() { a.Run(ctx) })
		if synctest.Wait(); told.Load() != 1 {
			t.Errorf("what was announced three times was told %d times", told.Load())
		}
		a.Announce()
		if synctest.Wait(); told.Load() != 2 {
			t.Errorf("two announcements were told %d times", told.Load())
		}
		unwatch()
		a.Announce()
		if synctest.Wait(); told.Load() != 2 {
			t.Error("who does not watch any more is told")
		}
		stop()
		running.Wait()
	})
}
