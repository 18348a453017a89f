package clientconfig

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/tailscale/hujson"

	"github.com/dougu-go/dougu/tools/internal/jsonc"
)

// utf8Mark is the byte-order mark in UTF-8.
const utf8Mark = "\ufeff"

// SyntaxError reports a position at which a file is invalid. Its text quotes nothing from the file,
// which may hold secrets.
type SyntaxError struct {
	Line, Column int // from 1; columns are characters
	Message      string
}

// Error returns line, column and message in the form that editors recognize: "3:7: …".
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Message)
}

// document is a parsed file. Offsets refer to text.
type document struct {
	mark string // the byte-order mark, or nothing
	text []byte // the content after the byte-order mark
	top  object // the outermost object
}

// object is a JSON object with its range: text[start] and text[end-1] are its braces.
type object struct {
	*hujson.Object
	start, end int
}

// parse parses JSON with comments and trailing commas. The document of a blank file has no top
// object.
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
	value, err := jsonc.Parse(d.text)
	if deep, ok := errors.AsType[*jsonc.DepthError](err); ok {
		return nil, d.syntaxError(deep.Offset, deep.Error())
	}
	if err != nil {
		return nil, d.explain(err)
	}
	top, ok := asObject(value)
	if !ok {
		return nil, d.syntaxError(value.StartOffset, "the file should hold an object, { … }")
	}
	d.top = top
	return d, nil
}

// asObject returns a value as an object with its range; ok is false for other values.
func asObject(v hujson.Value) (object, bool) {
	o, ok := v.Value.(*hujson.Object)
	return object{o, v.StartOffset, v.EndOffset}, ok
}

// empty reports whether the file has nothing but white space.
func (d *document) empty() bool { return d.top.Object == nil }

// with returns the content of the file with splices applied.
func (d *document) with(splices []splice) []byte {
	return append([]byte(d.mark), apply(d.text, splices)...)
}

// explain converts an error of the parser to a SyntaxError without the quoted text.
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
			return d.syntaxError(len(d.text), message)
		}
		at += next
	}
	return d.syntaxError(min(at+column-1, len(d.text)), message)
}

// syntaxError returns an error at an offset.
func (d *document) syntaxError(at int, message string) *SyntaxError {
	begin := bytes.LastIndexByte(d.text[:at], '\n') + 1
	return &SyntaxError{
		Line:    bytes.Count(d.text[:at], []byte("\n")) + 1,
		Column:  utf8.RuneCount(d.text[begin:at]) + 1,
		Message: message,
	}
}

// find returns the index of the member with a name, or -1. A duplicate name is an error, because
// clients differ in the one that they use.
func (d *document) find(o object, name string) (int, error) {
	found := -1
	for i, m := range o.Members {
		if literal, ok := m.Name.Value.(hujson.Literal); !ok || literal.String() != name {
			continue
		}
		if found >= 0 {
			first := d.syntaxError(o.Members[found].Name.StartOffset, "")
			return -1, d.syntaxError(m.Name.StartOffset, fmt.Sprintf("%q is here for the second time, after line %d; leave one of the two", name, first.Line))
		}
		found = i
	}
	return found, nil
}

// trailing returns the offset of the text between the last member, or its comma, and the closing
// brace.
func (o object) trailing() int { return o.end - 1 - len(o.AfterExtra) }

// comma returns the offset of the comma after a member, or -1. For the last member, the parser
// marks a comma by a non-nil AfterExtra.
func (o object) comma(i int) int {
	v := o.Members[i].Value
	if i == len(o.Members)-1 && v.AfterExtra == nil {
		return -1
	}
	return v.EndOffset + len(v.AfterExtra)
}

// nonstandardOffset returns the offset of the first comment, or of a comma before a closing
// bracket; -1 if the text is standard JSON.
func (d *document) nonstandardOffset() int {
	found, comma := -1, -1
	jsonc.Scan(d.text, func(at int) bool {
		switch d.text[at] {
		case '/':
			found = at
		case '}', ']':
			found = comma
		case ',':
			comma = at
			return true
		}
		comma = -1
		return found < 0
	})
	return found
}
