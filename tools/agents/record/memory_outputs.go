package record

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dougu-go/dougu/tools/internal/spool"
)

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
