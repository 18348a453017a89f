package segment

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// writer implements index.Writer. Each builder serves one Put at a time, so that
// several calls of Put run concurrently.
type writer struct {
	ix      *Index
	replace bool
	slots   chan struct{} // one element per possible builder; the owner of all elements is alone
	ended   chan struct{} // closed by Commit and Abort

	mu      sync.Mutex
	over    bool                // Commit or Abort was called
	lost    error               // reason why Commit is impossible
	idle    []*batch            // batches that no Put uses
	full    []*batch            // batches that were written as segments
	changes map[string]*pending // by path
}

// batch is a group of files that becomes a segment.
type batch struct {
	builder *builder // nil after the segment is written
	segment *segment
	dropped []uint32 // files that were replaced later
	touched map[uint32]stamp
}

// pending is the change of a path.
type pending struct {
	batch   *batch // contains the new file; nil if there is none
	file    uint32
	removed bool
	touched *stamp // new size and time of an unchanged file
}

var errEnded = errors.New("the writer of the search index was committed or aborted already")

// Begin opens the Writer; see index.Index.
func (ix *Index) Begin(ctx context.Context, o index.WriteOptions) (index.Writer, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := ix.beginning(); err != nil {
		return nil, err
	}
	defer ix.running.Done()
	if err := ix.writable(ctx); err != nil {
		if ctx.Err() == nil && ix.ctx.Err() != nil {
			return nil, index.ErrClosed
		}
		return nil, err
	}
	w, err := ix.newWriter(o)
	if err != nil {
		ix.written()
		return nil, err
	}
	return w, nil
}

// beginning makes Close wait for a Begin that is running.
func (ix *Index) beginning() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed {
		return index.ErrClosed
	}
	ix.running.Add(1)
	return nil
}

// newWriter returns the only Writer of this process, which must be allowed to write.
func (ix *Index) newWriter(o index.WriteOptions) (*writer, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	switch {
	case ix.closed:
		return nil, index.ErrClosed
	case ix.writer != nil:
		return nil, index.ErrWriting
	}
	w := &writer{
		ix: ix, replace: o.Replace, slots: make(chan struct{}, ix.workers), ended: make(chan struct{}),
		changes: make(map[string]*pending),
	}
	ix.writer = w
	ix.running.Add(1)
	return w, nil
}

// Put adds a file. The calling goroutine splits the text into words.
func (w *writer) Put(ctx context.Context, f index.File) error {
	if err := check(&f); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-w.ended:
		return w.endedError()
	case w.slots <- struct{}{}:
	}
	defer func() { <-w.slots }()
	b, err := w.take()
	if err != nil {
		return err
	}
	done := false
	defer func() {
		if !done {
			w.lose(errors.New("a part of the written data is lost"))
		}
	}()
	file := b.builder.add(&f)
	w.note(f.Path, b, file)
	if b.builder.full(w.ix.o.Buffer / int64(w.ix.workers)) {
		if err := w.write(b); err != nil {
			w.lose(err)
			done = true
			return err
		}
	} else {
		w.giveBack(b)
	}
	done = true
	return nil
}

func (w *writer) endedError() error {
	w.ix.mu.Lock()
	defer w.ix.mu.Unlock()
	if w.ix.closed {
		return index.ErrClosed
	}
	return errEnded
}

func (w *writer) take() (*batch, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return nil, w.endedError()
	}
	if w.lost != nil {
		return nil, w.lost
	}
	if n := len(w.idle); n > 0 {
		b := w.idle[n-1]
		w.idle = w.idle[:n-1]
		return b, nil
	}
	return &batch{builder: w.ix.builder()}, nil
}

func (w *writer) giveBack(b *batch) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.idle = append(w.idle, b)
}

func (w *writer) lose(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.lost == nil {
		w.lost = err
	}
}

// note records that a path has its new content in a batch.
func (w *writer) note(path string, b *batch, file uint32) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.drop(path)
	w.changes[path] = &pending{batch: b, file: file}
}

// drop discards the file that an earlier Put added for a path.
func (w *writer) drop(path string) {
	if p := w.changes[path]; p != nil && p.batch != nil {
		p.batch.dropped = append(p.batch.dropped, p.file)
		delete(p.batch.touched, p.file)
	}
}

// write writes a batch as a segment.
func (w *writer) write(b *batch) error {
	seg, err := w.ix.write(b.builder.write)
	if err != nil {
		return err
	}
	b.builder.reset()
	w.ix.builders.Put(b.builder)
	w.mu.Lock()
	defer w.mu.Unlock()
	b.segment, b.builder = seg, nil
	w.full = append(w.full, b)
	return nil
}

// Touch records the size and the modification time of a file with unchanged content.
func (w *writer) Touch(ctx context.Context, k index.Known) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return w.endedError()
	}
	s := stampOf(k)
	switch p := w.changes[k.Path]; {
	case p == nil:
		w.changes[k.Path] = &pending{touched: &s}
	case p.batch != nil:
		if p.batch.touched == nil {
			p.batch.touched = make(map[uint32]stamp)
		}
		p.batch.touched[p.file] = s
	case !p.removed:
		p.touched = &s
	}
	return nil
}

// Remove removes files from the index.
func (w *writer) Remove(ctx context.Context, paths ...string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return w.endedError()
	}
	for _, path := range paths {
		w.drop(path)
		w.changes[path] = &pending{removed: true}
	}
	return nil
}

// alone waits for running calls of Put and blocks new ones. It returns false if the
// writer has ended.
func (w *writer) alone() bool {
	w.mu.Lock()
	over := w.over
	w.over = true
	w.mu.Unlock()
	if over {
		return false
	}
	close(w.ended)
	for range cap(w.slots) {
		w.slots <- struct{}{}
	}
	return true
}

// Abort ends the writer and discards its changes.
func (w *writer) Abort() {
	if !w.alone() {
		return
	}
	w.discard()
	w.leave()
}

// discard deletes the written segments.
func (w *writer) discard() {
	for _, b := range w.full {
		b.segment.closed()
		w.ix.store.remove(b.segment.number)
	}
	w.full, w.idle, w.changes = nil, nil, nil
}

// leave allows the next writer to begin, in any process.
func (w *writer) leave() {
	w.ix.written()
	w.ix.mu.Lock()
	w.ix.writer, w.ix.wrote = nil, time.Now()
	w.ix.mu.Unlock()
	w.ix.running.Done()
}

// Commit publishes the changes and ends the writer. The end of ctx does not interrupt a
// running commit.
func (w *writer) Commit(ctx context.Context) error {
	if !w.alone() {
		return w.endedError()
	}
	defer w.leave()
	err := ctx.Err()
	if err == nil {
		err = w.lost
	}
	if err == nil {
		err = w.flush()
	}
	if err == nil {
		err = w.ix.apply(w)
	}
	if err != nil {
		w.discard()
		return fmt.Errorf("writing the search index: %w", err)
	}
	w.ix.tidy()
	return nil
}
