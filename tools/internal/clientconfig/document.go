package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"
)

// maxDepth is how deep arrays and objects may lie in each other. The parser
// calls itself for each, and a stack that overflows ends the program.
const maxDepth = 256

const utf8Mark = "\ufeff"

// SyntaxError says where a file is not what it should be. Its text quotes
// nothing of the file, which may hold secrets.
type SyntaxError struct {
	Line, Column int // from 1; columns are characters
	Message      string
}

// Error has the place in the form that editors understand.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// document is a file that has been parsed. Offsets are those of text.
type document struct {
	mark string // the byte-order mark, or nothing
	text []byte // what follows it
	top  object
}

// object is an object, and where it stands: text[start] and text[end-1] are its
// braces.
type object struct {
	*hujson.Object
	start, end int
}

// parse reads JSON with comments and trailing commas. The document of a file
// with nothing but white space has no top.
func parse(content []byte) (*document, error) {
	if bytes.HasPrefix(content, []byte("\xff\xfe")) || bytes.HasPrefix(content, []byte("\xfe\xff")) {
		return nil, &SyntaxError{1, 1, "the file is in UTF-16; save it in UTF-8"}
	}
	d := &document{text: content}
	if rest, ok := bytes.CutPrefix(content, []byte(utf8Mark)); ok {
		d.mark, d.text = utf8Mark, rest
	}
	if len(bytes.Trim(d.text, " \t\r\n")) == 0 {
		return d, nil
	}
	if at := tooDeep(d.text); at >= 0 {
		return nil, d.fault(at, fmt.Sprintf("more than %d arrays and objects lie in each other", maxDepth))
	}
	// A comment in the last line needs an end of line, which it has not always.
	value, err := hujson.Parse(append(d.text[:len(d.text):len(d.text)], '\n'))
	if err != nil {
		return nil, d.explain(err)
	}
	top, ok := asObject(value)
	if !ok {
		return nil, d.fault(value.StartOffset, "the file should hold an object, { … }")
	}
	d.top = top
	return d, nil
}

func asObject(v hujson.Value) (object, bool) {
	o, ok := v.Value.(*hujson.Object)
	return object{o, v.StartOffset, v.EndOffset}, ok
}

// empty reports whether the file has nothing but white space.
func (d *document) empty() bool { return d.top.Object == nil }

// with is the file with splices made.
func (d *document) with(splices []splice) []byte {
	return append([]byte(d.mark), apply(d.text, splices)...)
}

// explain takes the place out of the parser's error, and leaves the quotation.
func (d *document) explain(err error) error {
	var line, column int
	if n, _ := fmt.Sscanf(err.Error(), "hujson: line %d, column %d:", &line, &column); n < 2 {
		return &SyntaxError{1, 1, "the file is not JSON"}
	}
	message := errors.Unwrap(err).Error()
	if strings.HasPrefix(message, "invalid literal") {
		message = "a string, number or word is not valid JSON"
	}
	at := 0
	for range line - 1 {
		next := bytes.IndexByte(d.text[at:], '\n') + 1
		if next == 0 { // behind the end of line that parse has added
			return d.fault(len(d.text), message)
		}
		at += next
	}
	return d.fault(min(at+column-1, len(d.text)), message)
}

// fault is an error at an offset.
func (d *document) fault(at int, message string) *SyntaxError {
	begin := bytes.LastIndexByte(d.text[:at], '\n') + 1
	return &SyntaxError{
		Line:    bytes.Count(d.text[:at], []byte("\n")) + 1,
		Column:  utf8.RuneCount(d.text[begin:at]) + 1,
		Message: message,
	}
}

// find returns the index of the member of a name, or -1. A name that is there
// twice is an error: which of the two a client takes is not for us to guess.
func (d *document) find(o object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			first := d.fault(o.Members[found].Name.StartOffset, "")
			return -1, d.fault(m.Name.StartOffset, fmt.Sprintf("%q is here for the second time, after line %d; leave one of the two", name, first.Line))
		}
		found = i
	}
	return found, nil
}

// trailing is the offset of what stands between the last member, or its comma,
// and the closing brace.
func (o object) trailing() int { return o.end - 1 - len(o.AfterExtra) }

// comma is the offset of the comma after a member, or -1. Of the last member the
// parser tells it by an extra that is not nil.
func (o object) comma(i int) int {
	v := o.Members[i].Value
	if i == len(o.Members)-1 && v.AfterExtra == nil {
		return -1
	}
	return v.EndOffset + len(v.AfterExtra)
}
