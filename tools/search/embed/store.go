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

// Key identifies a text by its content.
type Key [16]byte

// KeyOf returns the key of a text: the first 16 bytes of its SHA-256.
func KeyOf(text string) Key {
	sum := sha256.Sum256([]byte(text))
	return Key(sum[:16])
}

// ErrClosed is the error of operations after Close.
var ErrClosed = errors.New("the vector store is closed")

// Store keeps the vectors of one model in a file and in memory, with one byte per dimension: a vector with 384 dimensions takes
// about 400 bytes of each. It is safe for concurrent use.
//
// The file is only appended to, and each vector has a checksum: incomplete and damaged vectors are ignored. Several processes
// can use the same file, but do not see each other's new vectors.
type Store struct {
	path       string
	model      string
	dimensions int

	mu      sync.RWMutex
	file    *os.File
	keys    []Key
	scales  []float32
	sums    []int32
	numbers []byte        // quantized vectors, paddedWidth(dimensions) bytes each
	index   map[Key]int32 // positions in keys
	damaged int           // damaged records in the file
}

// OpenStore opens the store of a model in dir, which it creates if necessary. Each model and number of dimensions has its own
// file.
func OpenStore(dir, model string, dimensions int) (*Store, error) {
	if dimensions < 1 || dimensions > MaxDimensions {
		return nil, fmt.Errorf("opening the vector store: the number of dimensions %d is not between 1 and %d", dimensions, MaxDimensions)
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("opening the vector store: %w", err)
	}
	id := sha256.Sum256(fmt.Appendf(nil, "%d %s", dimensions, model))
	s := &Store{path: filepath.Join(dir, hex.EncodeToString(id[:8])+".vectors"), model: model, dimensions: dimensions, index: map[Key]int32{}}
	if err := s.open(); err != nil {
		return nil, fmt.Errorf("opening the vector store: %w", err)
	}
	return s, nil
}

// Len returns the number of vectors.
func (s *Store) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.keys)
}

// Damaged returns the number of damaged vectors that OpenStore found.
func (s *Store) Damaged() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.damaged
}

// Has reports whether the store contains a vector for k.
func (s *Store) Has(k Key) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.index[k]
	return ok
}

// Put adds vectors, one per key. Existing keys keep their vectors. After an error no vector is added.
func (s *Store) Put(keys []Key, vectors [][]float32) error {
	if len(keys) != len(vectors) {
		return fmt.Errorf("storing vectors: %d for %d keys", len(vectors), len(keys))
	}
	for _, v := range vectors {
		if len(v) != s.dimensions {
			return fmt.Errorf("storing vectors: a vector has %d dimensions, not %d", len(v), s.dimensions)
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
		if _, ok := s.index[k]; !ok {
			s.add(k, vectors[i])
			records = s.appendRecord(records, len(s.keys)-1)
		}
	}
	if _, err := s.file.Write(records); err != nil {
		s.truncate(before)
		return fmt.Errorf("storing vectors: %w", err)
	}
	return nil
}

// add adds a vector in memory.
func (s *Store) add(k Key, v []float32) {
	numbers := s.extend()
	sum, scale := quantize(numbers[:s.dimensions], v)
	s.insert(k, sum, scale)
}

// extend appends a zero vector and returns it.
func (s *Store) extend() []byte {
	width := paddedWidth(s.dimensions)
	s.numbers = append(s.numbers, make([]byte, width)...)
	return s.numbers[len(s.numbers)-width:]
}

// insert records the key and factors of the last vector.
func (s *Store) insert(k Key, sum int32, scale float32) {
	s.index[k] = int32(len(s.keys))
	s.keys = append(s.keys, k)
	s.scales = append(s.scales, scale)
	s.sums = append(s.sums, sum)
}

// truncate removes the vectors from index n on.
func (s *Store) truncate(n int) {
	for _, k := range s.keys[n:] {
		delete(s.index, k)
	}
	s.keys, s.scales, s.sums, s.numbers = s.keys[:n], s.scales[:n], s.sums[:n], s.numbers[:n*paddedWidth(s.dimensions)]
}

// Retain removes the vectors that keep rejects. It does nothing unless they, with damaged ones, make up more than a quarter of
// the file. Otherwise the file is rewritten.
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
		return nil // unused vectors are harmless: searches filter by key
	}
	width := paddedWidth(s.dimensions)
	n := 0
	for i, k := range s.keys {
		if !keep(k) {
			delete(s.index, k)
			continue
		}
		s.keys[n], s.scales[n], s.sums[n] = k, s.scales[i], s.sums[i]
		copy(s.numbers[n*width:(n+1)*width], s.numbers[i*width:(i+1)*width])
		s.index[k] = int32(n)
		n++
	}
	s.keys, s.scales, s.sums, s.numbers = s.keys[:n], s.scales[:n], s.sums[:n], s.numbers[:n*width]
	if err := s.rewrite(); err != nil {
		return fmt.Errorf("rewriting the vector store: %w", err)
	}
	s.damaged = 0
	return nil
}

// Close closes the file. Later calls do nothing.
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

// The file consists of a header and records of equal size. A record is a key, the scale, the quantized vector, and a checksum.
// The header is the magic bytes, the number of dimensions, the SHA-256 of the model's name, and a checksum.
const (
	magic          = "dougu-v1"
	headerSize     = len(magic) + 4 + sha256.Size + 4
	recordOverhead = 16 + 4 + 4 // bytes of a record besides the vector
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// header returns the header of the file.
func (s *Store) header() []byte {
	model := sha256.Sum256([]byte(s.model))
	head := append([]byte(magic), binary.LittleEndian.AppendUint32(nil, uint32(s.dimensions))...)
	return appendChecksum(append(head, model[:]...), 0)
}

// appendChecksum appends the checksum of b[from:].
func appendChecksum(b []byte, from int) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b[from:], castagnoli))
}

// appendRecord appends the record of vector i.
func (s *Store) appendRecord(dst []byte, i int) []byte {
	from := len(dst)
	dst = append(dst, s.keys[i][:]...)
	dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(s.scales[i]))
	width := paddedWidth(s.dimensions)
	dst = append(dst, s.numbers[i*width:i*width+s.dimensions]...)
	return appendChecksum(dst, from)
}

// open reads the file and positions it behind the last complete record. A file with another header is renamed to *.damaged.
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
		// A record that a crash left incomplete is removed. Truncation uses the name, because on Windows a handle for appending
		// cannot truncate.
		err = os.Truncate(s.path, end)
	}
	if err != nil {
		return errors.Join(err, file.Close())
	}
	s.file = file
	return nil
}

var errForeign = errors.New("not a vector store of this model")

// load reads all records and returns the end of the last complete one.
func (s *Store) load(file *os.File) (end int64, err error) {
	in := bufio.NewReaderSize(file, 1<<20)
	head := make([]byte, headerSize)
	switch n, err := io.ReadFull(in, head); {
	case n == 0 && err == io.EOF:
		_, err := file.Write(s.header())
		return int64(headerSize), err
	case err != nil && err != io.ErrUnexpectedEOF:
		return 0, err
	case string(head) != string(s.header()):
		return 0, errForeign
	}
	end = int64(headerSize)
	record := make([]byte, recordOverhead+s.dimensions)
	for {
		_, err := io.ReadFull(in, record)
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return end, nil
		}
		if err != nil {
			return 0, err
		}
		end += int64(len(record))
		s.loadRecord(record)
	}
}

// loadRecord adds a record, unless it is damaged or a duplicate.
func (s *Store) loadRecord(record []byte) {
	body, sum := record[:len(record)-4], binary.LittleEndian.Uint32(record[len(record)-4:])
	if crc32.Checksum(body, castagnoli) != sum {
		s.damaged++
		return
	}
	key := Key(body[:16])
	if _, ok := s.index[key]; ok {
		return
	}
	numbers := s.extend()
	copy(numbers, body[20:])
	s.insert(key, sumQuantized(body[20:]), math.Float32frombits(binary.LittleEndian.Uint32(body[16:20])))
}

// rewrite replaces the file with one that contains the vectors in memory.
func (s *Store) rewrite() error {
	options := rootfs.Replacement{Perm: 0o600, Before: s.closeFile} // Windows replaces no open file
	_, err := rootfs.ReplaceFile(s.path, options, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 1<<20)
		_, err := out.Write(s.header())
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

// closeFile closes the file, if it is open.
func (s *Store) closeFile() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	s.file = nil
	return err
}
