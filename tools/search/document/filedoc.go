package document

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// fileDoc returns the first comment at the beginning of a file that is not a license.
func (c comments) fileDoc(text []byte) index.Span {
	at := 0
	for {
		at += len(text[at:]) - len(bytes.TrimLeft(text[at:], " \t\r\n\uFEFF"))
		end := at + c.commentLength(text[at:])
		if end == at {
			return index.Span{}
		}
		if part := text[at:end]; hasWords(part) && !isLicence(part) && !bytes.HasPrefix(part, []byte("#!")) {
			return index.Span{Start: int32(at), End: int32(end)}
		}
		at = end
	}
}

// commentLength returns the length of the comment at the beginning of text: one block, or consecutive line comments. A Python
// docstring counts as a comment.
func (c comments) commentLength(text []byte) int {
	open, shut := []byte("/*"), []byte("*/")
	switch {
	case c.syntax != nil:
		if open, shut = c.block(text); len(open) == 0 {
			open = []byte{0} // text has no NUL
		}
	case c.lang == source.Python:
		open, shut = []byte(`"""`), []byte(`"""`)
	}
	if bytes.HasPrefix(text, open) {
		if end := bytes.Index(text[len(open):], shut); end >= 0 {
			return len(open) + end + len(shut)
		}
		return 0
	}
	end := 0
	for line := range bytes.Lines(text) {
		if line := bytes.TrimLeft(line, " \t"); !c.isComment(line) && !bytes.HasPrefix(line, []byte("#!")) || bytes.HasPrefix(line, open) {
			break
		}
		end += len(line)
		if bytes.HasPrefix(line, []byte("#!")) {
			break
		}
	}
	return len(bytes.TrimRight(text[:end], " \t\r\n"))
}

// block returns the delimiters of the block comment at the beginning of text. They are empty without one.
func (c comments) block(text []byte) (open, shut []byte) {
	for _, d := range c.syntax.BlockComments {
		if d.Open != "" && d.Close != "" && len(d.Open) > len(open) && bytes.HasPrefix(text, []byte(d.Open)) {
			open, shut = []byte(d.Open), []byte(d.Close)
		}
	}
	return open, shut
}

// isLicence reports whether a comment is a copyright or license notice.
func isLicence(text []byte) bool {
	head := bytes.ToLower(text[:min(len(text), 600)])
	return bytes.Contains(head, []byte("copyright")) || bytes.Contains(head, []byte("license")) || bytes.Contains(head, []byte("spdx-"))
}

// docString returns the docstring at the beginning of a Python body; an empty span if there is none.
func docString(text []byte, body, end int32) index.Span {
	start := body
	if start < end && (text[start]|0x20 == 'r' || text[start]|0x20 == 'u') {
		start++
	}
	for _, mark := range []string{`"""`, "'''", `"`} {
		rest, ok := bytes.CutPrefix(text[start:end], []byte(mark))
		if !ok {
			continue
		}
		if n := bytes.Index(rest, []byte(mark)); n > 0 && (len(mark) > 1 || bytes.IndexByte(rest[:n], '\n') < 0) {
			return index.Span{Start: body, End: start + int32(2*len(mark)+n)}
		}
		break
	}
	return index.Span{}
}
