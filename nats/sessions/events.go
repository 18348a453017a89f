package sessions

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/nats/internal/kept"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// Each event has a subject of its own, so that NATS refuses a second one of the
// same number.

func (s *Store) eventSubject(stream httpserver.EventStream, last string) string {
	return s.subject("event." + key(stream.Session) + "." + strconv.FormatInt(stream.Number, 10) + "." + last)
}

// Append implements httpserver.EventStore.
func (s *Store) Append(ctx context.Context, stream httpserver.EventStream, event httpserver.KeptEvent) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	m := nats.NewMsg(s.eventSubject(stream, strconv.FormatInt(event.Seq, 10)))
	if err := s.pack(ctx, key(stream.Session), m, event.Data); err != nil {
		return err
	}
	_, err = s.js.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(0), jetstream.WithRetryAttempts(0))
	switch {
	case kept.WrongSequence(err):
		return httpserver.ErrEventTaken
	case err != nil:
		return s.failed("keeping an event", err)
	}
	return nil
}

// After implements httpserver.EventStore.
func (s *Store) After(ctx context.Context, stream httpserver.EventStream, seq int64) ([]httpserver.KeptEvent, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	_, stored := s.streams()
	all := s.eventSubject(stream, "*")
	newest, err := stored.GetLastMsgForSubject(ctx, all)
	if err != nil {
		return nil, s.lost(err)
	}
	last, err := seqOf(newest)
	if err != nil || last <= seq {
		return nil, err
	}
	m := newest
	if last > seq+1 {
		if m, err = stored.GetLastMsgForSubject(ctx, s.eventSubject(stream, strconv.FormatInt(seq+1, 10))); err != nil {
			return nil, s.lost(err)
		}
	}
	var events []httpserver.KeptEvent
	for {
		e, err := s.event(ctx, m)
		if err != nil {
			return nil, err
		}
		if events = append(events, e); e.Seq >= last {
			return events, nil
		}
		if m, err = stored.GetMsg(ctx, m.Sequence+1, jetstream.WithGetMsgSubject(all)); err != nil {
			return nil, s.lost(err)
		}
	}
}

// event reads an event from the message that it is kept in.
func (s *Store) event(ctx context.Context, m *jetstream.RawStreamMsg) (httpserver.KeptEvent, error) {
	seq, err := seqOf(m)
	if err != nil {
		return httpserver.KeptEvent{}, err
	}
	data, err := s.unpack(ctx, m.Header, m.Data)
	return httpserver.KeptEvent{Seq: seq, Data: data}, err
}

// seqOf is the number of an event, which is the end of its subject.
func seqOf(m *jetstream.RawStreamMsg) (int64, error) {
	seq, err := strconv.ParseInt(m.Subject[strings.LastIndexByte(m.Subject, '.')+1:], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("reading an event: %w", err)
	}
	return seq, nil
}

// lost is the error for an event that could not be read.
func (s *Store) lost(err error) error {
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return httpserver.ErrEventsLost
	}
	return s.failed("reading an event", err)
}

// Forget implements httpserver.EventStore.
func (s *Store) Forget(ctx context.Context, session string) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	_, stored := s.streams()
	for _, kind := range []string{"event.", "part."} {
		if err := stored.Purge(ctx, jetstream.WithPurgeSubject(s.subject(kind+key(session)+".>"))); err != nil {
			return s.failed("dropping the events of a session", err)
		}
	}
	return nil
}
