package segment

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// store keeps segments and the manifest.
type store interface {
	// create starts a segment.
	create(number uint64) (newFile, error)
	// open opens a segment. closed must be called when the segment is no longer used.
	open(number uint64, size int64, sum uint32) (b *blob, closed func(), err error)
	// remove deletes a segment that is closed or was never opened.
	remove(number uint64)
	// commit durably replaces the manifest; live are its segments.
	commit(manifest []byte, live []uint64) error
	close() error
}

// newFile is a segment that is being written.
type newFile interface {
	io.Writer
	// Close completes the segment durably.
	Close() error
}

func segmentName(number uint64) string { return fmt.Sprintf("%08d.seg", number) }

// memory is a store in memory, private to one Index.
type memory struct {
	mu    sync.Mutex
	files map[uint64]*memoryBuffer
}

type memoryBuffer struct{ bytes.Buffer }

func (*memoryBuffer) Close() error { return nil }

func (m *memory) create(number uint64) (newFile, error) {
	f := &memoryBuffer{}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[number] = f
	return f, nil
}

func (m *memory) open(number uint64, size int64, sum uint32) (*blob, func(), error) {
	m.mu.Lock()
	data := m.files[number]
	delete(m.files, number) // the blob keeps the data
	m.mu.Unlock()
	b, err := newBlob(segmentName(number), bytes.NewReader(data.Bytes()), size, sum, true)
	return b, func() {}, err
}

func (m *memory) remove(number uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.files, number)
}

func (m *memory) commit([]byte, []uint64) error { return nil }
func (m *memory) close() error                  { return nil }
