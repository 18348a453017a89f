package config

import (
	"strings"
	"unicode/utf8"
)

// Layer is what one source says: what it has for which key, and what is wrong
// with it as a whole.
type Layer[C any] struct {
	entries   []entry[C]
	problems  problems
	unusable  bool      // a file that exists and that nothing could be read of
	misread   bool      // a part of the file has no meaning: a setting that does not exist, or no object for a section
	approvals Approvals // of a project's file; nil: the layer is trusted
}

// entry is what a source has for a key.
type entry[C any] struct {
	key    *Key[C]
	source string
	node   Node
	fault  string // what is wrong already; then the node says nothing
}

// Unusable reports whether the layer is that of a file of which nothing is used: it
// could not be read, or is not in its format.
func (l Layer[C]) Unusable() bool { return l.unusable }

// add reads what a person wrote as text.
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
