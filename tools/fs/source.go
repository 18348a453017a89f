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

// source is a file that is being read: held in memory if it is no larger than a limit, or else open.
type source struct {
	io.ReaderAt
	file  *security.File
	info  security.FileInfo
	data  []byte // the file, if held
	held  bool
	size  int64
	limit int64
}

// openSource opens a file. What the system says about its size is only a hint: a file may grow, and those of some
// directories are said to be empty.
func openSource(ctx context.Context, root *security.Root, path string, limit int64) (*source, error) {
	file, err := root.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	s := &source{ReaderAt: file, file: file, info: file.Info(), size: file.Info().Size, limit: limit}
	if s.size > limit {
		return s, nil
	}
	if err := s.hold(ctx); err != nil {
		file.Close()
		return nil, err
	}
	return s, nil
}

// hold reads the file, unless it turns out to be larger than the limit.
func (s *source) hold(ctx context.Context) error {
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

func (s *source) Close() error { return s.file.Close() }

// hashApart is the size from which a file is hashed while its text is looked at: for a large one hashing takes longest.
const hashApart = 128 << 10

// sha256 begins to hash the file, if it is held, and gives what waits for the digest.
func (s *source) sha256() (wait func() string) {
	if !s.held {
		return func() string { return "" }
	}
	digest := func() string { return digestOf(s.data) }
	if len(s.data) < hashApart {
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

// document is a source that is text.
type document struct {
	*source
	encoding textfile.Encoding // to decode with; Auto if the first bytes of a large file do not tell
	start    int64             // where the text begins, behind the byte-order mark
	unit     int64             // bytes of the smallest character
	big      bool              // the first of two bytes is the higher one
}

// decode finds the text in the source; nil if it is binary.
func (s *source) decode(e textfile.Encoding) (*document, error) {
	if e == textfile.Binary {
		return nil, nil
	}
	asked := e
	if e == textfile.Auto && s.held {
		e = textfile.Detect(s.data)
	}
	// No range tells the encoding, and where the text begins.
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
