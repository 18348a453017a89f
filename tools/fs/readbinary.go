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
	// maxImage is the largest image in bytes. In base64 it stays below 5 MB, the limit of common models.
	maxImage = 3_750_000
	// previewBytes is the number of bytes that auto returns of a binary file that is not an image.
	previewBytes = 1024
	// sniffLen is the number of bytes that http.DetectContentType examines.
	sniffLen = 512
)

// readBinary fills the result with a range of bytes as base64, or with an image.
func (s *source) readBinary(r request, result *ReadResult) error {
	if line := firstGiven("startLine", r.StartLine != 0, "endLine", r.EndLine != 0); line != "" || r.numbered {
		return &mcp.ToolError{Code: codeBinaryFile, Message: "the file is not text, so it has no lines",
			Next: "read it with encoding=binary, or name the encoding of its text"}
	}
	head, err := s.bytes(0, sniffLen)
	if err != nil {
		return err
	}
	result.Encoding, result.MIMEType = textfile.Binary.String(), http.DetectContentType(head)
	if r.multiple && r.encoding == textfile.Auto && isImage(result.MIMEType) {
		result.imageOmitted, result.Truncated = true, true
		return nil
	}
	if !r.isByteRange() && s.held && s.size <= maxImage && isImage(result.MIMEType) {
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
	// A multiple of three bytes has no padding, so the caller can join the answers.
	most := int64(r.budget/4) * 3
	if r.encoding == textfile.Auto && r.Length == 0 {
		most = min(most, previewBytes)
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

// bytes reads n bytes at an offset, or fewer at the end of the file.
func (s *source) bytes(from, n int64) ([]byte, error) {
	b := make([]byte, min(n, s.size-from))
	got, err := s.ReadAt(b, from)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%d bytes at %d: %w", n, from, err)
	}
	return b[:got], nil
}

// isImage reports whether models can view the MIME type.
func isImage(mime string) bool {
	switch mime {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}
