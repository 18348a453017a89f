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

// writing is content on its way into a file.
type writing struct {
	content  string            // characters, or bytes if the encoding is Binary
	encoding textfile.Encoding // as asked for; once the bytes are made, that of the file
	forNew   textfile.Encoding // what Auto is for a new file
	policy   textfile.Policy
	append   bool
	written  int64 // length of content in the file
	memory
}

const byteOrderMark = "\uFEFF"

// decodeBase64 makes bytes of the content. Spaces and line ends in it do not matter.
func (w *writing) decodeBase64() error {
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

// fresh is the bytes of a new file.
func (w *writing) fresh() ([]byte, error) {
	if w.encoding == textfile.Binary {
		return w.raw(), nil
	}
	if w.encoding == textfile.Auto {
		w.encoding = w.forNew
	}
	var none textfile.Text
	return w.encode(none.Fit(0, 0, w.content, w.policy), isUTF16(w.encoding))
}

// raw is the content itself.
func (w *writing) raw() []byte {
	w.written = int64(len(w.content))
	return []byte(w.content)
}

func isUTF16(e textfile.Encoding) bool {
	return e == textfile.UTF16 || e == textfile.UTF16LE || e == textfile.UTF16BE
}

// encode is the bytes of a text, with its line ends as they are. A byte-order mark in the text counts as one.
func (w *writing) encode(text string, mark bool) ([]byte, error) {
	text, marked := strings.CutPrefix(text, byteOrderMark)
	if w.encoding == textfile.UTF16 {
		w.encoding = textfile.UTF16LE
	}
	raw, err := textfile.Encode(text, w.encoding, mark || marked)
	w.written = int64(len(raw))
	return raw, err
}

// change is the bytes of a file that was there.
func (w *writing) change(old []byte) ([]byte, error) {
	switch {
	case w.append && len(old) > 0:
		return w.extend(old)
	case w.encoding == textfile.Binary:
		return w.raw(), nil
	}
	return w.replace(old)
}

// replace is the bytes of a file with all of its content replaced.
func (w *writing) replace(old []byte) ([]byte, error) {
	was, err := textfile.Decode(old, textfile.Auto)
	if err != nil || len(old) == 0 {
		return w.replaceOther(old, err)
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

// replaceOther replaces what cannot be decoded: an empty file, one that is not text, or a text with bytes in it that are
// none. The last keeps its encoding, as far as that can be told, and its line ends.
func (w *writing) replaceOther(old []byte, cannot error) ([]byte, error) {
	bad, malformed := errors.AsType[*textfile.DecodeError](cannot)
	if !malformed {
		return w.fresh()
	}
	if w.encoding == textfile.Auto {
		w.encoding = bad.Encoding
	}
	like, err := likeBroken(old, bad.Encoding)
	if err != nil {
		return nil, err
	}
	return w.encode(like.Fit(0, len(like.Content), w.content, w.policy), isUTF16(w.encoding))
}

// likeBroken is a text with the line ends of bytes that are not all characters of their encoding.
func likeBroken(raw []byte, e textfile.Encoding) (*textfile.Text, error) {
	if isUTF16(e) {
		return &textfile.Text{}, nil
	}
	return textfile.Decode(raw, textfile.Windows1252)
}

// extend is the bytes of a file with the content behind them.
func (w *writing) extend(old []byte) ([]byte, error) {
	if w.encoding == textfile.Binary {
		return slices.Concat(old, w.raw()), nil
	}
	was, err := textfile.Decode(old, w.encoding)
	if w.encoding != textfile.Auto {
		if is := textfile.Detect(old); is != w.encoding && (err != nil || is == textfile.UTF8 && !isASCII(old) && was.Encoding != is) {
			return nil, w.mixed(is)
		}
	}
	if errors.Is(err, textfile.ErrBinary) {
		return nil, errAppendToBinary
	}
	if err != nil {
		return nil, fmt.Errorf("appending to what is there: %w", err)
	}
	w.encoding = was.Encoding
	end := len(was.Content)
	raw, err := was.Replace(end, end, was.Fit(end, end, strings.TrimPrefix(w.content, byteOrderMark), w.policy))
	w.written = int64(len(raw) - len(old))
	return raw, err
}

var errAppendToBinary = &mcp.ToolError{Code: codeBinaryFile, Message: "text cannot be appended, because the file is not text",
	Next: "append base64 with encoding=binary, or name the encoding of the text"}

// mixed is the error for a text that would go behind one in another encoding.
func (w *writing) mixed(is textfile.Encoding) error {
	return invalid("leave encoding out, so that the file keeps its own", "the file is in %s; text in %s cannot be appended", is, w.encoding)
}

func isASCII(b []byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c >= 0x80 })
}

// changeLarge is the bytes that replace a file that is not held, or that go behind it.
func (w *writing) changeLarge(s *source) ([]byte, error) {
	if w.encoding == textfile.Binary {
		return w.raw(), nil
	}
	d, err := s.decode(textfile.Auto)
	if err != nil {
		return nil, err
	}
	if d == nil {
		if w.append {
			return nil, errAppendToBinary
		}
		return w.fresh()
	}
	is, like, err := w.sample(d)
	if err != nil {
		return nil, err
	}
	if w.append && w.encoding != textfile.Auto && w.encoding != is && !(w.encoding == textfile.UTF16 && isUTF16(is)) && !isASCII([]byte(like.Content)) {
		return nil, w.mixed(is)
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

// sample tells the encoding of a file, and its line ends, by its beginning. What is overwritten may be broken.
func (w *writing) sample(d *document) (textfile.Encoding, *textfile.Text, error) {
	const length = 64 << 10
	head, err := d.chunk(0, length)
	if bad, ok := errors.AsType[*textfile.DecodeError](err); ok && !w.append {
		raw, err := d.bytes(0, length)
		if err != nil {
			return 0, nil, err
		}
		like, err := likeBroken(raw, bad.Encoding)
		return bad.Encoding, like, err
	}
	if err != nil {
		return 0, nil, err
	}
	like, err := textfile.Decode([]byte(head.Content), textfile.UTF8)
	return head.Encoding, like, err
}
