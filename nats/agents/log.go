package agents

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/internal/wait"
	"github.com/dougu-go/dougu/tools/agents/record"
)

// eventLog implements record.Log: the number of an event is that of its message.
type eventLog struct{ s *Store }

var _ record.Log = eventLog{}

// Log returns the log of events, in one order for all machines.
func (s *Store) Log() record.Log { return eventLog{s} }

func (s *Store) eventStream() jetstream.Stream { return s.kept().events }

// Append implements record.Log. A repeated attempt logs the event once.
func (l eventLog) Append(ctx context.Context, e record.Event) (record.Event, error) {
	if e.At.IsZero() {
		e.At = time.Now()
	}
	m := nats.NewMsg(l.s.subject("events"))
	m.Header.Set(nats.MsgIdHdr, rand.Text())
	e.Data = append(json.RawMessage(nil), e.Data...)
	doing := "logging " + string(e.Type)
	m.Data = e.Data
	e.Data = nil
	header, err := json.Marshal(e)
	e.Data = m.Data
	if err != nil {
		return record.Event{}, fmt.Errorf("%s: %w", doing, err)
	}
	m.Header.Set(headerEvent, string(header))
	err = l.s.try(ctx, doing, func(ctx context.Context) error {
		ack, err := l.s.conn.JS.PublishMsg(ctx, m, jetstream.WithRetryAttempts(0))
		if err == nil {
			e.Seq = int64(ack.Sequence)
		}
		return err
	})
	if err != nil {
		return record.Event{}, err
	}
	return e, nil
}

// headerEvent is an event without its data.
const headerEvent = "Dougu-Event"

func eventOf(m jetstream.Msg, sequence uint64) (record.Event, error) {
	var e record.Event
	if err := json.Unmarshal([]byte(m.Headers().Get(headerEvent)), &e); err != nil {
		return e, fmt.Errorf("event %d cannot be read: %w", sequence, err)
	}
	e.Seq, e.Data = int64(sequence), nil
	if len(m.Data()) > 0 {
		e.Data = m.Data()
	}
	return e, nil
}

// Last implements record.Log.
func (l eventLog) Last(ctx context.Context) (last int64, err error) {
	_, last, err = l.bounds(ctx)
	return last, err
}

// bounds are the numbers of the first and the last event that are kept.
func (l eventLog) bounds(ctx context.Context) (first, last int64, err error) {
	err = l.s.try(ctx, "asking for the last event", func(ctx context.Context) error {
		info, err := l.s.eventStream().Info(ctx)
		if err == nil {
			first, last = int64(info.State.FirstSeq), int64(info.State.LastSeq)
		}
		return err
	})
	return first, last, err
}

const (
	// followFor is how long a consumer of NATS is asked at once.
	followFor = 10 * time.Second
	// heartbeat is how often NATS must be heard of meanwhile.
	heartbeat = 2 * time.Second
)

// Follow implements record.Log. While NATS is away it waits.
func (l eventLog) Follow(ctx context.Context, after int64) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		next := max(after, 0) + 1
		for ctx.Err() == nil {
			on, err := l.follow(ctx, &next, yield)
			switch {
			case ctx.Err() != nil || !on:
				return
			case errors.Is(err, record.ErrGone):
				yield(record.Event{}, fmt.Errorf("following the log from %d on: %w", next, err))
				return
			case err != nil:
				_ = l.s.conn.Failed("following the log", err) // creates a lost stream again
				_ = wait.Sleep(ctx, lastPause/4)
			}
		}
	}
}

// follow follows the log with one consumer. false is the end of it.
func (l eventLog) follow(ctx context.Context, next *int64, yield func(record.Event, error) bool) (bool, error) {
	first, last, err := l.bounds(ctx)
	switch {
	case errors.Is(err, errClosed):
		return false, err
	case err != nil:
		return true, err
	case *next < first || *next > last+1:
		return true, record.ErrGone
	}
	var c jetstream.Consumer
	err = l.s.once(ctx, func(ctx context.Context) error {
		c, err = l.s.eventStream().CreateConsumer(ctx, jetstream.ConsumerConfig{
			AckPolicy: jetstream.AckNonePolicy, DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: uint64(*next),
			InactiveThreshold: 2 * followFor, MemoryStorage: true, Replicas: 1,
		})
		return err
	})
	if err != nil {
		return true, err
	}
	name := c.CachedInfo().Name
	defer func() {
		_ = l.s.once(context.WithoutCancel(ctx), func(ctx context.Context) error { return l.s.eventStream().DeleteConsumer(ctx, name) }) // else it ends by itself
	}()
	for ctx.Err() == nil {
		if more, err := l.pull(ctx, c, next, yield); !more || err != nil {
			return more, err
		}
	}
	return false, nil
}

// pull asks a consumer once.
func (l eventLog) pull(ctx context.Context, c jetstream.Consumer, next *int64, yield func(record.Event, error) bool) (bool, error) {
	asking, enough := context.WithTimeout(ctx, followFor)
	defer enough()
	got, err := c.Fetch(batch, jetstream.FetchContext(asking), jetstream.FetchHeartbeat(heartbeat))
	if err != nil {
		return true, err
	}
	more, err := l.hand(ctx, got, next, yield)
	if errors.Is(err, context.DeadlineExceeded) { // there was nothing new
		err = nil
	}
	return more, err
}

// hand yields the events of a batch.
func (l eventLog) hand(ctx context.Context, got jetstream.MessageBatch, next *int64, yield func(record.Event, error) bool) (bool, error) {
	for {
		var m jetstream.Msg
		var open bool
		select {
		case m, open = <-got.Messages():
		case <-ctx.Done():
			return false, nil
		}
		if !open {
			return true, got.Error()
		}
		meta, err := m.Metadata()
		if err != nil {
			return true, err
		}
		if int64(meta.Sequence.Stream) != *next {
			return true, record.ErrGone
		}
		e, err := eventOf(m, meta.Sequence.Stream)
		if err != nil {
			return true, err
		}
		*next++
		if ctx.Err() != nil || !yield(e, nil) {
			return false, nil
		}
	}
}
