package config

import (
	"strings"
	"unicode/utf8"
)

// Layer is the content of one source: its values by key, and its problems.
type Layer[C any] struct {
	entries   []entry[C]
	problems  problems
	unusable  bool      // a file that exists and that nothing could be read of
	misread   bool      // a part of the file has no meaning: a setting that does not exist, or no object for a section
	approvals Approvals // of a project's file; nil: the layer is trusted
}

// entry is the value of a key in a source.
type entry[C any] struct {
	key    *Key[C]
	source string
	node   Node
	fault  string // a problem of the value; the node is then unused
}

// Unusable reports whether the layer is that of a file of which nothing is used: it
// could not be read, or is not in its format.
func (l Layer[C]) Unusable() bool { return l.unusable }

// add parses a value that is given as text.
func (l *Layer[C]) add(k *Key[C], source, value string) {
	e := entry[C]{key: k, source: source}
	var err error
	if !utf8.ValidString(value) {
		e.node, e.fault = text(strings.ToValidUTF8(value, "\uFFFD")), "allowed is UTF-8"
	} else if e.node, err = k.parse(value); err != nil {
		e.fault = "allowed is " + err.Error()
	}
	l.entries = append(l.entries, e)
}
