package config

import (
	"strings"
	"unicode"
)

// Key is one setting of a configuration C.
type Key[C any] struct {
	path    string
	doc     string
	aliases []string // further flags
	hidden  bool     // not part of the file with all defaults

	allowed string
	schema  []Member
	words   []string
	parse   func(string) (Node, error)
	toggle  bool // a flag without a value means true
	many    bool // a flag may be given several times
	reset   func(*C)
	show    func(*C) Node
	copy    func(to, from *C)
	narrows func(own, with *C) bool // see Narrowing; nil: every value of a project waits for approval
	// read makes a change of the configuration of a node.
	read func(Node) (set func(*C), faults []fault, ok bool)
}

// NewKey returns a key. path is its path in a file: names with dots, for example "server.maxConcurrentRequests". field returns
// the destination of its value. doc describes the key in one sentence; a word in backquotes names the value in the help of
// flags.
func NewKey[C, T any](path string, field func(*C) *T, def T, t Type[T], doc string) *Key[C] {
	return &Key[C]{
		path: path, doc: doc, allowed: t.allowed, schema: t.schema, words: t.words, parse: t.parse,
		reset: func(c *C) { *field(c) = def },
		show:  func(c *C) Node { return t.show(*field(c)) },
		copy:  func(to, from *C) { *field(to) = *field(from) },
		read: func(n Node) (func(*C), []fault, bool) {
			v, faults, ok := t.read(n)
			return func(c *C) { *field(c) = v }, faults, ok
		},
	}
}

// NewSwitch makes a key that is true or false; its flag needs no value for true.
func NewSwitch[C any](path string, field func(*C) *bool, def bool, doc string) *Key[C] {
	k := NewKey(path, field, def, Switch(), doc)
	k.toggle = true
	return k
}

// ListKey is a key with a list as its value.
type ListKey[C any] struct {
	*Key[C]
	field func(*C) *[]string
}

// NewList makes a key for a list; its flag may be given several times.
func NewList[C any](path string, field func(*C) *[]string, def []string, t Type[[]string], doc string) *ListKey[C] {
	k := NewKey(path, field, nil, t, doc)
	k.reset = func(c *C) { *field(c) = append([]string{}, def...) }
	k.many = true
	return &ListKey[C]{k, field}
}

// Alias adds further names of the key's flag, without dashes before them.
func (k *Key[C]) Alias(flags ...string) *Key[C] {
	k.aliases = append(k.aliases, flags...)
	return k
}

// Unwritten leaves the key out of the file with all defaults, for a value that
// would be wrong once the program is another.
func (k *Key[C]) Unwritten() *Key[C] {
	k.hidden = true
	return k
}

// Path is where the key is in a file.
func (k *Key[C]) Path() string { return k.path }

// Flag is the name of the key's flag: "server-max-concurrent-requests".
func (k *Key[C]) Flag() string { return strings.ToLower(strings.Join(words(k.path), "-")) }

// Variable returns the name of the key's environment variable without the prefix of the table:
// "SERVER_MAX_CONCURRENT_REQUESTS".
func (k *Key[C]) Variable() string { return strings.ToUpper(strings.Join(words(k.path), "_")) }

// defaults is the node of the default.
func (k *Key[C]) defaults() Node {
	var c C
	k.reset(&c)
	return k.show(&c)
}

// plainDoc is the sentence without the marks for flags.
func (k *Key[C]) plainDoc() string { return strings.ReplaceAll(k.doc, "`", "") }

// words splits a path at dots and where a capital follows another letter.
func words(path string) []string {
	var all []string
	for name := range strings.SplitSeq(path, ".") {
		start := 0
		runes := []rune(name)
		for i := 1; i < len(runes); i++ {
			if unicode.IsUpper(runes[i]) && !unicode.IsUpper(runes[i-1]) {
				all = append(all, string(runes[start:i]))
				start = i
			}
		}
		all = append(all, string(runes[start:]))
	}
	return all
}
