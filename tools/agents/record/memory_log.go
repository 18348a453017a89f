package record

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"sync"
	"time"
)

// memoryLog keeps the newest events, which are events[first:], so that the oldest can be dropped without moving the others
// each time.
type memoryLog struct {
	most, mostBytes int

	mu     sync.Mutex
	events []Event
	first  int
	last   int64
	size   int           // of the data that is kept
	news   chan struct{} // is closed with the next event; nil while nobody waits
	closed bool
}

// Append implements Log.
func (l *memoryLog) Append(ctx context.Context, e Event) (Event, error) {
	if ctx.Err() != nil {
		return Event{}, fmt.Errorf("logging %s: %w", e.Type, context.Cause(ctx))
	}
	e.Data = bytes.Clone(e.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Event{}, fmt.Errorf("logging %s: %w", e.Type, errClosed)
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	l.last++
	e.Seq = l.last
	l.events = append(l.events, e)
	l.size += len(e.Data)
	for kept := len(l.events) - l.first; kept > l.most || kept > 1 && l.size > l.mostBytes; kept-- {
		l.size -= len(l.events[l.first].Data)
		l.events[l.first] = Event{}
		l.first++
	}
	if l.first > len(l.events)/2 {
		l.events = append(l.events[:0], l.events[l.first:]...)
		clear(l.events[len(l.events):cap(l.events)])
		l.first = 0
	}
	l.wake()
	return e, nil
}

func (l *memoryLog) wake() {
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// Last implements Log.
func (l *memoryLog) Last(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, nil
}

// Follow implements Log.
func (l *memoryLog) Follow(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		const atOnce = 64
		var batch [atOnce]Event
		for next := max(after, 0) + 1; ctx.Err() == nil; {
			n, news, err := l.read(batch[:], next)
			if err != nil {
				yield(Event{}, fmt.Errorf("following the log from %d on: %w", next, err))
				return
			}
			for _, e := range batch[:n] {
				if ctx.Err() != nil || !yield(e, nil) {
					return
				}
			}
			next += int64(n)
			switch {
			case n > 0:
			case news == nil:
				return
			default:
				select {
				case <-news:
				case <-ctx.Done():
				}
			}
		}
	}
}

// read answers events from one on, and if there are none what tells of the next; nothing if none will come.
func (l *memoryLog) read(batch []Event, next int64) (n int, news <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.events[l.first:]
	skip := next - (l.last - int64(len(kept)) + 1)
	if skip < 0 || next > l.last+1 {
		return 0, nil, ErrGone
	}
	if n = copy(batch, kept[skip:]); n > 0 || l.closed {
		return n, nil, nil
	}
	if l.news == nil {
		l.news = make(chan struct{})
	}
	return 0, l.news, nil
}

func (l *memoryLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}
