package embed

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"io"
	"math"
	"os"

	"github.com/dougu-go/dougu/internal/rootfs"
)

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
