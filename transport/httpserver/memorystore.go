package httpserver

import (
	"context"
	"sync"
	"time"
)

// MemoryOptions are the limits of an EventStore in memory. Nil and fields that
// are not positive select the defaults.
type MemoryOptions struct {
	// Events is the largest number of events of one session. Default 1024.
	Events int
	// Bytes is the largest size of the events of one session. Default 16 MiB.
	Bytes int
	// TotalBytes is the largest size of the events of all sessions together.
	// Beyond it the session with the oldest latest event loses its events first.
	// Default 256 MiB.
	TotalBytes int
	// Age is the time after which an event is dropped. Default 30 minutes.
	Age time.Duration
}

// NewMemoryStore returns an EventStore in memory. opts may be nil.
func NewMemoryStore(opts *MemoryOptions) EventStore {
	m := &memoryStore{sessions: make(map[string]*keptSession)}
	if opts != nil {
		m.opts = *opts
	}
	orElse(&m.opts.Events, 1024)
	orElse(&m.opts.Bytes, 16<<20)
	orElse(&m.opts.TotalBytes, 256<<20)
	orElse(&m.opts.Age, 30*time.Minute)
	return m
}

// memoryStore keeps the events of each session in the order in which they came,
// and the sessions in the order in which they were last added to.
type memoryStore struct {
	opts MemoryOptions

	mu       sync.Mutex
	sessions map[string]*keptSession
	order    queue[keptSession, *keptSession]
	bytes    int
}

// keptSession holds the stored events of one session.
type keptSession struct {
	links[keptSession]
	id      string
	events  []keptEvent // the oldest first
	bytes   int
	streams map[int64]keptStream
}

// keptStream says which events of a stream are kept.
type keptStream struct {
	first int64
	count int
}

type keptEvent struct {
	KeptEvent
	stream int64
	at     time.Time
}

// Append implements EventStore.
func (m *memoryStore) Append(_ context.Context, stream EventStream, event KeptEvent) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	s := m.sessions[stream.Session]
	if s == nil {
		s = &keptSession{id: stream.Session, streams: make(map[int64]keptStream)}
		m.sessions[s.id] = s
	} else {
		m.order.remove(s)
	}
	m.order.add(s)
	kept := s.streams[stream.Number]
	if kept.count == 0 {
		kept.first = event.Seq
	}
	kept.count++
	s.streams[stream.Number] = kept
	event.Data = append([]byte(nil), event.Data...)
	s.events = append(s.events, keptEvent{KeptEvent: event, stream: stream.Number, at: now})
	s.bytes += len(event.Data)
	m.bytes += len(event.Data)
	for len(s.events) > m.opts.Events || s.bytes > m.opts.Bytes {
		m.dropFirst(s)
	}
	m.age(s, now)
	m.expire(now)
	return nil
}

// age drops events of a session that are older than MemoryOptions.Age.
func (m *memoryStore) age(s *keptSession, now time.Time) {
	for len(s.events) > 0 && now.Sub(s.events[0].at) > m.opts.Age {
		m.dropFirst(s)
	}
}

// expire drops old events, and the events beyond MemoryOptions.TotalBytes.
func (m *memoryStore) expire(now time.Time) {
	for s := m.order.first; s != nil; s = m.order.first {
		for len(s.events) > 0 && m.bytes > m.opts.TotalBytes {
			m.dropFirst(s)
		}
		if m.age(s, now); len(s.events) > 0 {
			return
		}
		m.forget(s)
	}
}

// dropFirst drops the oldest event of a session.
func (m *memoryStore) dropFirst(s *keptSession) {
	e := &s.events[0]
	if kept := s.streams[e.stream]; kept.count > 1 {
		s.streams[e.stream] = keptStream{first: e.Seq + 1, count: kept.count - 1}
	} else {
		delete(s.streams, e.stream)
	}
	s.bytes -= len(e.Data)
	m.bytes -= len(e.Data)
	*e = keptEvent{}
	s.events = s.events[1:]
}

// After implements EventStore.
func (m *memoryStore) After(_ context.Context, stream EventStream, seq int64) ([]KeptEvent, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := m.sessions[stream.Session]
	if s == nil {
		return nil, ErrEventsLost
	}
	m.age(s, time.Now())
	if kept := s.streams[stream.Number]; kept.count == 0 || kept.first > seq+1 {
		return nil, ErrEventsLost
	}
	var events []KeptEvent
	for i := range s.events {
		if e := &s.events[i]; e.stream == stream.Number && e.Seq > seq {
			events = append(events, e.KeptEvent)
		}
	}
	return events, nil
}

// Forget implements EventStore.
func (m *memoryStore) Forget(_ context.Context, session string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := m.sessions[session]; s != nil {
		m.forget(s)
	}
	return nil
}

func (m *memoryStore) forget(s *keptSession) {
	delete(m.sessions, s.id)
	m.bytes -= s.bytes
	m.order.remove(s)
}
