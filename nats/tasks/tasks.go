package tasks

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/mcp/tasks"
	"github.com/dougu-go/dougu/nats/internal/kept"
)

// Codes with which JetStream says that there is no room.
const (
	codeAccountLimit  = 10002
	codeNoMemory      = 10028
	codeNoStorage     = 10047
	codeStoreFailed   = 10077
	codeTooLarge      = 10054
	storeFailedByFull = "maximum bytes"
)

// Create implements tasks.Store. That ids are different is up to chance when two are
// created at the same moment for different principals.
func (s *Store) Create(ctx context.Context, r tasks.Record, most tasks.Limits) error {
	if err := s.fits(&r); err != nil {
		return fmt.Errorf("creating a task: %w", err)
	}
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	id, principal := kept.Key(r.ID), kept.Key(r.Principal)
	info, err := s.tasks().Info(ctx, jetstream.WithSubjectFilter(s.subject("*", principal)))
	switch {
	case err != nil:
		return s.conn.Failed("counting tasks", err)
	case info.State.Msgs >= uint64(max(most.Total, 0)):
		return &tasks.LimitError{Most: most.Total}
	case len(info.State.Subjects) >= most.PerPrincipal:
		return &tasks.LimitError{Most: most.PerPrincipal, PerPrincipal: true}
	}
	switch _, err := s.tasks().GetLastMsgForSubject(ctx, s.subject(id, "*")); {
	case err == nil:
		return fmt.Errorf("creating a task: %w", tasks.ErrConflict)
	case !errors.Is(err, jetstream.ErrMsgNotFound):
		return s.conn.Failed("looking for a task", err)
	}
	return s.put(ctx, "creating a task", message(s.subject(id, principal), &r), 0)
}

// put replaces the message with sequence last, if it is still the last of its subject.
func (s *Store) put(ctx context.Context, doing string, m *nats.Msg, last uint64) error {
	_, err := s.conn.JS.PublishMsg(ctx, m, jetstream.WithExpectLastSequencePerSubject(last), jetstream.WithRetryAttempts(0))
	switch {
	case err == nil:
		return nil
	case kept.WrongSequence(err):
		return fmt.Errorf("%s: %w", doing, tasks.ErrConflict)
	case full(err):
		return fmt.Errorf("%s: NATS says %q: %w", doing, err, tasks.ErrFull)
	}
	return s.conn.Failed(doing, err)
}

// full reports whether NATS has no room for a message.
func full(err error) bool {
	var refused *jetstream.APIError
	if !errors.As(err, &refused) {
		return errors.Is(err, nats.ErrMaxPayload)
	}
	switch refused.ErrorCode {
	case codeAccountLimit, codeNoMemory, codeNoStorage, codeTooLarge:
		return true
	case codeStoreFailed:
		return strings.Contains(refused.Description, storeFailedByFull)
	}
	return false
}

// Get implements tasks.Store.
func (s *Store) Get(ctx context.Context, id string) (tasks.Record, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return tasks.Record{}, err
	}
	defer cancel()
	r, _, err := s.get(ctx, id)
	return r, err
}

// get returns a task and the sequence of its message.
func (s *Store) get(ctx context.Context, id string) (tasks.Record, uint64, error) {
	m, err := s.tasks().GetLastMsgForSubject(ctx, s.subject(kept.Key(id), "*"))
	switch {
	case errors.Is(err, jetstream.ErrMsgNotFound):
		return tasks.Record{}, 0, tasks.ErrNotFound
	case err != nil:
		return tasks.Record{}, 0, s.conn.Failed("reading a task", err)
	}
	r, err := recordOf(m.Header, m.Data)
	return r, m.Sequence, err
}

// Update implements tasks.Store.
func (s *Store) Update(ctx context.Context, r tasks.Record) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	was, sequence, err := s.get(ctx, r.ID)
	if err != nil {
		return err
	}
	if was.Version != r.Version-1 {
		return fmt.Errorf("changing a task: %w", tasks.ErrConflict)
	}
	r.Principal, r.Owner, r.Created = was.Principal, was.Owner, was.Created
	if err := s.fits(&r); err != nil {
		return fmt.Errorf("changing a task: %w", err)
	}
	if err := s.put(ctx, "changing a task", message(s.subject(kept.Key(r.ID), kept.Key(r.Principal)), &r), sequence); err != nil {
		return err
	}
	s.hint()
	return nil
}
