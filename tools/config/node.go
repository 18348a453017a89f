package config

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/dougu-go/dougu/internal/jsonx"
)

// Kind is the kind of a Node.
type Kind uint8

// The kinds of values that settings are made of.
const (
	Null Kind = iota
	Bool
	Number
	String
	List
	Object
)

// Position is a place in a file, counted from 1, in lines and in characters. The
// zero value is no place.
type Position struct{ Line, Column int }

// Node is a value of a source, independent of its format.
type Node struct {
	Kind     Kind
	Text     string   // of a string; "true" or "false"; the digits of a number
	Written  string   // the text as the file has it, if variables were replaced in it
	Elements []Node   // of a list
	Members  []Member // of an object, in order, duplicates included
	Position Position
}

// Member is one member of an object.
type Member struct {
	Name     string
	Position Position // of the name
	Value    Node
}

// text and the others make nodes that no source has.
func text(s string) Node                    { return Node{Kind: String, Text: s} }
func number(digits string) Node             { return Node{Kind: Number, Text: digits} }
func list(elements ...Node) Node            { return Node{Kind: List, Elements: elements} }
func object(members ...Member) Node         { return Node{Kind: Object, Members: members} }
func member(name string, value Node) Member { return Member{Name: name, Value: value} }
func boolean(b bool) Node {
	if b {
		return Node{Kind: Bool, Text: "true"}
	}
	return Node{Kind: Bool, Text: "false"}
}

func texts(values []string) Node {
	nodes := make([]Node, len(values))
	for i, v := range values {
		nodes[i] = text(v)
	}
	return list(nodes...)
}

// JSON is the node as JSON, on one line.
func (n Node) JSON() string { return string(n.append(nil, "")) }

// Indented is the node as JSON for people, with a line for every member.
func (n Node) Indented() string { return string(n.append(nil, "\n")) + "\n" }

// append appends the node as JSON. lineEnd is a line feed and the indentation of
// the line that the node begins on, or empty for one line.
func (n Node) append(dst []byte, lineEnd string) []byte {
	switch n.Kind {
	case Null:
		return append(dst, "null"...)
	case String:
		return jsonx.AppendQuoted(dst, n.Text)
	case List:
		dst = append(dst, '[')
		for i, e := range n.Elements {
			if i > 0 {
				dst = append(dst, ", "...)
			}
			dst = e.append(dst, lineEnd)
		}
		return append(dst, ']')
	case Object:
		return n.appendObject(dst, lineEnd)
	}
	return append(dst, n.Text...)
}

func (n Node) appendObject(dst []byte, lineEnd string) []byte {
	inner, between := "", ", "
	if lineEnd != "" {
		inner, between = lineEnd+"  ", ","
	}
	dst = append(dst, '{')
	for i, m := range n.Members {
		if i > 0 {
			dst = append(dst, between...)
		}
		dst = append(jsonx.AppendQuoted(append(dst, inner...), m.Name), ": "...)
		dst = m.Value.append(dst, inner)
	}
	if len(n.Members) > 0 {
		dst = append(dst, lineEnd...)
	}
	return append(dst, '}')
}

// Map returns an object as a Go map, for encoding.
func (n Node) Map() map[string]any {
	m := make(map[string]any, len(n.Members))
	for _, member := range n.Members {
		if member.Value.Kind == Object {
			m[member.Name] = member.Value.Map()
			continue
		}
		m[member.Name] = json.RawMessage(member.Value.JSON())
	}
	return m
}

// plain is the node as a person writes it in an environment variable or a flag.
func (n Node) plain() string {
	if n.Kind != List {
		return n.Text
	}
	words := make([]string, len(n.Elements))
	for i, e := range n.Elements {
		words[i] = e.Text
		if strings.Contains(e.Text, ",") || strings.TrimSpace(e.Text) != e.Text || strings.HasPrefix(words[0], "[") {
			return n.JSON()
		}
	}
	return strings.Join(words, ",")
}

// masked returns the node with mask applied to its texts.
func (n Node) masked(mask func(string) string) Node {
	switch n.Kind {
	case String:
		if n.Text != "" {
			n.Text = mask(n.Text)
		}
	case List:
		n.Elements = slices.Clone(n.Elements)
		for i := range n.Elements {
			n.Elements[i] = n.Elements[i].masked(mask)
		}
	}
	return n
}

// maxReceived is the most bytes of an invalid value in a problem.
const maxReceived = 80

// received returns the node as a problem shows it: shortened and masked.
func (n Node) received(mask func(string) string) string {
	switch n.Kind {
	case Object:
		return "an object"
	case String:
		return shorten(string(jsonx.AppendQuoted(nil, mask(shortenTo(n.Text, 4*maxReceived)))))
	case List:
		n.Elements = n.Elements[:min(len(n.Elements), maxReceived)]
	}
	return shorten(mask(n.JSON()))
}

func shorten(s string) string { return shortenTo(s, maxReceived) }

func shortenTo(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit] + "…"
}
