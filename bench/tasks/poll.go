package main

import (
	"bytes"
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"
)

// poll polls every task at its planned times and returns the response times.
func (b *bench) poll(ctx context.Context, s *server, ids []string) ([]time.Duration, error) {
	rounds := max(1, int(b.duration/b.every))
	times := make([]time.Duration, rounds*len(ids))
	gap := b.every / time.Duration(len(ids))
	begun := time.Now()
	var next atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	for range b.workers {
		all.Go(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(times) {
					return nil
				}
				due := begun.Add(time.Duration(i/len(ids))*b.every + time.Duration(i%len(ids))*gap)
				if wait := time.Until(due); wait > 0 {
					select {
					case <-time.After(wait):
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				}
				id := ids[i%len(ids)]
				answer, err := s.ask(ctx, "tasks/get", id, `"taskId":"`+id+`"`)
				if err != nil {
					return err
				}
				if !bytes.Contains(answer, []byte(`"taskId":"`+id+`","status":"working"`)) {
					return fmt.Errorf("the task %s: %.300s", id, answer)
				}
				times[i] = time.Since(due)
			}
		})
	}
	return times, all.Wait()
}
