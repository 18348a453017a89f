package record

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/internal/spool"
)

// MemoryOptions bound what a Memory keeps. The zero value has the defaults.
type MemoryOptions struct {
	// Agents is how many agents are kept; beyond it the oldest that have ended are forgotten. 0 is 10,000.
	Agents int
	// Events is how many events are kept for those who follow the log, 0 is 10,000; of their data at most EventBytes are
	// kept, 0 is 32 MB.
	Events     int
	EventBytes int
	// Text is how much is kept of each stream of an agent but the raw one, in bytes; 0 is 256 KB.
	Text int
	// RawFile is how much of the raw stream of an agent goes to a temporary file, in bytes; 0 is 20 MB. About a megabyte
	// more of its end is kept in memory.
	RawFile int64
	// Writers is of how many agents the output is kept, those that have written last; 0 is 200.
	Writers int
	// Dir is where temporary files are made; empty is the system's directory for them. They are gone when the process is.
	Dir string
}

func (o *MemoryOptions) complete() {
	for _, number := range []struct {
		is  *int
		if0 int
	}{{&o.Agents, 10_000}, {&o.Events, 10_000}, {&o.EventBytes, 32 << 20}, {&o.Text, 256 << 10}, {&o.Writers, 200}} {
		if *number.is <= 0 {
			*number.is = number.if0
		}
	}
	if o.RawFile <= 0 {
		o.RawFile = 20 << 20
	}
}

// Memory is a Store, and has a Log and Outputs, for one process: with it all is gone. It may be used concurrently.
type Memory struct {
	options MemoryOptions
	log     memoryLog
	outputs memoryOutputs

	mu     sync.Mutex
	closed bool
	groups ordered[Group]
	agents ordered[Agent]
}

var (
	_ Store   = (*Memory)(nil)
	_ Log     = (*memoryLog)(nil)
	_ Outputs = (*memoryOutputs)(nil)
)

// NewMemory makes a Memory that is empty.
func NewMemory(o MemoryOptions) *Memory {
	o.complete()
	m := &Memory{options: o}
	m.log.most, m.log.mostBytes = o.Events, o.EventBytes
	m.outputs.options = o
	m.outputs.spool = spool.Options{Max: o.RawFile, Dir: o.Dir}
	return m
}

// Log is the log of what happens. Events that it yields share their Data, which must not be changed.
func (m *Memory) Log() Log { return &m.log }

// Outputs is what agents write.
func (m *Memory) Outputs() Outputs { return &m.outputs }

// errClosed is the use of what was closed.
var errClosed = errors.New("it is closed")

// Close forgets all, ends those who follow the log once they have read it, and removes temporary files.
func (m *Memory) Close() error {
	m.mu.Lock()
	m.closed, m.groups, m.agents = true, ordered[Group]{}, ordered[Agent]{}
	m.mu.Unlock()
	m.log.close()
	return m.outputs.close()
}

// hold locks the records, if they may be used.
func (m *Memory) hold(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	m.mu.Lock()
	if m.closed {
		m.mu.Unlock()
		return errClosed
	}
	return nil
}

// ordered holds records by identifier, in the order in which they were made. What it points to is never changed, but
// replaced.
type ordered[T any] struct {
	by  map[string]*T
	ids []string
}

func (o *ordered[T]) put(id string, v *T) {
	if o.by == nil {
		o.by = map[string]*T{}
	}
	if o.by[id] == nil {
		o.ids = append(o.ids, id)
	}
	o.by[id] = v
}

// removeFirst removes the first record that fits, if there is one.
func (o *ordered[T]) removeFirst(fits func(*T) bool) (removed *T) {
	i := slices.IndexFunc(o.ids, func(id string) bool { return fits(o.by[id]) })
	if i < 0 {
		return nil
	}
	removed = o.by[o.ids[i]]
	delete(o.by, o.ids[i])
	o.ids = slices.Delete(o.ids, i, i+1)
	return removed
}

// CreateGroup implements Store.
func (m *Memory) CreateGroup(ctx context.Context, g Group) error {
	if err := m.hold(ctx); err != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, err)
	}
	defer m.mu.Unlock()
	if m.groups.by[g.ID] != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, ErrExists)
	}
	g.AgentIDs = []string{}
	m.groups.put(g.ID, &g)
	if len(m.groups.ids) > m.options.Agents {
		m.groups.removeFirst(func(g *Group) bool { return g.Status != GroupActive && len(g.AgentIDs) == 0 })
	}
	return nil
}

// UpdateGroup implements Store. change may use the store.
func (m *Memory) UpdateGroup(ctx context.Context, id string, change func(*Group) error) (Group, error) {
	return update(ctx, m, &m.groups, id, func(old Group) (Group, error) {
		g := old.Clone()
		if err := change(&g); err != nil {
			return Group{}, err
		}
		if g.ID != id || g.Principal != old.Principal {
			return Group{}, errors.New("the identifier and the principal of a group cannot be changed")
		}
		g.AgentIDs = slices.Clone(old.AgentIDs)
		return g, nil
	}, Group.Clone, "group")
}

// UpdateAgent implements Store. change may use the store.
func (m *Memory) UpdateAgent(ctx context.Context, id string, change func(*Agent) error) (Agent, error) {
	return update(ctx, m, &m.agents, id, func(old Agent) (Agent, error) {
		a := old.Clone()
		if err := change(&a); err != nil {
			return Agent{}, err
		}
		if a.ID != id || a.GroupID != old.GroupID || a.Principal != old.Principal {
			return Agent{}, errors.New("the identifiers and the principal of an agent cannot be changed")
		}
		a.Version = old.Version + 1
		return a, nil
	}, Agent.Clone, "agent")
}

// update changes a record without holding the others up: if it was replaced meanwhile, it is changed again.
func update[T any](ctx context.Context, m *Memory, all *ordered[T], id string, change func(T) (T, error), clone func(T) T, what string) (T, error) {
	var none T
	for {
		if err := m.hold(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		old := all.by[id]
		m.mu.Unlock()
		if old == nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, ErrNotFound)
		}
		changed, err := change(*old)
		if err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		kept := clone(changed)
		if err := m.hold(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		same := all.by[id] == old
		if same {
			all.by[id] = &kept
		}
		m.mu.Unlock()
		if same {
			return changed, nil
		}
	}
}

// Group implements Store.
func (m *Memory) Group(ctx context.Context, id string) (Group, error) {
	if err := m.hold(ctx); err != nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, err)
	}
	g := m.groups.by[id]
	m.mu.Unlock()
	if g == nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, ErrNotFound)
	}
	return g.Clone(), nil
}

// Groups implements Store.
func (m *Memory) Groups(ctx context.Context, deleted bool) ([]Group, error) {
	if err := m.hold(ctx); err != nil {
		return nil, fmt.Errorf("reading the groups: %w", err)
	}
	defer m.mu.Unlock()
	var groups []Group
	for _, id := range m.groups.ids {
		if g := m.groups.by[id]; deleted || g.Status == GroupActive {
			groups = append(groups, g.Clone())
		}
	}
	return groups, nil
}

// CreateAgent implements Store.
func (m *Memory) CreateAgent(ctx context.Context, a Agent) error {
	if err := m.hold(ctx); err != nil {
		return fmt.Errorf("creating the agent %s: %w", a.ID, err)
	}
	defer m.mu.Unlock()
	g := m.groups.by[a.GroupID]
	switch {
	case m.agents.by[a.ID] != nil:
		return fmt.Errorf("creating the agent %s: %w", a.ID, ErrExists)
	case g == nil || g.Status != GroupActive:
		return fmt.Errorf("creating the agent %s in the group %s: %w", a.ID, a.GroupID, ErrNotFound)
	}
	a = a.Clone()
	m.agents.put(a.ID, &a)
	grown := g.Clone()
	grown.AgentIDs = append(grown.AgentIDs, a.ID)
	m.groups.by[g.ID] = &grown
	if len(m.agents.ids) > m.options.Agents {
		m.forget()
	}
	return nil
}

// forget forgets the oldest agent that has ended, and its group if that is deleted and has no other.
func (m *Memory) forget() {
	a := m.agents.removeFirst(func(a *Agent) bool { return a.Status.Ended() })
	if a == nil {
		return
	}
	if g := m.groups.by[a.GroupID]; g != nil {
		smaller := g.Clone()
		smaller.AgentIDs = slices.DeleteFunc(smaller.AgentIDs, func(id string) bool { return id == a.ID })
		m.groups.by[g.ID] = &smaller
		if len(smaller.AgentIDs) == 0 && smaller.Status != GroupActive {
			m.groups.removeFirst(func(g *Group) bool { return g.ID == smaller.ID })
		}
	}
}

// Agent implements Store.
func (m *Memory) Agent(ctx context.Context, id string) (Agent, error) {
	if err := m.hold(ctx); err != nil {
		return Agent{}, fmt.Errorf("reading the agent %s: %w", id, err)
	}
	a := m.agents.by[id]
	m.mu.Unlock()
	if a == nil {
		return Agent{}, fmt.Errorf("reading the agent %s: %w", id, ErrNotFound)
	}
	return a.Clone(), nil
}

// Agents implements Store.
func (m *Memory) Agents(ctx context.Context, q Query) (Page, error) {
	all, err := m.candidates(ctx, q.GroupID)
	if err != nil {
		return Page{}, fmt.Errorf("reading the agents: %w", err)
	}
	all = slices.DeleteFunc(all, func(a *Agent) bool { return !q.Match(a) })
	if q.Newest {
		slices.Reverse(all)
	}
	page := Page{Total: len(all)}
	all = all[min(max(q.Offset, 0), len(all)):]
	if q.Limit > 0 {
		all = all[:min(q.Limit, len(all))]
	}
	for _, a := range all {
		page.Agents = append(page.Agents, a.Clone())
	}
	return page, nil
}

// candidates are the agents of a group, or all if none is named.
func (m *Memory) candidates(ctx context.Context, group string) ([]*Agent, error) {
	if err := m.hold(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	ids := m.agents.ids
	if group != "" {
		ids = nil
		if g := m.groups.by[group]; g != nil {
			ids = g.AgentIDs
		}
	}
	all := make([]*Agent, 0, len(ids))
	for _, id := range ids {
		if a := m.agents.by[id]; a != nil {
			all = append(all, a)
		}
	}
	return all, nil
}

// memoryLog keeps the newest events, which are events[first:], so that the oldest can be dropped without moving the others
// each time.
type memoryLog struct {
	most, mostBytes int

	mu     sync.Mutex
	events []Event
	first  int
	last   int64
	size   int           // of the data that is kept
	news   chan struct{} // is closed with the next event; nil while nobody waits
	closed bool
}

// Append implements Log.
func (l *memoryLog) Append(ctx context.Context, e Event) (Event, error) {
	if ctx.Err() != nil {
		return Event{}, fmt.Errorf("logging %s: %w", e.Type, context.Cause(ctx))
	}
	e.Data = bytes.Clone(e.Data)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return Event{}, fmt.Errorf("logging %s: %w", e.Type, errClosed)
	}
	if e.At.IsZero() {
		e.At = time.Now()
	}
	l.last++
	e.Seq = l.last
	l.events = append(l.events, e)
	l.size += len(e.Data)
	for kept := len(l.events) - l.first; kept > l.most || kept > 1 && l.size > l.mostBytes; kept-- {
		l.size -= len(l.events[l.first].Data)
		l.events[l.first] = Event{}
		l.first++
	}
	if l.first > len(l.events)/2 {
		l.events = append(l.events[:0], l.events[l.first:]...)
		clear(l.events[len(l.events):cap(l.events)])
		l.first = 0
	}
	l.wake()
	return e, nil
}

func (l *memoryLog) wake() {
	if l.news != nil {
		close(l.news)
		l.news = nil
	}
}

// Last implements Log.
func (l *memoryLog) Last(context.Context) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last, nil
}

// Follow implements Log.
func (l *memoryLog) Follow(ctx context.Context, after int64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		const atOnce = 64
		var batch [atOnce]Event
		for next := max(after, 0) + 1; ctx.Err() == nil; {
			n, news, err := l.read(batch[:], next)
			if err != nil {
				yield(Event{}, fmt.Errorf("following the log from %d on: %w", next, err))
				return
			}
			for _, e := range batch[:n] {
				if ctx.Err() != nil || !yield(e, nil) {
					return
				}
			}
			next += int64(n)
			switch {
			case n > 0:
			case news == nil:
				return
			default:
				select {
				case <-news:
				case <-ctx.Done():
				}
			}
		}
	}
}

// read answers events from one on, and if there are none what tells of the next; nothing if none will come.
func (l *memoryLog) read(batch []Event, next int64) (n int, news <-chan struct{}, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	kept := l.events[l.first:]
	skip := next - (l.last - int64(len(kept)) + 1)
	if skip < 0 || next > l.last+1 {
		return 0, nil, ErrGone
	}
	if n = copy(batch, kept[skip:]); n > 0 || l.closed {
		return n, nil, nil
	}
	if l.news == nil {
		l.news = make(chan struct{})
	}
	return 0, l.news, nil
}

func (l *memoryLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}

// memoryOutputs keeps the end of what agents write, of the raw stream the beginning as well.
type memoryOutputs struct {
	options MemoryOptions
	spool   spool.Options

	mu      sync.Mutex
	agents  map[string]*written
	writers []string // of which something is kept, who wrote last at the end
	closed  bool
}

// written is what one agent has written.
type written struct {
	tails map[Stream]*tail
	raw   *spool.Spool
	// before is how much of the raw stream was written before the spool was made.
	before int64
}

// Append implements Outputs.
func (m *memoryOutputs) Append(ctx context.Context, agentID string, s Stream, p []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("keeping output of the agent %s: %w", agentID, context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("keeping output of the agent %s: %w", agentID, errClosed)
	}
	if len(p) == 0 {
		return nil
	}
	w, err := m.writer(agentID)
	if s == Raw {
		if w.raw == nil {
			w.raw = spool.New(m.spool)
		}
		w.raw.Append(spool.Stdout, p)
		return err
	}
	if w.tails[s] == nil {
		w.tails[s] = &tail{most: m.options.Text}
	}
	w.tails[s].append(p)
	return err
}

// writer is what an agent has written, which has become the newest.
func (m *memoryOutputs) writer(agentID string) (w *written, err error) {
	if last := len(m.writers) - 1; last >= 0 && m.writers[last] == agentID {
		return m.agents[agentID], nil
	}
	for i, id := range m.writers {
		if id == agentID {
			copy(m.writers[i:], m.writers[i+1:])
			m.writers[len(m.writers)-1] = agentID
			return m.agents[agentID], nil
		}
	}
	if m.agents == nil {
		m.agents = map[string]*written{}
	}
	w = m.agents[agentID]
	if w == nil {
		w = &written{tails: map[Stream]*tail{}}
		m.agents[agentID] = w
	}
	if m.writers = append(m.writers, agentID); len(m.writers) > m.options.Writers {
		err = m.agents[m.writers[0]].drop()
		m.writers = m.writers[:copy(m.writers, m.writers[1:])]
	}
	return w, err
}

// drop forgets all but how much it was.
func (w *written) drop() error {
	for _, t := range w.tails {
		t.drop()
	}
	if w.raw == nil {
		return nil
	}
	w.before += w.raw.Size(spool.Stdout)
	err := w.raw.Close()
	w.raw = nil
	if err != nil {
		return fmt.Errorf("forgetting old output: %w", err)
	}
	return nil
}

// Output implements Outputs.
func (m *memoryOutputs) Output(ctx context.Context, agentID string, s Stream, offset int64, length int) (Output, error) {
	if ctx.Err() != nil {
		return Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return Output{}, fmt.Errorf("reading output of the agent %s: %w", agentID, errClosed)
	}
	w := m.agents[agentID]
	if w == nil {
		return Output{}, nil
	}
	if s == Raw {
		return Stretch(w.rawSize(), offset, length, w.readRaw), nil
	}
	if t := w.tails[s]; t != nil {
		return Stretch(t.end(), offset, length, t.read), nil
	}
	return Output{}, nil
}

func (w *written) rawSize() int64 {
	if w.raw == nil {
		return w.before
	}
	return w.before + w.raw.Size(spool.Stdout)
}

func (w *written) readRaw(offset int64, n int) ([]byte, int64) {
	if w.raw == nil {
		return nil, w.before
	}
	p, at := w.raw.Read(spool.Stdout, max(0, offset-w.before), n)
	return p, w.before + at
}

func (m *memoryOutputs) close() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.agents {
		err = errors.Join(err, w.drop())
	}
	m.closed, m.agents, m.writers = true, nil, nil
	return err
}

// tail keeps the end of what is written.
type tail struct {
	most int
	data []byte // up to twice the most, so that it is not moved each time
	base int64  // the offset of data
}

func (t *tail) end() int64 { return t.base + int64(len(t.data)) }

func (t *tail) append(p []byte) {
	if excess := len(p) - t.most; excess > 0 {
		t.drop()
		t.base += int64(excess)
		p = p[excess:]
	}
	if len(t.data)+len(p) > 2*t.most {
		excess := len(t.data) + len(p) - t.most
		t.data = t.data[:copy(t.data, t.data[excess:])]
		t.base += int64(excess)
	}
	t.data = append(t.data, p...)
}

func (t *tail) drop() { t.base, t.data = t.end(), nil }

func (t *tail) read(offset int64, n int) (p []byte, at int64) {
	begin := max(t.base, t.end()-int64(t.most))
	at = min(max(offset, begin), t.end())
	p = t.data[at-t.base:]
	return p[:min(n, len(p))], at
}
