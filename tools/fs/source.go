package fs

import (
	"bytes"
	"context"
	"errors"
	"io"

	"github.com/dougu-go/dougu/internal/group"
	"github.com/dougu-go/dougu/security"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// source is an opened file. A file of at most limit bytes is held in memory; a larger one is read from the disk.
type source struct {
	// reads the content in memory, or the open file
	io.ReaderAt
	file *security.File
	info security.FileInfo
	data []byte // content; nil unless held
	// the content is in memory
	held bool
	// size of the file when it was opened
	size int64
	// largest size that is held, in bytes
	limit int64
}

// openSource opens a file. The size that the system reports is only a hint: a file can grow, and files in /proc report a size
// of 0.
func openSource(ctx context.Context, root *security.Root, path string, limit int64) (*source, error) {
	file, err := root.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &source{ReaderAt: file, file: file, info: file.Info(), size: file.Info().Size, limit: limit}
	if s.size > limit {
		return s, nil
	}
	if err := s.readIntoMemory(ctx); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// readIntoMemory reads the file into memory. A file that turns out to be larger than the limit stays on the disk.
func (s *source) readIntoMemory(ctx context.Context) error {
	const step = 1 << 20
	data := make([]byte, 0, s.size+1)
	for int64(len(data)) <= s.limit {
		if err := ctx.Err(); err != nil {
			return &security.Error{Code: security.CodeOf(err), Err: err}
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
		n, err := s.file.Read(data[len(data):min(cap(data), len(data)+step)])
		data = data[:len(data)+n]
		if errors.Is(err, io.EOF) {
			s.data, s.held, s.size = data, true, int64(len(data))
			s.ReaderAt = bytes.NewReader(data)
			return nil
		}
		if err != nil {
			return err
		}
	}
	s.size = int64(len(data))
	if end, err := s.file.Seek(0, io.SeekEnd); err == nil {
		s.size = max(s.size, end)
	}
	return nil
}

// Close closes the file.
func (s *source) Close() error { return s.file.Close() }

// asyncHashBytes is the size in bytes from which a file is hashed on a goroutine of its own, since hashing then takes longer than
// the rest of the read.
const asyncHashBytes = 128 << 10

// sha256 starts hashing a held file and returns a function that waits for the digest. The digest of a file that is not held is
// "".
func (s *source) sha256() (wait func() string) {
	if !s.held {
		return func() string { return "" }
	}
	digest := func() string { return digestOf(s.data) }
	if len(s.data) < asyncHashBytes {
		return digest
	}
	var hashing group.Group
	var sum string
	hashing.Go(func() { sum = digest() })
	return func() string {
		hashing.Wait()
		return sum
	}
}

// document is a source that contains text.
type document struct {
	*source
	encoding textfile.Encoding // encoding for decoding; Auto if the first bytes of a large file do not show it
	start    int64             // offset of the text, after the byte-order mark
	unit     int64             // bytes of a code unit: 2 for UTF-16, otherwise 1
	big      bool              // UTF-16 is big-endian
}

// decode returns the text of the source, or nil if the source is binary.
func (s *source) decode(e textfile.Encoding) (*document, error) {
	if e == textfile.Binary {
		return nil, nil
	}
	if s.info.Unsaved != "" {
		e = textfile.UTF8 // whatever the encoding of the file is
	}
	asked := e
	if e == textfile.Auto && s.held {
		e = textfile.Detect(s.data)
	}
	// An empty range returns the encoding and the offset of the text.
	none, err := textfile.ReadRange(s, s.size, e, 0, 0)
	if errors.Is(err, textfile.ErrBinary) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d := &document{source: s, encoding: none.Encoding, start: none.Start, unit: 1}
	switch {
	case none.Encoding == textfile.UTF16LE, none.Encoding == textfile.UTF16BE:
		d.unit, d.big = 2, none.Encoding == textfile.UTF16BE
	case none.Encoding == textfile.UTF8 && asked == textfile.Auto && !s.held && d.start == 0:
		d.encoding = textfile.Auto
	}
	return d, nil
}
