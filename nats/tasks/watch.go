package tasks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/mcp/tasks"
)

// A watcher keeps its position in the stream, and reads on after a hint of an instance or
// after Options.Poll. It therefore misses no change when NATS was not reachable and a hint
// was lost.

func (s *Store) hints() string { return s.opts.Prefix + ".tasks.changed" }

// hint says that there is something to read.
func (s *Store) hint() {
	_ = s.conn.NC.Publish(s.hints(), nil) // else it is found without
}

// reached is up to where a stream was read.
type reached struct {
	made     time.Time // when the stream was
	sequence uint64
}

// Watch implements tasks.Store.
func (s *Store) Watch(changed func(tasks.Record)) (stop func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			cancel()
		}
	}()
	asking, done, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	signal := make(chan struct{}, 1)
	sub, err := s.conn.NC.Subscribe(s.hints(), func(*nats.Msg) {
		select {
		case signal <- struct{}{}:
		default:
		}
	})
	if err != nil {
		return nil, fmt.Errorf("watching tasks: %w", err)
	}
	end := func() { _ = sub.Unsubscribe() } // on a closed connection there is nothing to end
	info, err := s.tasks().Info(asking)
	if err != nil {
		end()
		return nil, s.conn.Failed("watching tasks", err)
	}
	from := reached{info.Created, info.State.LastSeq}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		end()
		return nil, errClosed
	}
	s.last++
	number := s.last
	s.watchers[number] = cancel
	s.work.Go(func() {
		defer end()
		s.follow(ctx, signal, from, changed)
	})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.watchers, number)
		cancel()
	}, nil
}

// follow calls changed for each changed task until ctx ends.
func (s *Store) follow(ctx context.Context, signal <-chan struct{}, from reached, changed func(tasks.Record)) {
	ticker := time.NewTicker(s.opts.Poll)
	defer ticker.Stop()
	failed := false
	for {
		select {
		case <-signal:
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		err := s.read(ctx, &from, changed)
		if ctx.Err() != nil {
			return
		}
		if (err != nil) != failed {
			failed = err != nil
			s.opts.Log.Warn("tasks that other instances change are looked for", "failed", failed, "error", err)
		}
	}
}

// read calls changed for each task that has changed since from. A new stream, after NATS
// has lost its memory, is read from its beginning.
func (s *Store) read(ctx context.Context, from *reached, changed func(tasks.Record)) error {
	asking, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	info, err := s.tasks().Info(asking)
	cancel()
	if err != nil {
		return s.conn.Failed("watching tasks", err)
	}
	if !info.Created.Equal(from.made) || info.State.LastSeq < from.sequence {
		*from = reached{made: info.Created}
	}
	for from.sequence < info.State.LastSeq && ctx.Err() == nil {
		if err := s.readOne(ctx, from, info.State.LastSeq, changed); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) readOne(ctx context.Context, from *reached, last uint64, changed func(tasks.Record)) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	m, err := s.tasks().GetMsg(ctx, from.sequence+1, jetstream.WithGetMsgSubject(s.subject("*", "*")))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound): // the message was removed
		from.sequence = last
		return nil
	case err != nil:
		return s.conn.Failed("watching tasks", err)
	}
	from.sequence = m.Sequence
	r, err := recordOf(m.Header, m.Data)
	switch {
	case err != nil:
		s.opts.Log.Warn("a task in NATS cannot be read", "key", m.Subject, "error", err)
	case r.Version > 1:
		changed(r)
	}
	return nil
}
