package storetest

import (
	"bytes"
	"context"
	"sync"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/transport/httpserver"
)

// Memory is a httpserver.Shared in memory. It has no limits and no expiry, so it
// is for tests only. The zero value is ready.
type Memory struct {
	mu       sync.Mutex
	version  uint64
	sessions map[string]stored
	events   map[httpserver.EventStream][]httpserver.KeptEvent
	members  map[string]*member
}

type stored struct {
	record  []byte
	version uint64
}

// member is a Handler that has joined.
type member struct {
	receive func(ctx context.Context, message []byte) []byte
	running group.Group
	ctx     context.Context
	stop    context.CancelFunc
}

var _ httpserver.Shared = (*Memory)(nil)

// CreateSession implements httpserver.SessionStore.
func (m *Memory) CreateSession(_ context.Context, id string, record []byte) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if _, there := m.sessions[id]; there {
		return 0, httpserver.ErrSessionChanged
	}
	return m.put(id, record), nil
}

func (m *Memory) put(id string, record []byte) uint64 {
	if m.sessions == nil {
		m.sessions = make(map[string]stored)
	}
	m.version++
	m.sessions[id] = stored{bytes.Clone(record), m.version}
	return m.version
}

// LoadSession implements httpserver.SessionStore.
func (m *Memory) LoadSession(_ context.Context, id string) ([]byte, uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s, there := m.sessions[id]
	if !there {
		return nil, 0, httpserver.ErrNoSession
	}
	return bytes.Clone(s.record), s.version, nil
}

// UpdateSession implements httpserver.SessionStore.
func (m *Memory) UpdateSession(_ context.Context, id string, record []byte, version uint64) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch s, there := m.sessions[id]; {
	case !there:
		return 0, httpserver.ErrNoSession
	case s.version != version:
		return 0, httpserver.ErrSessionChanged
	}
	return m.put(id, record), nil
}

// DeleteSession implements httpserver.SessionStore.
func (m *Memory) DeleteSession(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.sessions, id)
	return nil
}

// Append implements httpserver.EventStore.
func (m *Memory) Append(_ context.Context, stream httpserver.EventStream, event httpserver.KeptEvent) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	events := m.events[stream]
	for _, e := range events {
		if e.Seq == event.Seq {
			return httpserver.ErrEventTaken
		}
	}
	if m.events == nil {
		m.events = make(map[httpserver.EventStream][]httpserver.KeptEvent)
	}
	event.Data = bytes.Clone(event.Data)
	m.events[stream] = append(events, event)
	return nil
}

// After implements httpserver.EventStore.
func (m *Memory) After(_ context.Context, stream httpserver.EventStream, seq int64) ([]httpserver.KeptEvent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var after []httpserver.KeptEvent
	for _, e := range m.events[stream] {
		if e.Seq > seq {
			after = append(after, e)
		}
	}
	if len(m.events[stream]) == 0 || len(after) > 0 && after[0].Seq != seq+1 {
		return nil, httpserver.ErrEventsLost
	}
	return after, nil
}

// Forget implements httpserver.EventStore.
func (m *Memory) Forget(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for stream := range m.events {
		if stream.Session == session {
			delete(m.events, stream)
		}
	}
	return nil
}

// Join implements httpserver.Relay.
func (m *Memory) Join(name string, receive func(ctx context.Context, message []byte) []byte) (leave func(), err error) {
	joined := &member{receive: receive}
	joined.ctx, joined.stop = context.WithCancel(context.Background())
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.members == nil {
		m.members = make(map[string]*member)
	}
	m.members[name] = joined
	return func() {
		m.Lose(name)
		joined.running.Wait()
	}, nil
}

// Lose makes a Handler disappear for the others, as if its machine had.
func (m *Memory) Lose(name string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if lost := m.members[name]; lost != nil {
		lost.stop()
		delete(m.members, name)
	}
}

// Names are the Handlers that have joined.
func (m *Memory) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	for name := range m.members {
		names = append(names, name)
	}
	return names
}

// Tell implements httpserver.Relay.
func (m *Memory) Tell(name string, message []byte) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for other, to := range m.members {
		if name == "" || name == other {
			own := bytes.Clone(message)
			to.running.Go(func() { to.receive(to.ctx, own) })
		}
	}
	return nil
}

// Ask implements httpserver.Relay.
func (m *Memory) Ask(ctx context.Context, name string, message []byte) ([]byte, error) {
	m.mu.Lock()
	to := m.members[name]
	if to == nil {
		m.mu.Unlock()
		return nil, httpserver.ErrNoHandler
	}
	reply, own := make(chan []byte, 1), bytes.Clone(message)
	to.running.Go(func() { reply <- to.receive(ctx, own) })
	m.mu.Unlock()
	select {
	case r := <-reply:
		return r, nil
	case <-to.ctx.Done():
		return nil, httpserver.ErrNoHandler
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}
