package security

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
	// shareSize is how many entries of a directory are visited by one worker while another reads on.
	shareSize = 64
	// queueSize is how many directories and shares wait for each worker. Each may hold a directory open.
	queueSize = 4
)

// crew walks with several goroutines. A worker that finds a directory, or many entries in one, leaves them to others if these
// may soon have nothing to do, and goes on by itself otherwise. So at most as many directories are open as there are levels for each
// worker, and no directory is held in memory as a whole.
type crew struct {
	*walker
	queue   chan share
	pending atomic.Int64 // shares that are not finished; those that make more of them are among them
	quit    chan struct{}

	once     sync.Once
	err      error
	panicked *visitPanic
}

// share is a part of the work: entries of a directory that are to be visited, or all that are still to be read if it has none.
type share struct {
	dir     *walkDir
	entries []rootfs.Entry
}

// visitPanic is what visit panicked with in another goroutine, with the stack of that.
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

// concurrently walks with several goroutines and waits for their end.
func (w *walker) concurrently(start *walkDir) error {
	c := &crew{walker: w, queue: make(chan share, queueSize*w.o.Workers), quit: make(chan struct{})}
	c.pending.Store(1)
	c.queue <- share{dir: start}
	workers := group.Group{OnPanic: func(value any, stack []byte) {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.panicked = &visitPanic{value, stack}
	}}
	for range w.o.Workers {
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
func (c *crew) end(err error) {
	c.once.Do(func() {
		c.err = err
		c.stopped.Store(true)
		close(c.quit)
	})
}

func (c *crew) work() {
	regular := false
	defer func() {
		if !regular {
			c.end(errors.New("visit ended its goroutine"))
		}
	}()
	var m worker
	m.crew = c
	for m.takeShare() {
	}
	regular = true
}

// worker is one goroutine of a crew.
type worker struct {
	*crew
	entry WalkEntry
	spare [][]rootfs.Entry // room for entries
}

// takeShare does a part of the work, and waits for it. It reports whether there may be more.
func (m *worker) takeShare() bool {
	var s share
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

func (m *worker) do(s share) error {
	if s.entries != nil {
		defer s.dir.release()
		return m.visitAll(s.dir, s.entries)
	}
	return m.list(s.dir)
}

// leave offers a part of the work to the others.
func (m *worker) leave(s share) bool {
	m.pending.Add(1)
	select {
	case m.queue <- s:
		return true
	default:
		m.pending.Add(-1)
		return false
	}
}

// list reads a directory and sees to it that all its entries are visited.
func (m *worker) list(d *walkDir) error {
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
		if len(entries) == shareSize {
			if entries, err = m.part(d, entries); err != nil {
				return err
			}
		}
		entries = append(entries, e)
	}
	err := m.visitAll(d, entries)
	m.spare = append(m.spare, entries[:0])
	return err
}

// room is memory for a share.
func (m *worker) room() []rootfs.Entry {
	if n := len(m.spare); n > 0 {
		last := m.spare[n-1]
		m.spare = m.spare[:n-1]
		return last
	}
	return make([]rootfs.Entry, 0, shareSize)
}

// part lets some entries be visited while the directory is read on, and returns room for more.
func (m *worker) part(d *walkDir, entries []rootfs.Entry) ([]rootfs.Entry, error) {
	d.retain()
	if m.leave(share{d, entries}) {
		return m.room(), nil
	}
	defer d.release()
	return entries[:0], m.visitAll(d, entries)
}

func (m *worker) visitAll(d *walkDir, entries []rootfs.Entry) error {
	for _, e := range entries {
		m.entry = WalkEntry{Name: e.Name, Kind: kindOf(e.Type), Depth: d.depth, dir: d}
		enter, err := m.offer(&m.entry)
		if err != nil {
			return err
		}
		if !enter {
			continue
		}
		child := m.descend(d, e.Name)
		if child == nil || m.leave(share{dir: child}) {
			continue
		}
		if err := m.list(child); err != nil {
			return err
		}
	}
	return nil
}
