package walk

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/internal/rootfs"
)

const (
	// batchSize is how many entries of a directory are visited by one worker while another reads on.
	batchSize = 64
	// queueSize is how many directories and batches wait for each worker. Each may hold a directory open.
	queueSize = 4
)

// pool walks with several goroutines. A worker that finds a directory, or many entries in one, leaves them to other workers that
// may soon have nothing to do, and goes on by itself otherwise. So at most as many directories are open as there are levels for each
// worker, and no directory is held in memory as a whole.
type pool struct {
	*walker
	queue   chan batch
	pending atomic.Int64 // batches that are not finished, with the batches that make more of them
	quit    chan struct{}

	once     sync.Once
	err      error
	mu       sync.Mutex
	panicked *visitPanic
}

// batch is a part of the work: entries of a directory that are to be visited, or all that are still to be read if it has none.
type batch struct {
	dir     *directory
	entries []rootfs.Entry
}

// visitPanic is the value with which visit panicked in another goroutine, with the stack of that goroutine.
type visitPanic struct {
	value any
	stack []byte
}

func (p *visitPanic) Error() string { return fmt.Sprintf("visit: %v\n\n%s", p.value, p.stack) }

// Unwrap is the error that visit panicked with, if it was one.
func (p *visitPanic) Unwrap() error {
	err, _ := p.value.(error)
	return err
}

// runWorkers walks with several goroutines and waits for their end.
func (w *walker) runWorkers(start *directory) error {
	c := &pool{walker: w, queue: make(chan batch, queueSize*w.Workers), quit: make(chan struct{})}
	c.pending.Store(1)
	c.queue <- batch{dir: start}
	workers := group.Group{OnPanic: func(value any, stack []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.panicked = &visitPanic{value, stack}
	}}
	for range w.Workers {
		workers.Go(c.work)
	}
	workers.Wait()
	for len(c.queue) > 0 {
		s := <-c.queue
		s.dir.release()
	}
	if c.panicked != nil {
		panic(c.panicked)
	}
	return c.err
}

// end makes all workers stop.
func (c *pool) end(err error) {
	c.once.Do(func() {
		c.err = err
		c.stopped.Store(true)
		close(c.quit)
	})
}

func (c *pool) work() {
	regular := false
	defer func() {
		if !regular {
			c.end(errors.New("visit ended its goroutine"))
		}
	}()
	var m worker
	m.pool, m.visit = c, c.Visitor()
	for m.takeBatch() {
	}
	regular = true
}

// worker is one goroutine of a pool.
type worker struct {
	*pool
	entry Entry
	visit func(*Entry) error
	free  [][]rootfs.Entry // memory for entries
}

// takeBatch does a part of the work, and waits for it. It reports whether there may be more.
func (m *worker) takeBatch() bool {
	var s batch
	select {
	case <-m.quit:
		return false
	case s = <-m.queue:
	}
	err := m.do(s)
	if err != nil {
		m.end(err)
		return false
	}
	if m.pending.Add(-1) == 0 {
		m.end(nil)
		return false
	}
	return true
}

func (m *worker) do(s batch) error {
	if s.entries != nil {
		defer s.dir.release()
		return m.visitAll(s.dir, s.entries)
	}
	return m.list(s.dir)
}

// leave offers a part of the work to the others.
func (m *worker) leave(s batch) bool {
	m.pending.Add(1)
	select {
	case m.queue <- s:
		return true
	default:
		m.pending.Add(-1)
		return false
	}
}

// list reads a directory and visits all its entries, or leaves them to other workers.
func (m *worker) list(d *directory) error {
	defer d.release()
	entries := m.room()
	for {
		e, err := d.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		if len(entries) == batchSize {
			if entries, err = m.part(d, entries); err != nil {
				return err
			}
		}
		entries = append(entries, e)
	}
	err := m.visitAll(d, entries)
	m.free = append(m.free, entries[:0])
	return err
}

// room is memory for a batch.
func (m *worker) room() []rootfs.Entry {
	if n := len(m.free); n > 0 {
		last := m.free[n-1]
		m.free = m.free[:n-1]
		return last
	}
	return make([]rootfs.Entry, 0, batchSize)
}

// part lets some entries be visited while the directory is read on, and returns room for more.
func (m *worker) part(d *directory, entries []rootfs.Entry) ([]rootfs.Entry, error) {
	d.retain()
	if m.leave(batch{d, entries}) {
		return m.room(), nil
	}
	defer d.release()
	return entries[:0], m.visitAll(d, entries)
}

func (m *worker) visitAll(d *directory, entries []rootfs.Entry) error {
	for _, e := range entries {
		m.entry = Entry{Name: e.Name, Type: e.Type, Depth: d.depth, dir: d}
		enter, err := m.offer(&m.entry, m.visit)
		if err != nil {
			return err
		}
		if !enter {
			continue
		}
		child := m.descend(d, e.Name)
		if child == nil || m.leave(batch{dir: child}) {
			continue
		}
		if err := m.list(child); err != nil {
			return err
		}
	}
	return nil
}
