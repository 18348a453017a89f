package embed

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
)

// Key names a text by what it says.
type Key [16]byte

// KeyOf is the key of a text: the beginning of its SHA-256.
func KeyOf(text string) Key {
	sum := sha256.Sum256([]byte(text))
	return Key(sum[:16])
}

// ErrClosed is the error of what is called after Close.
var ErrClosed = errors.New("the store of vectors is closed")

// Store keeps the vectors of one model in a file, and in memory: with a byte for
// each dimension, so that a vector of 384 takes about 400 bytes of both. Its methods
// may be called at once. The file is only appended to, and every vector has a
// checksum: what was not written to the end, or was damaged, is as if it had never
// been. Processes with the same file do no harm to each other, but do not see what
// the others add.
type Store struct {
	path       string
	model      string
	dimensions int

	mu      sync.RWMutex
	file    *os.File
	keys    []Key
	scales  []float32
	sums    []int32
	numbers []byte // padded(dimensions) each
	at      map[Key]int32
	damaged int
}

// OpenStore opens the store of a model in a directory, which it makes. The vectors
// of another model, or with another number of dimensions, are in another file.
func OpenStore(dir, model string, dimensions int) (*Store, error) {
	if dimensions < 1 || dimensions > MaxDimensions {
		return nil, fmt.Errorf("opening a store of vectors: %d dimensions are not from 1 to %d", dimensions, MaxDimensions)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening a store of vectors: %w", err)
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%d %s", dimensions, model))
	s := &Store{path: filepath.Join(dir, hex.EncodeToString(id[:8])+".vectors"), model: model, dimensions: dimensions, at: map[Key]int32{}}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("opening a store of vectors: %w", err)
	}
	return s, nil
}

// Len is how many vectors there are, Damaged how many were found unreadable by
// OpenStore.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.keys)
}

// Damaged is how many vectors were not readable when the store was opened.
func (s *Store) Damaged() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.damaged
}

// Has says that there is a vector.
func (s *Store) Has(k Key) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.at[k]
	return ok
}

// Put adds vectors. One whose key is known is left as it is.
func (s *Store) Put(keys []Key, vectors [][]float32) error {
	if len(keys) != len(vectors) {
		return fmt.Errorf("storing vectors: %d for %d keys", len(vectors), len(keys))
	}
	for _, v := range vectors {
		if len(v) != s.dimensions {
			return fmt.Errorf("storing vectors: one has %d dimensions, not %d", len(v), s.dimensions)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return ErrClosed
	}
	var records []byte
	before := len(s.keys)
	for i, k := range keys {
		if _, ok := s.at[k]; !ok {
			s.add(k, vectors[i])
			records = s.appendRecord(records, len(s.keys)-1)
		}
	}
	if _, err := s.file.Write(records); err != nil {
		s.cut(before)
		return fmt.Errorf("storing vectors: %w", err)
	}
	return nil
}

// add notes a vector in memory.
func (s *Store) add(k Key, v []float32) {
	numbers := s.grow()
	sum, scale := quantize(numbers[:s.dimensions], v)
	s.note(k, sum, scale)
}

// grow makes room for the numbers of one more vector.
func (s *Store) grow() []byte {
	width := padded(s.dimensions)
	s.numbers = append(s.numbers, make([]byte, width)...)
	return s.numbers[len(s.numbers)-width:]
}

func (s *Store) note(k Key, sum int32, scale float32) {
	s.at[k] = int32(len(s.keys))
	s.keys = append(s.keys, k)
	s.scales = append(s.scales, scale)
	s.sums = append(s.sums, sum)
}

// cut forgets the vectors from one on.
func (s *Store) cut(n int) {
	for _, k := range s.keys[n:] {
		delete(s.at, k)
	}
	s.keys, s.scales, s.sums, s.numbers = s.keys[:n], s.scales[:n], s.sums[:n], s.numbers[:n*padded(s.dimensions)]
}

// Retain forgets all vectors but those that are to be kept. The file is written
// anew when more than a quarter of it is of no use.
func (s *Store) Retain(keep func(Key) bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return ErrClosed
	}
	wanted := 0
	for _, k := range s.keys {
		if keep(k) {
			wanted++
		}
	}
	if useless := len(s.keys) - wanted + s.damaged; useless*4 <= len(s.keys)+s.damaged {
		return nil // they are found by nobody who does not know their keys
	}
	width := padded(s.dimensions)
	n := 0
	for i, k := range s.keys {
		if !keep(k) {
			delete(s.at, k)
			continue
		}
		s.keys[n], s.scales[n], s.sums[n] = k, s.scales[i], s.sums[i]
		copy(s.numbers[n*width:(n+1)*width], s.numbers[i*width:(i+1)*width])
		s.at[k] = int32(n)
		n++
	}
	s.keys, s.scales, s.sums, s.numbers = s.keys[:n], s.scales[:n], s.sums[:n], s.numbers[:n*width]
	if err := s.rewrite(); err != nil {
		return fmt.Errorf("writing a store of vectors anew: %w", err)
	}
	s.damaged = 0
	return nil
}

// Close ends the use of the file.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		return nil
	}
	err := errors.Join(s.file.Sync(), s.file.Close())
	s.file = nil
	return err
}
