package spool

import (
	"encoding/binary"
	"os"
	"sort"
	"sync"
)

// View selects an output stream. Each view has its own offsets, in bytes.
type View uint8

// Views. Both contains both streams in the order of arrival.
const (
	Both View = iota
	Stdout
	Stderr
	views
)

const (
	// BlockSize is the number of bytes that are buffered before a write to the file.
	BlockSize = 256 << 10
	// tailBlocks is the number of blocks kept in memory after the limit.
	tailBlocks = 3
	// headerSize is the size of a record's header: the view in the highest byte, and the length.
	headerSize = 4
	maxRecord  = 1<<24 - 1
)

// Options configures New.
type Options struct {
	// Max is the size limit of the file in bytes; 0 stores nothing in a file. About one megabyte more is kept in memory.
	Max int64
	// Dir is the directory of the file. It is created if necessary. Default the directory for temporary files.
	Dir string
}

// Spool is the output of one process. Its methods may be called concurrently.
type Spool struct {
	options Options

	mu       sync.Mutex
	blocks   []*block // in order, with gaps where blocks were dropped
	last     *block   // block being filled; nil before the first byte
	reusable []byte   // reusable memory of a saved block
	record   int      // offset of the last record's header in last; -1 for none
	total    [views]int64
	file     *os.File
	written  int64 // bytes written to the file
	full     bool  // nothing more is written to the file
	news     chan struct{}
	closed   bool
}

// block is a part of the output, as records.
type block struct {
	data []byte // nil after it was written to the file
	at   int64  // offset in the file
	size int    // size in the file
	base [views]int64
	has  [views]int64
}

// New returns an empty spool. Close must be called.
func New(o Options) *Spool { return &Spool{options: o, record: -1} }

// Append appends output of Stdout or Stderr. After Close it has no effect.
func (s *Spool) Append(v View, p []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || len(p) == 0 {
		return
	}
	for len(p) > 0 {
		if s.last == nil || len(s.last.data)+headerSize >= BlockSize {
			s.seal()
		}
		n := min(len(p), BlockSize-len(s.last.data)-headerSize, maxRecord)
		s.add(v, p[:n])
		p = p[n:]
	}
	if s.news != nil {
		close(s.news)
		s.news = nil
	}
}

// add appends bytes, which must fit, to the last block. It extends the last record if possible.
func (s *Spool) add(v View, p []byte) {
	b := s.last
	if s.record >= 0 {
		header := binary.BigEndian.Uint32(b.data[s.record:])
		if View(header>>24) == v && int(header&maxRecord)+len(p) <= maxRecord {
			binary.BigEndian.PutUint32(b.data[s.record:], header+uint32(len(p)))
			b.data = append(b.data, p...)
			s.count(v, len(p))
			return
		}
	}
	s.record = len(b.data)
	b.data = binary.BigEndian.AppendUint32(b.data, uint32(v)<<24|uint32(len(p)))
	b.data = append(b.data, p...)
	s.count(v, len(p))
}

// count adds n bytes to the totals of a view.
func (s *Spool) count(v View, n int) {
	for _, view := range []View{Both, v} {
		s.last.has[view] += int64(n)
		s.total[view] += int64(n)
	}
}

// seal starts a new block. The full block is written to the file, or if that is full, the oldest block in memory is dropped.
func (s *Spool) seal() {
	if b := s.last; b != nil {
		b.size = len(b.data)
		if s.full = s.full || !s.save(b); s.full {
			s.drop()
		}
	}
	s.last, s.record = &block{base: s.total, data: s.reusable}, -1
	s.reusable = nil
	s.blocks = append(s.blocks, s.last)
}

// save writes a block to the file. It returns false if the file is full or cannot be written.
func (s *Spool) save(b *block) bool {
	if s.written+int64(b.size) > s.options.Max {
		return false
	}
	if s.file == nil {
		file, err := create(s.options.Dir)
		if err != nil {
			return false
		}
		s.file = file
	}
	if _, err := s.file.WriteAt(b.data, s.written); err != nil {
		return false
	}
	s.reusable = b.data[:0]
	b.at, b.data = s.written, nil
	s.written += int64(b.size)
	return true
}

// prepare creates the directory of the file.
func prepare(dir string) error {
	if dir == "" {
		return nil
	}
	return os.MkdirAll(dir, 0o700)
}

// drop drops all blocks in memory but the newest.
func (s *Spool) drop() {
	first := len(s.blocks)
	for first > 0 && s.blocks[first-1].data != nil {
		first--
	}
	if excess := len(s.blocks) - first - tailBlocks; excess > 0 {
		s.reusable = s.blocks[first].data[:0]
		s.blocks = append(s.blocks[:first], s.blocks[first+excess:]...)
	}
}

// Size returns the number of bytes appended to a view, including dropped bytes.
func (s *Spool) Size(v View) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total[v]
}

// Sizes returns the number of bytes appended to each view, including dropped bytes.
func (s *Spool) Sizes() (both, stdout, stderr int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total[Both], s.total[Stdout], s.total[Stderr]
}

// OnDisk returns the size of the file in bytes.
func (s *Spool) OnDisk() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// Read returns at most n bytes of a view and their offset. The offset is greater than the requested one if bytes there were
// dropped. Read stops before a gap. The result is empty at the end, and after Close.
func (s *Spool) Read(v View, offset int64, n int) (p []byte, at int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	at = max(0, min(offset, s.total[v]))
	first := sort.Search(len(s.blocks), func(i int) bool { return s.blocks[i].base[v]+s.blocks[i].has[v] > at })
	if first < len(s.blocks) {
		at = max(at, s.blocks[first].base[v])
	} else if s.closed {
		return nil, s.total[v]
	}
	next := at
	for _, b := range s.blocks[first:] {
		if b.base[v] > next || len(p) >= n {
			break
		}
		data, ok := s.load(b)
		if !ok {
			break
		}
		p = b.read(data, p, v, next, n)
		next = at + int64(len(p))
		if next < b.base[v]+b.has[v] {
			break
		}
	}
	return p, at
}

// load returns the records of a block, from memory or the file.
func (s *Spool) load(b *block) ([]byte, bool) {
	if b.data != nil {
		return b.data, true
	}
	data := make([]byte, b.size)
	_, err := s.file.ReadAt(data, b.at)
	return data, err == nil
}

// read appends bytes of a view from offset to p, until p has n bytes.
func (b *block) read(data, p []byte, v View, offset int64, n int) []byte {
	skip := int(offset - b.base[v])
	for len(data) >= headerSize && len(p) < n {
		header := binary.BigEndian.Uint32(data)
		length := int(header & maxRecord)
		piece := data[headerSize : headerSize+length]
		data = data[headerSize+length:]
		if v != Both && View(header>>24) != v {
			continue
		}
		if skip >= length {
			skip -= length
			continue
		}
		piece = piece[skip:]
		skip = 0
		p = append(p, piece[:min(len(piece), n-len(p))]...)
	}
	return p
}

// News returns a channel that is closed at the next Append or Close.
func (s *Spool) News() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.news == nil {
		s.news = make(chan struct{})
		if s.closed {
			close(s.news)
		}
	}
	return s.news
}

// Close releases the output and the file. Sizes remain available.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed, s.blocks, s.last, s.reusable = true, nil, nil, nil
	if s.news != nil {
		close(s.news)
	}
	if s.file == nil {
		return nil
	}
	return discard(s.file)
}
