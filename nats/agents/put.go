package agents

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/nats/internal/kept"
)

// headerWrite identifies an attempt to write. A writer without a response finds out by it
// whether the message was stored.
const headerWrite = "Dougu-Write"

// errOvertaken is a message that is not stored, because another came before.
var errOvertaken = errors.New("another was faster")

// errInFlight means that the servers of NATS have not agreed on a message yet. It is a temporary error.
var errInFlight = fmt.Errorf("the servers of NATS do not agree yet: %w", nats.ErrTimeout)

// put writes the message that follows the one with sequence last on its subject, and returns
// its sequence, or errOvertaken if another message follows. Repeated attempts write it once.
func (s *Store) put(ctx context.Context, doing string, stream jetstream.Stream, m *nats.Msg, last uint64) (seq uint64, err error) {
	name := m.Header.Get(headerWrite)
	unknown := name != "" // it was tried before
	if !unknown {
		name = rand.Text()
		m.Header.Set(headerWrite, name)
	}
	err = s.try(ctx, doing, func(ctx context.Context) error {
		ack, err := s.conn.JS.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithRetryAttempts(0))
		switch {
		case err == nil:
			seq = ack.Sequence
			return nil
		case !kept.WrongSequence(err):
			unknown = true
			return err
		case !unknown:
			return errOvertaken
		}
		seq, err = stored(ctx, stream, m, last)
		return err
	})
	return seq, err
}

// stored looks for message m behind the message with sequence last.
func stored(ctx context.Context, stream jetstream.Stream, m *nats.Msg, last uint64) (seq uint64, err error) {
	got, err := stream.GetMsg(ctx, last+1, jetstream.WithGetMsgSubject(m.Subject))
	switch {
	case err == nil && got.Header.Get(headerWrite) == m.Header.Get(headerWrite):
		return got.Sequence, nil
	case err == nil:
		return 0, errOvertaken
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, err
	}
	switch got, err = stream.GetLastMsgForSubject(ctx, m.Subject); {
	case errors.Is(err, jetstream.ErrMsgNotFound) && last == 0, err == nil && got.Sequence == last:
		return 0, errInFlight
	case err == nil || errors.Is(err, jetstream.ErrMsgNotFound):
		return 0, errOvertaken
	}
	return 0, err
}

// latest answers the last message of a subject, nil if there is none.
func (s *Store) latest(ctx context.Context, doing string, stream func() jetstream.Stream, subject string) (m *jetstream.RawStreamMsg, err error) {
	err = s.try(ctx, doing, func(ctx context.Context) error {
		m, err = stream().GetLastMsgForSubject(ctx, subject)
		if errors.Is(err, jetstream.ErrMsgNotFound) {
			m, err = nil, nil
		}
		return err
	})
	return m, err
}

// remove removes everything of a subject up to a sequence, 0 is all.
func (s *Store) remove(ctx context.Context, doing string, stream func() jetstream.Stream, subject string, upTo uint64) error {
	return s.try(ctx, doing, func(ctx context.Context) error { return purge(ctx, stream(), subject, upTo) })
}

// purge removes it once.
func purge(ctx context.Context, stream jetstream.Stream, subject string, upTo uint64) error {
	how := []jetstream.StreamPurgeOpt{jetstream.WithPurgeSubject(subject)}
	if upTo > 0 {
		how = append(how, jetstream.WithPurgeSequence(upTo+1))
	}
	if err := stream.Purge(ctx, how...); err != nil {
		return fmt.Errorf("removing it: %w", err)
	}
	return nil
}

// leave removes the sign of life of a server or runner, if NATS is reachable.
func (s *Store) leave(ctx context.Context, key string) {
	err := s.once(context.WithoutCancel(ctx), func(ctx context.Context) error { return purge(ctx, s.aliveStream(), s.key("agent-alive", key), 0) })
	if err != nil {
		s.opts.Log.Debug("until its lease is over, others take this program for alive", slog.Any("error", err))
	}
}
