package fs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

const (
	// maxImage keeps an image in base64 below 5 MB, which is the most that common models take.
	maxImage = 3_750_000
	// peek is how much auto shows of a file that is neither text nor an image: enough to see what it is.
	peek = 1024
	// sniffLen is how much tells a type of content.
	sniffLen = 512
)

// readBinary answers bytes.
func (s *source) readBinary(r request, result *ReadResult) error {
	if line := firstOf("startLine", r.StartLine != 0, "endLine", r.EndLine != 0); line != "" || r.numbered {
		return &mcp.ToolError{Code: codeBinaryFile, Message: "the file is not text, so it has no lines",
			Next: "read it with encoding=binary, or name the encoding of its text"}
	}
	head, err := s.bytes(0, sniffLen)
	if err != nil {
		return err
	}
	result.Encoding, result.MIMEType = textfile.Binary.String(), http.DetectContentType(head)
	if r.several && r.encoding == textfile.Auto && isImage(result.MIMEType) {
		result.apart, result.Truncated = true, true
		return nil
	}
	if !r.bytes() && s.held && s.size <= maxImage && isImage(result.MIMEType) {
		result.Image = s.data
		if r.encoding == textfile.Auto {
			return nil
		}
	}
	rest := s.size - r.Offset
	asked := rest
	if r.Length > 0 {
		asked = min(rest, r.Length)
	}
	// A multiple of three bytes ends without padding, so that the answers can be joined.
	most := int64(r.budget/4) * 3
	if r.encoding == textfile.Auto && r.Length == 0 {
		most = min(most, peek)
	}
	content, err := s.bytes(r.Offset, min(asked, s.limit, most))
	if err != nil {
		return err
	}
	result.Content, result.Offset = base64.StdEncoding.EncodeToString(content), r.Offset
	got := int64(len(content))
	result.Truncated = got < asked
	if got < rest && got > 0 {
		result.NextOffset = r.Offset + got
	}
	return nil
}

// bytes reads a range, less of it where the file ends.
func (s *source) bytes(from, n int64) ([]byte, error) {
	b := make([]byte, min(n, s.size-from))
	got, err := s.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%d bytes at %d: %w", n, from, err)
	}
	return b[:got], nil
}

// isImage tells the images that models can look at.
func isImage(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
