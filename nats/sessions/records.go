package sessions

import (
	"context"
	"errors"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/dougu-go/dougu/transport/httpserver"
)

// CreateSession implements httpserver.SessionStore.
func (s *Store) CreateSession(ctx context.Context, id string, record []byte) (uint64, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	records, _ := s.streams()
	version, err := records.Create(ctx, key(id), record)
	if err != nil {
		return 0, s.failed("keeping the record of a session", err)
	}
	return version, nil
}

// LoadSession implements httpserver.SessionStore.
func (s *Store) LoadSession(ctx context.Context, id string) ([]byte, uint64, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return nil, 0, err
	}
	defer cancel()
	records, _ := s.streams()
	entry, err := records.Get(ctx, key(id))
	switch {
	case errors.Is(err, jetstream.ErrKeyNotFound):
		return nil, 0, httpserver.ErrNoSession
	case err != nil:
		return nil, 0, s.failed("reading the record of a session", err)
	}
	return entry.Value(), entry.Revision(), nil
}

// UpdateSession implements httpserver.SessionStore.
func (s *Store) UpdateSession(ctx context.Context, id string, record []byte, version uint64) (uint64, error) {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer cancel()
	records, _ := s.streams()
	newer, err := records.Update(ctx, key(id), record, version)
	switch {
	case errors.Is(err, jetstream.ErrKeyRevisionMismatch):
		return 0, httpserver.ErrSessionChanged
	case err != nil:
		return 0, s.failed("changing the record of a session", err)
	}
	return newer, nil
}

// DeleteSession implements httpserver.SessionStore.
func (s *Store) DeleteSession(ctx context.Context, id string) error {
	ctx, cancel, err := s.begin(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	records, _ := s.streams()
	if err := records.Purge(ctx, key(id)); err != nil {
		return s.failed("dropping the record of a session", err)
	}
	return nil
}
