package fs

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/mcp"
	"github.com/dougu-go/dougu/tools/internal/textfile"
)

// pendingWrite is the content of one write_file call on its way to the file.
type pendingWrite struct {
	content  string            // text, or the bytes if the encoding is Binary
	encoding textfile.Encoding // encoding of the call; after encoding, that of the file
	forNew   textfile.Encoding // encoding of a new file if the call asks for Auto
	policy   textfile.Policy
	// append to the file instead of replacing its content
	append  bool
	written int64 // bytes of content in the encoding of the file
	writeState
}

// byteOrderMark is the byte-order mark as a character.
const byteOrderMark = "\uFEFF"

// decodeBase64 replaces the base64 content by its bytes. It ignores white space and accepts missing padding.
func (w *pendingWrite) decodeBase64() error {
	compact := strings.Join(strings.Fields(w.content), "")
	raw, err := base64.StdEncoding.DecodeString(compact)
	if err != nil {
		if raw, err = base64.RawStdEncoding.DecodeString(compact); err != nil {
			return invalid("send the bytes as base64, or name the encoding of the text", "with encoding binary the content must be base64: %v", err)
		}
	}
	w.content = string(raw)
	return nil
}

// encodeNew returns the bytes of a new file.
func (w *pendingWrite) encodeNew() ([]byte, error) {
	if w.encoding == textfile.Binary {
		return w.rawContent(), nil
	}
	if w.encoding == textfile.Auto {
		w.encoding = w.forNew
	}
	var none textfile.Text
	return w.encode(none.Fit(0, 0, w.content, w.policy), isUTF16(w.encoding))
}

// rawContent returns the content as bytes, without encoding.
func (w *pendingWrite) rawContent() []byte {
	w.written = int64(len(w.content))
	return []byte(w.content)
}

// isUTF16 reports whether e is a UTF-16 encoding.
func isUTF16(e textfile.Encoding) bool {
	return e == textfile.UTF16 || e == textfile.UTF16LE || e == textfile.UTF16BE
}

// encode returns the bytes of a text. It keeps its line ends. A byte-order mark at the beginning of the text has the effect of
// mark.
func (w *pendingWrite) encode(text string, mark bool) ([]byte, error) {
	text, marked := strings.CutPrefix(text, byteOrderMark)
	if w.encoding == textfile.UTF16 {
		w.encoding = textfile.UTF16LE
	}
	raw, err := textfile.Encode(text, w.encoding, mark || marked)
	w.written = int64(len(raw))
	return raw, err
}

// encodeChange returns the new bytes of an existing file.
func (w *pendingWrite) encodeChange(old []byte) ([]byte, error) {
	switch {
	case w.append && len(old) > 0:
		return w.encodeAppended(old)
	case w.encoding == textfile.Binary:
		return w.rawContent(), nil
	}
	return w.encodeReplacement(old)
}

// encodeReplacement returns the bytes of an existing file with new content. It keeps the encoding, the line ends and the byte-order mark.
func (w *pendingWrite) encodeReplacement(old []byte) ([]byte, error) {
	was, err := textfile.Decode(old, textfile.Auto)
	if err != nil || len(old) == 0 {
		return w.encodeOverUndecoded(old, err)
	}
	text := was.Fit(0, len(was.Content), w.content, w.policy)
	if w.encoding != textfile.Auto && w.encoding != was.Encoding && !(w.encoding == textfile.UTF16 && isUTF16(was.Encoding)) {
		return w.encode(text, was.BOM || isUTF16(w.encoding))
	}
	w.encoding = was.Encoding
	if was.BOM {
		text = strings.TrimPrefix(text, byteOrderMark)
	}
	raw, err := was.Update(text)
	w.written = int64(len(raw))
	return raw, err
}

// encodeOverUndecoded replaces a file without decoded content. An empty or binary file is treated as new. A file with malformed text
// keeps the detected encoding and its line ends.
func (w *pendingWrite) encodeOverUndecoded(old []byte, cannot error) ([]byte, error) {
	bad, malformed := errors.AsType[*textfile.DecodeError](cannot)
	if !malformed {
		return w.encodeNew()
	}
	if w.encoding == textfile.Auto {
		w.encoding = bad.Encoding
	}
	like, err := decodeLenient(old, bad.Encoding)
	if err != nil {
		return nil, err
	}
	return w.encode(like.Fit(0, len(like.Content), w.content, w.policy), isUTF16(w.encoding))
}

// decodeLenient decodes malformed text, only to find its line ends. UTF-16 gives an empty text.
func decodeLenient(raw []byte, e textfile.Encoding) (*textfile.Text, error) {
	if isUTF16(e) {
		return &textfile.Text{}, nil
	}
	return textfile.Decode(raw, textfile.Windows1252)
}

// encodeAppended returns the bytes of an existing file followed by the content.
func (w *pendingWrite) encodeAppended(old []byte) ([]byte, error) {
	if w.encoding == textfile.Binary {
		return slices.Concat(old, w.rawContent()), nil
	}
	was, err := textfile.Decode(old, w.encoding)
	if w.encoding != textfile.Auto {
		if is := textfile.Detect(old); is != w.encoding && (err != nil || is == textfile.UTF8 && !isASCII(old) && was.Encoding != is) {
			return nil, w.mixedEncodings(is)
		}
	}
	if errors.Is(err, textfile.ErrBinary) {
		return nil, errAppendToBinary
	}
	if err != nil {
		return nil, fmt.Errorf("appending to the existing file: %w", err)
	}
	w.encoding = was.Encoding
	end := len(was.Content)
	raw, err := was.Replace(end, end, was.Fit(end, end, strings.TrimPrefix(w.content, byteOrderMark), w.policy))
	w.written = int64(len(raw) - len(old))
	return raw, err
}

// errAppendToBinary refuses to append text to a binary file.
var errAppendToBinary = &mcp.ToolError{Code: codeBinaryFile, Message: "text cannot be appended, because the file is not text",
	Next: "append base64 with encoding=binary, or name the encoding of the text"}

// mixedEncodings returns the error for appending text in another encoding than that of the file.
func (w *pendingWrite) mixedEncodings(is textfile.Encoding) error {
	return invalid("leave encoding out, so that the file keeps its own", "the file is in %s; text in %s cannot be appended", is, w.encoding)
}

// isASCII reports whether all bytes are ASCII.
func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= 0x80 })
}

// encodeLargeChange returns the bytes to write over, or to append to, a file that is too large to be held.
func (w *pendingWrite) encodeLargeChange(s *source) ([]byte, error) {
	if w.encoding == textfile.Binary {
		return w.rawContent(), nil
	}
	d, err := s.decode(textfile.Auto)
	if err != nil {
		return nil, err
	}
	if d == nil {
		if w.append {
			return nil, errAppendToBinary
		}
		return w.encodeNew()
	}
	is, like, err := w.sample(d)
	if err != nil {
		return nil, err
	}
	if w.append && w.encoding != textfile.Auto && w.encoding != is && !(w.encoding == textfile.UTF16 && isUTF16(is)) && !isASCII([]byte(like.Content)) {
		return nil, w.mixedEncodings(is)
	}
	if w.encoding == textfile.Auto || w.append && w.encoding == textfile.UTF16 {
		w.encoding = is
	}
	end := len(like.Content)
	text := like.Fit(end, end, w.content, w.policy)
	if w.append {
		return w.encode(strings.TrimPrefix(text, byteOrderMark), false)
	}
	return w.encode(text, d.start > 0 || w.encoding != is && isUTF16(w.encoding))
}

// sample detects the encoding and the line ends of a file from its first 64 KiB. Malformed text is an error only if the call
// appends.
func (w *pendingWrite) sample(d *document) (textfile.Encoding, *textfile.Text, error) {
	const length = 64 << 10
	head, err := d.chunk(0, length)
	if bad, ok := errors.AsType[*textfile.DecodeError](err); ok && !w.append {
		raw, err := d.bytes(0, length)
		if err != nil {
			return 0, nil, err
		}
		like, err := decodeLenient(raw, bad.Encoding)
		return bad.Encoding, like, err
	}
	if err != nil {
		return 0, nil, err
	}
	like, err := textfile.Decode([]byte(head.Content), textfile.UTF8)
	return head.Encoding, like, err
}
