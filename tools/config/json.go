package config

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Decode parses the text of a file in UTF-8 without a byte-order mark. A syntax error is a *SyntaxError.
type Decode func(data []byte) (Node, error)

// SyntaxError is a file that is not in its format.
type SyntaxError struct {
	Position Position
	Message  string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%d:%d: %s", e.Position.Line, e.Position.Column, e.Message)
}

// JSON is the Decode of RFC 8259, with nesting limited to jsonx.MaxDepth.
func JSON(data []byte) (Node, error) {
	d := jsonDecoder{data: data}
	if err := jsonx.Valid(data); err != nil {
		return Node{}, d.syntaxError(err)
	}
	return d.value(data[jsonx.Space(data, 0):])
}

type jsonDecoder struct {
	data []byte

	// The place that was asked for last. The next one is behind it: looking for each
	// from the beginning would take forever in a hostile file.
	offset int
	place  Position
}

// position is the place of a part of the data, which shares its array.
func (d *jsonDecoder) position(part []byte) Position { return d.at(cap(d.data) - cap(part)) }

func (d *jsonDecoder) at(offset int) Position {
	offset = min(offset, len(d.data))
	if offset < d.offset || d.place.Line == 0 {
		d.offset, d.place = 0, Position{1, 1}
	}
	passed := d.data[d.offset:offset]
	if lines := bytes.Count(passed, []byte("\n")); lines > 0 {
		passed = passed[bytes.LastIndexByte(passed, '\n')+1:]
		d.place = Position{d.place.Line + lines, 1}
	}
	d.place.Column += utf8.RuneCount(passed)
	d.offset = offset
	return d.place
}

func (d *jsonDecoder) syntaxError(err error) error {
	syntax, ok := err.(*jsonx.SyntaxError)
	if !ok {
		return err
	}
	message := syntax.Msg
	if at := min(syntax.Offset, len(d.data)); bytes.HasPrefix(d.data[at:], []byte("//")) || bytes.HasPrefix(d.data[at:], []byte("/*")) {
		message = "a comment, which JSON does not have"
	}
	return &SyntaxError{d.at(syntax.Offset), message}
}

// value reads the value that raw, a part of the data, begins with. The data is
// known to be JSON.
func (d *jsonDecoder) value(raw []byte) (Node, error) {
	n := Node{Position: d.position(raw)}
	switch raw[0] {
	case '{':
		return d.object(n, raw)
	case '[':
		n.Kind = List
		elements := jsonx.Array(raw)
		for elements.Next() {
			e, err := d.value(elements.Value())
			if err != nil {
				return n, err
			}
			n.Elements = append(n.Elements, e)
		}
		return n, nil
	case '"':
		end, flags, _ := jsonx.String(raw, 0)
		s, err := jsonx.Unquote(raw[:end])
		if err != nil || flags&jsonx.LoneSurrogate != 0 {
			return n, &SyntaxError{n.Position, "a string with half of a surrogate pair"}
		}
		n.Kind, n.Text = String, s
		return n, nil
	}
	end, _, err := jsonx.Skip(raw, 0)
	n.Text = string(raw[:end])
	switch n.Text {
	case "true", "false":
		n.Kind = Bool
	case "null":
		n.Text = ""
	default:
		n.Kind = Number
	}
	return n, err
}

func (d *jsonDecoder) object(n Node, raw []byte) (Node, error) {
	n.Kind = Object
	members := jsonx.Object(raw)
	for members.Next() {
		m := Member{Name: members.Name(), Position: d.position(members.Key())}
		m.Position.Column-- // the quote before it
		var err error
		if m.Value, err = d.value(members.Value()); err != nil {
			return n, err
		}
		n.Members = append(n.Members, m)
	}
	return n, nil
}
