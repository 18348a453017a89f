package record

import (
	"context"
	"errors"
	"sync"

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
