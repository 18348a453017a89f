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

// MemoryOptions limit the records of a Memory. Zero values select the defaults.
type MemoryOptions struct {
	// MaxAgents is the number of agents. Above it, the oldest ended agents are removed. Default
	// 10,000.
	MaxAgents int
	// MaxEvents is the number of events in the log, default 10,000. MaxEventBytes limits their
	// data, default 32 MiB.
	MaxEvents     int
	MaxEventBytes int
	// MaxTextBytes is the stored size of each stream of an agent except Raw. Default 256 KiB.
	MaxTextBytes int
	// MaxRawBytes is the size of the temporary file for the Raw stream of an agent. Default 20 MiB.
	// About one more MiB of its end stays in memory.
	MaxRawBytes int64
	// MaxWriters is the number of agents whose output is stored: the ones that wrote last. Default
	// 200.
	MaxWriters int
	// Dir is the directory of temporary files; empty is that of the system. They are removed when
	// the process ends.
	Dir string
}

// setDefaults replaces zero and negative values.
func (o *MemoryOptions) setDefaults() {
	for _, number := range []struct {
		is  *int
		if0 int
	}{{&o.MaxAgents, 10_000}, {&o.MaxEvents, 10_000}, {&o.MaxEventBytes, 32 << 20}, {&o.MaxTextBytes, 256 << 10}, {&o.MaxWriters, 200}} {
		if *number.is <= 0 {
			*number.is = number.if0
		}
	}
	if o.MaxRawBytes <= 0 {
		o.MaxRawBytes = 20 << 20
	}
}

// Memory is a Store, a Log and Outputs in memory. Its content is lost with the process. It is safe
// for concurrent use.
type Memory struct {
	options MemoryOptions
	log     memoryLog
	outputs memoryOutputs

	mu     sync.Mutex
	closed bool
	groups orderedMap[Group]
	agents orderedMap[Agent]
}

var (
	_ Store   = (*Memory)(nil)
	_ Log     = (*memoryLog)(nil)
	_ Outputs = (*memoryOutputs)(nil)
)

// NewMemory returns an empty Memory.
func NewMemory(o MemoryOptions) *Memory {
	o.setDefaults()
	m := &Memory{options: o}
	m.log.maxEvents, m.log.maxBytes = o.MaxEvents, o.MaxEventBytes
	m.outputs.options = o
	m.outputs.spool = spool.Options{Max: o.MaxRawBytes, Dir: o.Dir}
	return m
}

// Log returns the log. The events that it yields share their Data, which must not be changed.
func (m *Memory) Log() Log { return &m.log }

// Outputs returns the outputs.
func (m *Memory) Outputs() Outputs { return &m.outputs }

// errClosed is returned after Close.
var errClosed = errors.New("the store is closed")

// Close removes all records and temporary files. Readers of the log receive the stored events, and
// then end.
func (m *Memory) Close() error {
	m.mu.Lock()
	m.closed, m.groups, m.agents = true, orderedMap[Group]{}, orderedMap[Agent]{}
	m.mu.Unlock()
	m.log.close()
	return m.outputs.close()
}

// lock locks m.mu, or returns an error if ctx has ended or m is closed.
func (m *Memory) lock(ctx context.Context) error {
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

// orderedMap holds records by identifier, in the order of their creation. Stored values are
// replaced and never modified.
type orderedMap[T any] struct {
	byID map[string]*T
	ids  []string
}

func (o *orderedMap[T]) put(id string, v *T) {
	if o.byID == nil {
		o.byID = map[string]*T{}
	}
	if o.byID[id] == nil {
		o.ids = append(o.ids, id)
	}
	o.byID[id] = v
}

// removeFirst removes and returns the first record for which fits returns true.
func (o *orderedMap[T]) removeFirst(fits func(*T) bool) (removed *T) {
	i := slices.IndexFunc(o.ids, func(id string) bool { return fits(o.byID[id]) })
	if i < 0 {
		return nil
	}
	removed = o.byID[o.ids[i]]
	delete(o.byID, o.ids[i])
	o.ids = slices.Delete(o.ids, i, i+1)
	return removed
}

// CreateGroup implements Store.
func (m *Memory) CreateGroup(ctx context.Context, g Group) error {
	if err := m.lock(ctx); err != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, err)
	}
	defer m.mu.Unlock()
	if m.groups.byID[g.ID] != nil {
		return fmt.Errorf("creating the group %s: %w", g.ID, ErrExists)
	}
	g.AgentIDs = []string{}
	m.groups.put(g.ID, &g)
	if len(m.groups.ids) > m.options.MaxAgents {
		m.groups.removeFirst(func(g *Group) bool { return g.Status != GroupActive && len(g.AgentIDs) == 0 })
	}
	return nil
}

// UpdateGroup implements Store. change may call methods of m.
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

// UpdateAgent implements Store. change may call methods of m.
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

// update calls change without holding the lock. It starts over if the record was replaced
// meanwhile.
func update[T any](ctx context.Context, m *Memory, all *orderedMap[T], id string, change func(T) (T, error), clone func(T) T, what string) (T, error) {
	var none T
	for {
		if err := m.lock(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		old := all.byID[id]
		m.mu.Unlock()
		if old == nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, ErrNotFound)
		}
		changed, err := change(*old)
		if err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		kept := clone(changed)
		if err := m.lock(ctx); err != nil {
			return none, fmt.Errorf("changing the %s %s: %w", what, id, err)
		}
		same := all.byID[id] == old
		if same {
			all.byID[id] = &kept
		}
		m.mu.Unlock()
		if same {
			return changed, nil
		}
	}
}

// Group implements Store.
func (m *Memory) Group(ctx context.Context, id string) (Group, error) {
	if err := m.lock(ctx); err != nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, err)
	}
	g := m.groups.byID[id]
	m.mu.Unlock()
	if g == nil {
		return Group{}, fmt.Errorf("reading the group %s: %w", id, ErrNotFound)
	}
	return g.Clone(), nil
}

// Groups implements Store.
func (m *Memory) Groups(ctx context.Context, deleted bool) ([]Group, error) {
	if err := m.lock(ctx); err != nil {
		return nil, fmt.Errorf("reading the groups: %w", err)
	}
	defer m.mu.Unlock()
	var groups []Group
	for _, id := range m.groups.ids {
		if g := m.groups.byID[id]; deleted || g.Status == GroupActive {
			groups = append(groups, g.Clone())
		}
	}
	return groups, nil
}

// CreateAgent implements Store.
func (m *Memory) CreateAgent(ctx context.Context, a Agent) error {
	if err := m.lock(ctx); err != nil {
		return fmt.Errorf("creating the agent %s: %w", a.ID, err)
	}
	defer m.mu.Unlock()
	g := m.groups.byID[a.GroupID]
	switch {
	case m.agents.byID[a.ID] != nil:
		return fmt.Errorf("creating the agent %s: %w", a.ID, ErrExists)
	case g == nil || g.Status != GroupActive:
		return fmt.Errorf("creating the agent %s in the group %s: %w", a.ID, a.GroupID, ErrNotFound)
	}
	a = a.Clone()
	m.agents.put(a.ID, &a)
	grown := g.Clone()
	grown.AgentIDs = append(grown.AgentIDs, a.ID)
	m.groups.byID[g.ID] = &grown
	if len(m.agents.ids) > m.options.MaxAgents {
		m.removeOldest()
	}
	return nil
}

// removeOldest removes the oldest ended agent, and its group if the group is deleted and has no
// other agent.
func (m *Memory) removeOldest() {
	a := m.agents.removeFirst(func(a *Agent) bool { return a.Status.Ended() })
	if a == nil {
		return
	}
	if g := m.groups.byID[a.GroupID]; g != nil {
		smaller := g.Clone()
		smaller.AgentIDs = slices.DeleteFunc(smaller.AgentIDs, func(id string) bool { return id == a.ID })
		m.groups.byID[g.ID] = &smaller
		if len(smaller.AgentIDs) == 0 && smaller.Status != GroupActive {
			m.groups.removeFirst(func(g *Group) bool { return g.ID == smaller.ID })
		}
	}
}

// Agent implements Store.
func (m *Memory) Agent(ctx context.Context, id string) (Agent, error) {
	if err := m.lock(ctx); err != nil {
		return Agent{}, fmt.Errorf("reading the agent %s: %w", id, err)
	}
	a := m.agents.byID[id]
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

// candidates returns the agents of a group, or all for an empty group.
func (m *Memory) candidates(ctx context.Context, group string) ([]*Agent, error) {
	if err := m.lock(ctx); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	ids := m.agents.ids
	if group != "" {
		ids = nil
		if g := m.groups.byID[group]; g != nil {
			ids = g.AgentIDs
		}
	}
	all := make([]*Agent, 0, len(ids))
	for _, id := range ids {
		if a := m.agents.byID[id]; a != nil {
			all = append(all, a)
		}
	}
	return all, nil
}

// memoryLog stores the newest events in events[first:]. Old events are removed in batches to avoid
// moving the slice with each event.
type memoryLog struct {
	maxEvents, maxBytes int

	mu       sync.Mutex
	events   []Event
	first    int
	last     int64
	size     int           // bytes of the stored data
	appended chan struct{} // closed by the next Append; nil without a waiting reader
	closed   bool
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
	for kept := len(l.events) - l.first; kept > l.maxEvents || kept > 1 && l.size > l.maxBytes; kept-- {
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

// wake notifies the waiting readers.
func (l *memoryLog) wake() {
	if l.appended != nil {
		close(l.appended)
		l.appended = nil
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

// read copies events from next on into batch. Without events it returns a channel that is closed by
// the next one, or nil if the log is closed.
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
	if l.appended == nil {
		l.appended = make(chan struct{})
	}
	return 0, l.appended, nil
}

func (l *memoryLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
	l.wake()
}

// memoryOutputs stores the end of the streams of agents, and the beginning of Raw streams.
type memoryOutputs struct {
	options MemoryOptions
	spool   spool.Options

	mu            sync.Mutex
	agents        map[string]*agentOutput
	recentWriters []string // agents with stored output, the most recent last
	closed        bool
}

// agentOutput is the output of one agent.
type agentOutput struct {
	tails map[Stream]*tail
	raw   *spool.Spool
	// rawBase is the number of Raw bytes that were written before the current spool.
	rawBase int64
}

// Append implements Outputs.
func (m *memoryOutputs) Append(ctx context.Context, agentID string, s Stream, p []byte) error {
	if ctx.Err() != nil {
		return fmt.Errorf("storing output of the agent %s: %w", agentID, context.Cause(ctx))
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return fmt.Errorf("storing output of the agent %s: %w", agentID, errClosed)
	}
	if len(p) == 0 {
		return nil
	}
	w, err := m.touch(agentID)
	if s == Raw {
		if w.raw == nil {
			w.raw = spool.New(m.spool)
		}
		w.raw.Append(spool.Stdout, p)
		return err
	}
	if w.tails[s] == nil {
		w.tails[s] = &tail{limit: m.options.MaxTextBytes}
	}
	w.tails[s].append(p)
	return err
}

// touch returns the output of an agent and makes it the most recent writer. It may discard the
// output of the oldest one.
func (m *memoryOutputs) touch(agentID string) (w *agentOutput, err error) {
	if last := len(m.recentWriters) - 1; last >= 0 && m.recentWriters[last] == agentID {
		return m.agents[agentID], nil
	}
	for i, id := range m.recentWriters {
		if id == agentID {
			copy(m.recentWriters[i:], m.recentWriters[i+1:])
			m.recentWriters[len(m.recentWriters)-1] = agentID
			return m.agents[agentID], nil
		}
	}
	if m.agents == nil {
		m.agents = map[string]*agentOutput{}
	}
	w = m.agents[agentID]
	if w == nil {
		w = &agentOutput{tails: map[Stream]*tail{}}
		m.agents[agentID] = w
	}
	if m.recentWriters = append(m.recentWriters, agentID); len(m.recentWriters) > m.options.MaxWriters {
		err = m.agents[m.recentWriters[0]].discard()
		m.recentWriters = m.recentWriters[:copy(m.recentWriters, m.recentWriters[1:])]
	}
	return w, err
}

// discard removes the content and keeps its size.
func (w *agentOutput) discard() error {
	for _, t := range w.tails {
		t.discard()
	}
	if w.raw == nil {
		return nil
	}
	w.rawBase += w.raw.Size(spool.Stdout)
	err := w.raw.Close()
	w.raw = nil
	if err != nil {
		return fmt.Errorf("removing old output: %w", err)
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
		return ReadRange(w.rawSize(), offset, length, w.readRaw), nil
	}
	if t := w.tails[s]; t != nil {
		return ReadRange(t.end(), offset, length, t.read), nil
	}
	return Output{}, nil
}

func (w *agentOutput) rawSize() int64 {
	if w.raw == nil {
		return w.rawBase
	}
	return w.rawBase + w.raw.Size(spool.Stdout)
}

func (w *agentOutput) readRaw(offset int64, n int) ([]byte, int64) {
	if w.raw == nil {
		return nil, w.rawBase
	}
	p, at := w.raw.Read(spool.Stdout, max(0, offset-w.rawBase), n)
	return p, w.rawBase + at
}

func (m *memoryOutputs) close() (err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, w := range m.agents {
		err = errors.Join(err, w.discard())
	}
	m.closed, m.agents, m.recentWriters = true, nil, nil
	return err
}

// tail stores the end of a stream.
type tail struct {
	limit int
	data  []byte // up to 2*limit bytes, so that it is moved rarely
	base  int64  // offset of data
}

func (t *tail) end() int64 { return t.base + int64(len(t.data)) }

func (t *tail) append(p []byte) {
	if excess := len(p) - t.limit; excess > 0 {
		t.discard()
		t.base += int64(excess)
		p = p[excess:]
	}
	if len(t.data)+len(p) > 2*t.limit {
		excess := len(t.data) + len(p) - t.limit
		t.data = t.data[:copy(t.data, t.data[excess:])]
		t.base += int64(excess)
	}
	t.data = append(t.data, p...)
}

func (t *tail) discard() { t.base, t.data = t.end(), nil }

func (t *tail) read(offset int64, n int) (p []byte, at int64) {
	begin := max(t.base, t.end()-int64(t.limit))
	at = min(max(offset, begin), t.end())
	p = t.data[at-t.base:]
	return p[:min(n, len(p))], at
}
