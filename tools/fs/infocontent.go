package fs

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"net/http"

	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	maxInspected = 1 << 30  // largest file whose content is examined, in bytes
	sampleLen    = 64 << 10 // sample for detecting the encoding of a large file, in bytes
)

// inspect sets the members of the result that depend on the content of a file.
func (f *Files) inspect(ctx context.Context, path string, result *FileInfo) error {
	s, err := openSource(ctx, f.root, path, f.maxSize(0))
	if err != nil {
		return err
	}
	defer s.Close()
	result.Size = s.size
	if s.size > maxInspected {
		result.Problem = fmt.Sprintf("what is in it: more than %d bytes", maxInspected)
		return nil
	}
	look := s.inspectLarge
	if s.held {
		look = s.inspectHeld
	}
	if err := look(ctx, result); err != nil {
		return err
	}
	if result.Encoding == textfile.Binary.String() {
		head, err := s.bytes(0, sniffLen)
		result.MIMEType, result.EOL, result.TotalLines = http.DetectContentType(head), "", 0
		return err
	}
	return nil
}

// inspectHeld examines a file in memory.
func (s *source) inspectHeld(_ context.Context, result *FileInfo) error {
	result.SHA256 = s.sha256()()
	d, err := s.decode(textfile.Auto)
	if d == nil {
		result.Encoding = textfile.Binary.String()
		return err
	}
	var facts ReadResult
	d.describeLines(&facts)
	result.Encoding, result.BOM, result.EOL, result.TotalLines = d.encoding.String(), d.start > 0, facts.EOL, facts.TotalLines
	return nil
}

// inspectLarge reads the file twice, piece by piece: once for its digest and once for its lines.
func (s *source) inspectLarge(ctx context.Context, result *FileInfo) error {
	hash, high := sha256.New(), highByte{at: -1}
	if _, err := io.Copy(io.MultiWriter(hash, &high), ctxReader{ctx, io.NewSectionReader(s, 0, s.size)}); err != nil {
		return err
	}
	result.SHA256 = hex.EncodeToString(hash.Sum(nil))
	d, err := s.decode(textfile.Auto)
	if d == nil {
		result.Encoding = textfile.Binary.String()
		return err
	}
	e := d.encoding
	if e == textfile.Auto { // an ASCII beginning fits every encoding
		e = textfile.UTF8
		if high.at >= 0 {
			sample, err := s.bytes(max(high.at-1, 0), sampleLen)
			if err != nil {
				return err
			}
			e = textfile.DetectSample(sample)
		}
	}
	at, passed, err := d.skipLineEnds(ctx, d.start, d.size, math.MaxInt)
	if err != nil {
		return err
	}
	result.Encoding, result.BOM, result.EOL, result.TotalLines = e.String(), d.start > 0, passed.eol().String(), passed.total()
	if at < d.size {
		result.TotalLines++
	}
	return nil
}

// highByte is a writer that records the offset of the first byte above ASCII; at is -1 if there is none.
type highByte struct{ at, passed int64 }

// Write examines p. It never fails.
func (h *highByte) Write(p []byte) (int, error) {
	if h.at < 0 {
		for i, c := range p {
			if c >= 0x80 {
				h.at = h.passed + int64(i)
				break
			}
		}
	}
	h.passed += int64(len(p))
	return len(p), nil
}
