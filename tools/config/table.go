package config

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/internal/nearest"
)

// Options are the properties of a table beside its keys.
type Options struct {
	// Prefix is the prefix of its environment variables, for example "PROGRAM_".
	Prefix string
	// Mask removes secrets from a received value for display. name is the name of its key or variable. nil removes nothing.
	Mask func(name, value string) string
	// Title names the program in the schema of its file.
	Title string
	// Others are further environment variables with the prefix, which mean
	// something elsewhere.
	Others []string
	// Synonyms maps variables of the table to alternative names. If both are set, the table's own name decides.
	Synonyms map[string]string
}

// Table is all keys of a configuration C.
type Table[C any] struct {
	opts   Options
	keys   []*Key[C]
	byPath map[string]*Key[C]
	below  map[string][]string // names in a section, in order; "" is the whole
}

// NewTable makes a table. It panics when two keys cannot be in one file or have
// one name, which is a mistake in the program.
func NewTable[C any](o Options, keys ...*Key[C]) *Table[C] {
	t := &Table[C]{opts: o, keys: keys, byPath: make(map[string]*Key[C]), below: make(map[string][]string)}
	variables := make(map[string]bool)
	for _, k := range keys {
		if t.byPath[k.path] != nil || t.below[k.path] != nil || variables[k.Variable()] {
			panic(fmt.Sprintf("config: the key %q is there already", k.path))
		}
		t.byPath[k.path], variables[k.Variable()] = k, true
		section := ""
		for name := range strings.SplitSeq(k.path, ".") {
			if t.byPath[section] != nil {
				panic(fmt.Sprintf("config: %q is a key and holds %q", section, k.path))
			}
			if !slices.Contains(t.below[section], name) {
				t.below[section] = append(t.below[section], name)
			}
			section = join(section, name)
		}
	}
	return t
}

// join is the path of a name in a section.
func join(section, name string) string {
	if section == "" {
		return name
	}
	return section + "." + name
}

// Keys are the keys in order.
func (t *Table[C]) Keys() []*Key[C] { return slices.Clone(t.keys) }

// Variable is the whole name of a key's environment variable.
func (t *Table[C]) Variable(k *Key[C]) string { return t.opts.Prefix + k.Variable() }

// Defaults is the configuration without any source.
func (t *Table[C]) Defaults() C {
	var c C
	for _, k := range t.keys {
		k.reset(&c)
	}
	return c
}

// mask takes secrets out of a value.
func (t *Table[C]) mask(name string) func(string) string {
	return func(value string) string {
		if t.opts.Mask == nil {
			return value
		}
		return t.opts.Mask(name, value)
	}
}

// meant is the path that a name which a section lacks was probably meant to be:
// one beside it, or one that has its name in another section.
func (t *Table[C]) meant(section, name string) string {
	if near := nearest.Name(name, t.below[section]); near != "" {
		return join(section, near)
	}
	for _, k := range t.keys {
		last := k.path[strings.LastIndexByte(k.path, '.')+1:]
		if nearest.Name(name, []string{last}) != "" || name == k.path {
			return k.path
		}
	}
	return ""
}

// document returns the tree of all sections with the result of leaf for every key. Keys without a result are omitted.
func (t *Table[C]) document(section string, leaf func(*Key[C]) (Node, bool), branch func(Node) Node) Node {
	n := object()
	for _, name := range t.below[section] {
		path := join(section, name)
		if k := t.byPath[path]; k != nil {
			if v, ok := leaf(k); ok {
				n.Members = append(n.Members, member(name, v))
			}
			continue
		}
		n.Members = append(n.Members, member(name, t.document(path, leaf, branch)))
	}
	return branch(n)
}

// Template is a file with all defaults.
func (t *Table[C]) Template() Node {
	return t.document("", func(k *Key[C]) (Node, bool) { return k.defaults(), !k.hidden }, func(n Node) Node { return n })
}

// Schema is a JSON Schema (2020-12) of the file.
func (t *Table[C]) Schema() Node {
	leaf := func(k *Key[C]) (Node, bool) {
		return object(slices.Concat([]Member{member("description", text(k.plainDoc()))}, k.schema, []Member{member("default", k.defaults())})...), true
	}
	branch := func(n Node) Node {
		return object(member("type", text("object")), member("additionalProperties", boolean(false)), member("properties", n))
	}
	n := t.document("", leaf, branch)
	properties := &n.Members[len(n.Members)-1].Value
	properties.Members = append([]Member{member(schemaMember, object(member("type", text("string"))))}, properties.Members...)
	n.Members = append([]Member{
		member(schemaMember, text("https://json-schema.org/draft/2020-12/schema")), member("title", text(t.opts.Title)),
	}, n.Members...)
	return n
}

// schemaMember is where a file may name its schema, for editors.
const schemaMember = "$schema"
