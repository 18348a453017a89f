package treesitter

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/tools/source"
)

// limits bounds the resources of one text and of the parser.
type limits struct {
	pages   uint32 // maximum linear memory of an instance, in pages of 64 KiB
	keep    int    // linear memory in bytes above which an instance is not reused
	keepAll int    // maximum memory in bytes of all idle grammars and instances

	// A text may spend this processor time in the grammar, and the same again until it is a File.
	least, perByte, most time.Duration

	// busy is the limit of wall time as a multiple of that of processor time. It ends the parse of a
	// text on a machine that is very busy, or whose threads have no clocks.
	busy int
}

// defaultLimits returns the limits of a Parser from New.
func defaultLimits() limits {
	return limits{
		pages: 256 << 20 >> 16, keep: 64 << 20, keepAll: 200 << 20,
		least: 2 * time.Second, perByte: 10 * time.Microsecond, most: 20 * time.Second, busy: 5,
	}
}

// time returns the limit of processor time of a text of n bytes.
func (l limits) time(n int) time.Duration {
	return min(l.most, l.least+time.Duration(n)*l.perByte)
}

// within calls f with a context that ends when the time limits of a text of n bytes are over. The
// error is the error of ctx if it has ended, ErrTime or source.ErrBusy if the time is over, and
// otherwise the error of f. f must work in its own goroutine alone, whose thread has the clock.
func within[T any](ctx context.Context, l limits, n int, f func(context.Context) (T, error)) (T, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	limited, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := &watch{limit: l.time(n), wall: time.Duration(l.busy) * l.time(n), clock: threadClock(), begun: time.Now(), cancel: cancel}
	w.spent, w.known = w.clock()
	defer w.stop()
	w.start(w.limit)
	made, err := f(limited)
	switch {
	case err == nil:
		return made, nil
	case ctx.Err() != nil:
		err = ctx.Err()
	case limited.Err() != nil:
		err = context.Cause(limited)
	}
	return *new(T), err
}

// watch ends a context when a thread has used its processor time, or when its wall time is over.
type watch struct {
	limit, wall time.Duration
	clock       func() (spent time.Duration, ok bool) // of the thread
	spent       time.Duration                         // value of clock at the beginning
	known       bool                                  // clock works
	begun       time.Time
	cancel      context.CancelCauseFunc

	lock    sync.Mutex
	timer   *time.Timer
	stopped bool
}

// start sets the timer to the next check.
func (w *watch) start(next time.Duration) {
	w.lock.Lock()
	defer w.lock.Unlock()
	if !w.stopped {
		w.timer = group.AfterFunc(next, w.check)
	}
}

// check ends the context if a limit is exceeded, and sets the timer otherwise.
func (w *watch) check() {
	wall := w.wall - time.Since(w.begun)
	next := wall
	if now, ok := w.clock(); ok && w.known {
		left := w.limit - (now - w.spent)
		if left <= 0 {
			w.cancel(ErrTime)
			return
		}
		next = min(next, left)
	}
	if wall <= 0 {
		w.cancel(fmt.Errorf("%w: it was stopped after %v", source.ErrBusy, w.wall))
		return
	}
	w.start(next)
}

// stop ends the checks.
func (w *watch) stop() {
	w.lock.Lock()
	defer w.lock.Unlock()
	w.stopped = true
	w.timer.Stop()
}
