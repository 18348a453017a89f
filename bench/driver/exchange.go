package driver

import (
	"context"
	"fmt"
	"io"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// exchange is a series of calls of one kind.
type exchange struct {
	request  request
	first    int // id of the first call
	calls    int
	inFlight int // limit of calls without a response
	every    int // one response in every is sampled, and each of unusual length
	usual    int // usual length of a response; 0 if unknown
}

// run sends the calls, at most inFlight at a time, and counts the responses. It returns copies of the sampled responses. On an
// error, and when ctx ends, it aborts the link.
func (x exchange) run(ctx context.Context, l link) ([][]byte, error) {
	if x.first < firstID || x.first+x.calls-1 > lastID {
		return nil, fmt.Errorf("no identifiers for %d calls from %d on", x.calls, x.first)
	}
	defer context.AfterFunc(ctx, l.abort)()
	var sent atomic.Int64
	answered := make(chan int, x.inFlight)
	both, ctx := errgroup.WithContext(ctx)
	both.Go(func() error {
		err := x.send(ctx, l.in, &sent, answered)
		if err != nil {
			l.abort()
		}
		return err
	})
	var kept [][]byte
	both.Go(func() (err error) {
		if kept, err = x.receive(ctx, l.out, &sent, answered); err != nil {
			l.abort()
		}
		return err
	})
	return kept, both.Wait()
}

func (x exchange) send(ctx context.Context, w io.Writer, sent *atomic.Int64, answered <-chan int) error {
	b := newBurst(x.request, x.inFlight)
	for done, room := 0, x.inFlight; done < x.calls; {
		if room == 0 {
			select {
			case n := <-answered:
				room += n
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		bytes, n := b.next(x.first+done, min(room, x.calls-done))
		sent.Add(int64(n))
		if _, err := w.Write(bytes); err != nil {
			return fmt.Errorf("send call %d of %d: %w", done+1, x.calls, err)
		}
		done += n
		room -= n
	}
	return nil
}

func (x exchange) receive(ctx context.Context, r batcher, sent *atomic.Int64, answered chan<- int) (kept [][]byte, err error) {
	seen := 0
	for seen < x.calls {
		n, err := r.batch(func(line []byte) {
			if seen%x.every == 0 || len(line) != x.usual {
				kept = append(kept, append([]byte(nil), line...))
			}
			seen++
		})
		if err != nil {
			return nil, fmt.Errorf("receive answer %d of %d: %w", seen+1, x.calls, err)
		}
		if calls := int(sent.Load()); seen > calls {
			return nil, fmt.Errorf("%d messages came back from %d calls", seen, calls)
		}
		select {
		case answered <- n:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return kept, nil
}
