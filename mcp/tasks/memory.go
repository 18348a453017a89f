package tasks

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

const (
	// maxMemory is the default of Memory.MaxBytes.
	maxMemory = 256 << 20
	// fullStoreAllowance is the growth in bytes that a full store still permits for a task, so that the error
	// for the missing space can be stored.
	fullStoreAllowance = 4 << 10
)

// Memory is a Store in the memory of the process. The zero value is ready for use. It is safe for
// concurrent use.
type Memory struct {
	// MaxBytes limits the size of all tasks together. Default 256 MiB. An authenticated principal
	// may use at most as many bytes as it leaves free: alone, it gets half of them. Its first task
	// is exempt.
	MaxBytes int64

	mu         sync.Mutex
	records    map[string]Record      // by id
	count      map[string]int         // number of tasks, by principal
	used       map[string]int64       // size of tasks in bytes, by principal
	owners     map[string]time.Time   // end of the lease, by runner
	bytes      int64                  // size of all tasks
	watchers   map[int64]func(Record) // functions of Watch, by number
	lastNumber int64                  // number of the last watcher
}

var _ Store = (*Memory)(nil)

// size returns the approximate size of a record in bytes.
func (r *Record) size() int64 {
	const beside = 256
	return int64(len(r.ID)+len(r.Principal)+len(r.Data)) + beside
}

// hasRoom reports whether the tasks of a principal may grow by more bytes. The caller holds the lock.
func (m *Memory) hasRoom(principal string, more int64) bool {
	free, used := cmp.Or(max(m.MaxBytes, 0), maxMemory)-m.bytes-more, m.used[principal]
	return free >= 0 && (principal == "" || used == 0 || used+more <= free)
}

// addBytes adds to the size of a principal's tasks. The caller holds the lock.
func (m *Memory) addBytes(principal string, more int64) {
	m.bytes += more
	if m.used[principal] += more; m.used[principal] == 0 {
		delete(m.used, principal)
	}
}

// Create implements Store.
func (m *Memory) Create(_ context.Context, r Record, most Limits) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case len(m.records) >= most.Total:
		return &LimitError{Most: most.Total}
	case m.count[r.Principal] >= most.PerPrincipal:
		return &LimitError{Most: most.PerPrincipal, PerPrincipal: true}
	case !m.hasRoom(r.Principal, r.size()):
		return ErrFull
	}
	if _, there := m.records[r.ID]; there {
		return ErrConflict
	}
	if m.records == nil {
		m.records, m.count, m.used = make(map[string]Record), make(map[string]int), make(map[string]int64)
	}
	m.records[r.ID] = r
	m.count[r.Principal]++
	m.addBytes(r.Principal, r.size())
	return nil
}

// Get implements Store.
func (m *Memory) Get(_ context.Context, id string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.records[id]
	if !ok {
		return r, ErrNotFound
	}
	return r, nil
}

// Update implements Store.
func (m *Memory) Update(_ context.Context, r Record) error {
	watchers, err := m.update(r)
	for _, changed := range watchers {
		changed(r)
	}
	return err
}

// update replaces a record and returns the watchers to call without the lock.
func (m *Memory) update(r Record) ([]func(Record), error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	was, ok := m.records[r.ID]
	more := r.size() - was.size()
	switch {
	case !ok:
		return nil, ErrNotFound
	case was.Version != r.Version-1:
		return nil, ErrConflict
	case more > fullStoreAllowance && !m.hasRoom(was.Principal, more):
		return nil, ErrFull
	}
	m.records[r.ID] = r
	m.addBytes(was.Principal, more)
	return slices.Collect(maps.Values(m.watchers)), nil
}

// List implements Store.
func (m *Memory) List(_ context.Context, principal string, after Position, n int) ([]Record, error) {
	m.mu.Lock()
	var all []Record
	for _, r := range m.records {
		if r.Principal == principal && after.before(&r) {
			all = append(all, r)
		}
	}
	m.mu.Unlock()
	slices.SortFunc(all, func(a, b Record) int {
		return cmp.Or(a.Created.Compare(b.Created), strings.Compare(a.ID, b.ID))
	})
	return all[:min(n, len(all))], nil
}

// before reports whether the record comes after p in the list.
func (p Position) before(r *Record) bool {
	return cmp.Or(p.Created.Compare(r.Created), strings.Compare(p.ID, r.ID)) < 0
}

// Sweep implements Store.
func (m *Memory) Sweep(_ context.Context, now time.Time) (next time.Time, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.records {
		switch {
		case !r.Expires.After(now):
			m.remove(id, &r)
		case next.IsZero() || r.Expires.Before(next):
			next = r.Expires
		}
	}
	maps.DeleteFunc(m.owners, func(_ string, until time.Time) bool { return until.Before(now) })
	return next, nil
}

// remove removes a record. The caller holds the lock.
func (m *Memory) remove(id string, r *Record) {
	delete(m.records, id)
	m.addBytes(r.Principal, -r.size())
	if m.count[r.Principal]--; m.count[r.Principal] == 0 {
		delete(m.count, r.Principal)
	}
}

// Beat implements Store.
func (m *Memory) Beat(_ context.Context, owner string, until time.Time) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.owners == nil {
		m.owners = make(map[string]time.Time)
	}
	m.owners[owner] = until
	return nil
}

// Orphans implements Store.
func (m *Memory) Orphans(_ context.Context, now time.Time) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []string
	for id, r := range m.records {
		if !r.Ended && m.owners[r.Owner].Before(now) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// Watch implements Store.
func (m *Memory) Watch(changed func(Record)) (stop func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lastNumber++
	number := m.lastNumber
	if m.watchers == nil {
		m.watchers = make(map[int64]func(Record))
	}
	m.watchers[number] = changed
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.watchers, number)
	}, nil
}
