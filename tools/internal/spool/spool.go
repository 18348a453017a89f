package spool

import (
	"encoding/binary"
	"os"
	"sort"
	"sync"
)

// View says whose output is meant. Each has offsets of its own, in bytes.
type View uint8

// The views. Both is everything in the order in which it came.
const (
	Both View = iota
	Stdout
	Stderr
	views
)

const (
	// BlockSize is how much is held in memory before it goes to the file, in bytes.
	BlockSize = 256 << 10
	// tailBlocks are kept in memory past the limit.
	tailBlocks = 3
	// headerSize is that of a record: the view in the highest byte, and the length.
	headerSize = 4
	maxRecord  = 1<<24 - 1
)

// Options say how much is kept, and where.
type Options struct {
	// Max bounds the file, in bytes; 0 has none. About a megabyte more is kept in
	// memory.
	Max int64
	// Dir is where the file is made, and is made itself if it must be; empty is the
	// directory for temporary files.
	Dir string
}

// Spool is the output of one process. Its methods may be called concurrently.
type Spool struct {
	options Options

	mu      sync.Mutex
	blocks  []*block // in order; there are gaps where something was dropped
	last    *block   // that is being filled; nil before the first byte
	spare   []byte   // memory of a block that needs it no longer
	record  int      // where the header of its last record is, -1 for none
	total   [views]int64
	file    *os.File
	written int64 // to the file
	full    bool  // no more goes to the file
	news    chan struct{}
	closed  bool
}

// block is a stretch of output, as records.
type block struct {
	data []byte // nil once it is in the file
	at   int64  // where it is in the file
	size int    // of the records
	base [views]int64
	has  [views]int64
}

// New makes a spool that is empty.
func New(o Options) *Spool { return &Spool{options: o, record: -1} }

// Append adds what was written to Stdout or Stderr.
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

// add puts bytes that have room into the last block, if possible into its last
// record.
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

func (s *Spool) count(v View, n int) {
	for _, view := range []View{Both, v} {
		s.last.has[view] += int64(n)
		s.total[view] += int64(n)
	}
}

// seal begins a new block. The one that is full goes to the file, or if there is
// no more room, the oldest that is not in the file is dropped.
func (s *Spool) seal() {
	if b := s.last; b != nil {
		b.size = len(b.data)
		if s.full = s.full || !s.save(b); s.full {
			s.drop()
		}
	}
	s.last, s.record = &block{base: s.total, data: s.spare}, -1
	s.spare = nil
	s.blocks = append(s.blocks, s.last)
}

// save writes a block to the file, and reports whether there was room.
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
	s.spare = b.data[:0]
	b.at, b.data = s.written, nil
	s.written += int64(b.size)
	return true
}

// prepare makes the directory of the file, unless it is that for temporary files.
func prepare(dir string) error {
	if dir == "" {
		return nil
	}
	return os.MkdirAll(dir, 0o700)
}

// drop keeps only the newest of the blocks in memory.
func (s *Spool) drop() {
	first := len(s.blocks)
	for first > 0 && s.blocks[first-1].data != nil {
		first--
	}
	if excess := len(s.blocks) - first - tailBlocks; excess > 0 {
		s.spare = s.blocks[first].data[:0]
		s.blocks = append(s.blocks[:first], s.blocks[first+excess:]...)
	}
}

// Size is how many bytes were written in a view, kept or not.
func (s *Spool) Size(v View) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total[v]
}

// Sizes is how many bytes were written in each view by now.
func (s *Spool) Sizes() (both, stdout, stderr int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.total[Both], s.total[Stdout], s.total[Stderr]
}

// OnDisk is how large the file is, in bytes.
func (s *Spool) OnDisk() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.written
}

// Read returns at most n bytes of a view from offset on, and where they really
// begin: what lies before may have been dropped. It stops where something was
// dropped. The answer is empty at the end, and after Close.
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

func (s *Spool) load(b *block) ([]byte, bool) {
	if b.data != nil {
		return b.data, true
	}
	data := make([]byte, b.size)
	_, err := s.file.ReadAt(data, b.at)
	return data, err == nil
}

// read appends the bytes of a view from offset on to p, until it has n.
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

// News returns a channel that is closed when something more has been appended, or
// the spool is closed.
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

// Close forgets everything but the sizes.
func (s *Spool) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed, s.blocks, s.last, s.spare = true, nil, nil, nil
	if s.news != nil {
		close(s.news)
	}
	if s.file == nil {
		return nil
	}
	return discard(s.file)
}
