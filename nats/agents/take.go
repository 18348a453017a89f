package agents

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/wait"
)

const (
	// waitAlone and waitEach are how long a queue is waited at, if there is but one, or if
	// there are several.
	waitAlone = 10 * time.Second
	waitEach  = 500 * time.Millisecond
)

// slot runs one agent after the other.
func (r *Runner) slot(ctx context.Context, number int) {
	queues := r.queues()
	consumers := make([]jetstream.Consumer, len(queues))
	each := waitEach
	if len(queues) == 1 {
		each = waitAlone
	}
	for i := number; ctx.Err() == nil; i++ { // the slots begin at different queues
		at := i % len(queues)
		var err error
		if consumers[at] == nil {
			consumers[at], err = r.consumer(ctx, queues[at])
		}
		var m jetstream.Msg
		if err == nil {
			m, err = r.fetch(ctx, consumers[at], each)
		}
		switch {
		case err != nil && ctx.Err() == nil:
			consumers[at] = nil
			r.s.opts.Log.Debug("a work queue cannot be read", slog.Any("error", r.s.conn.Failed("reading a work queue", err)))
			_ = wait.Sleep(ctx, firstPause*5)
		case m != nil:
			r.accept(ctx, m)
		}
	}
}

// fetch takes an invitation out of a queue; nil if there was none in time.
func (r *Runner) fetch(ctx context.Context, c jetstream.Consumer, d time.Duration) (jetstream.Msg, error) {
	asking, enough := context.WithTimeout(ctx, d)
	defer enough()
	how := []jetstream.FetchOpt{jetstream.FetchContext(asking)}
	if d > 2*heartbeat {
		how = append(how, jetstream.FetchHeartbeat(heartbeat))
	}
	got, err := c.Fetch(1, how...)
	if err != nil {
		return nil, err
	}
	select {
	case m, ok := <-got.Messages():
		if ok {
			return m, nil
		}
	case <-ctx.Done():
		for m := range got.Messages() {
			_ = m.Nak() // else it comes again by itself
		}
		return nil, ctx.Err()
	}
	err = got.Error()
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil
	}
	return nil, err
}

// accept takes the run of an invitation, if no other runner has it and it was not cancelled.
func (r *Runner) accept(ctx context.Context, m jetstream.Msg) {
	var inv invitation
	var o order
	if json.Unmarshal(m.Data(), &inv) != nil || inv.Subject == "" {
		_ = m.Term() // no runner can read it
		return
	}
	l := runLog{s: r.s, subject: inv.Subject}
	ordered, err := r.s.latest(ctx, "looking at an order", r.s.runStream, inv.Subject)
	switch {
	case err != nil:
		return // it comes again, to any runner
	case ordered == nil || ordered.Header.Get(headerKind) != kindOrder || json.Unmarshal(ordered.Data, &o) != nil:
		_ = m.Ack() // else it comes once more
		return
	}
	l.last = ordered.Sequence
	s := newSession(ctx, r, l, o)
	began := time.Now()
	claiming, enough := context.WithDeadline(ctx, began.Add(s.lease/2))
	err = s.log.add(claiming, kindClaim, claim{r.o.Name})
	enough()
	if err != nil && !errors.Is(err, errOvertaken) {
		return // whether it has it, it does not know: then it is lost, if it has
	}
	_ = m.Ack() // else it comes once more, and is refused
	if err != nil {
		return
	}
	s.heard = began
	s.hintServer()
	r.count(1)
	defer r.count(-1)
	s.run()
}

func (r *Runner) count(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.busy += n
	r.peak = max(r.peak, r.busy)
	if n > 0 {
		r.taken++
	}
}
