package embed

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"sync"

	"github.com/dougu-go/dougu/internal/rootfs"
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

// The file is a head and records of one size: a key, the scale, the numbers, and a
// checksum of them. The head is the magic bytes, the number of dimensions, the
// SHA-256 of the model's name, and a checksum.
const (
	magic      = "dougu-v1"
	headSize   = len(magic) + 4 + sha256.Size + 4
	recordRest = 16 + 4 + 4 // a record without its numbers
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// head is the beginning of the file.
func (s *Store) head() []byte {
	model := sha256.Sum256([]byte(s.model))
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(s.dimensions))...)
	return sealed(append(head, model[:]...), 0)
}

// sealed appends the checksum of what follows a place.
func sealed(b []byte, from int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// appendRecord appends the record of a vector.
func (s *Store) appendRecord(dst []byte, i int) []byte {
	from := len(dst)
	dst = append(dst, s.keys[i][:]...)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.scales[i]))
	width := padded(s.dimensions)
	dst = append(dst, s.numbers[i*width:i*width+s.dimensions]...)
	return sealed(dst, from)
}

// open reads the file and goes behind its last record. What is no store of this
// model is put aside.
func (s *Store) open() error {
	file, err := os.OpenFile(s.path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	end, err := s.load(file)
	if errors.Is(err, errForeign) {
		if err := errors.Join(file.Close(), os.Rename(s.path, s.path+".damaged")); err != nil {
			return err
		}
		s.damaged++
		return s.rewrite()
	}
	if err == nil {
		// A record that a crash cut off goes. By name: on Windows a handle for appending cannot truncate.
		err = os.Truncate(s.path, end)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	s.file = file
	return nil
}

var errForeign = errors.New("no store of vectors of this model")

// load reads all records, and answers where the last one ends.
func (s *Store) load(file *os.File) (end int64, err error) {
	in := bufio.NewReaderSize(file, 1<<20)
	head := make([]byte, headSize)
	switch n, err := io.ReadFull(in, head); {
	case n == 0 && err == io.EOF:
		_, err := file.Write(s.head())
		return int64(headSize), err
	case err != nil && err != io.ErrUnexpectedEOF:
		return 0, err
	case string(head) != string(s.head()):
		return 0, errForeign
	}
	end = int64(headSize)
	record := make([]byte, recordRest+s.dimensions)
	for {
		_, err := io.ReadFull(in, record)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(record))
		s.record(record)
	}
}

// record takes a record, unless it is damaged.
func (s *Store) record(record []byte) {
	body, sum := record[:len(record)-4], binary.LittleEndian.Uint32(record[len(record)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		s.damaged++
		return
	}
	key := Key(body[:16])
	if _, ok := s.at[key]; ok {
		return
	}
	numbers := s.grow()
	copy(numbers, body[20:])
	s.note(key, sumOf(body[20:]), math.Float32frombits(binary.LittleEndian.Uint32(body[16:20])))
}

// rewrite puts a file with what is in memory in place of the one that there is.
func (s *Store) rewrite() error {
	how := rootfs.Replacement{Perm: 0o600, Before: s.letGo} // Windows replaces no open file
	_, err := rootfs.ReplaceFile(s.path, how, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		_, err := out.Write(s.head())
		var record []byte
		for i := 0; i < len(s.keys) && err == nil; i++ {
			record = s.appendRecord(record[:0], i)
			_, err = out.Write(record)
		}
		return errors.Join(err, out.Flush())
	})
	if err != nil {
		return err
	}
	s.file, err = os.OpenFile(s.path, os.O_RDWR|os.O_APPEND, 0o600)
	return err
}

// letGo closes the file, if it is open.
func (s *Store) letGo() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
