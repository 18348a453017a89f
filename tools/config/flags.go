package config

import (
	"flag"
	"slices"
)

// Flags are the flags of a table. They record the given values.
type Flags[C any] struct {
	table *Table[C]
	given map[*Key[C]][]given
}

// given is one use of a flag.
type given struct{ name, value string }

// Flags declares a flag for every key of the table. The values are checked by Layer, like the values of other sources.
func (t *Table[C]) Flags(flags *flag.FlagSet) *Flags[C] {
	f := &Flags[C]{table: t, given: make(map[*Key[C]][]given)}
	for _, k := range t.keys {
		flags.Var(&flagValue[C]{f, k, k.Flag()}, k.Flag(), k.doc)
		for _, alias := range k.aliases {
			flags.Var(&flagValue[C]{f, k, alias}, alias, "the same as -"+k.Flag())
		}
	}
	return f
}

// Layer is the layer of the flags that were given. Of a flag that was given more
// than once the last counts, and of one for a list all.
func (f *Flags[C]) Layer() Layer[C] {
	var l Layer[C]
	for _, k := range f.table.keys {
		uses := f.given[k]
		if len(uses) == 0 {
			continue
		}
		if !k.many {
			last := uses[len(uses)-1]
			l.add(k, "flag -"+last.name, last.value)
			continue
		}
		for _, use := range uses {
			l.add(k, "flag -"+use.name, use.value)
		}
		l.entries = append(l.entries[:len(l.entries)-len(uses)], merged(l.entries[len(l.entries)-len(uses):]))
	}
	return l
}

// merged is one list of several. One that could not be read stands for all.
func merged[C any](entries []entry[C]) entry[C] {
	all := entries[0]
	for _, e := range entries {
		if e.fault != "" || e.node.Kind != List {
			return e
		}
	}
	all.node.Elements = nil
	for _, e := range entries {
		all.node.Elements = append(all.node.Elements, e.node.Elements...)
	}
	return all
}

// flagValue is one flag of a key.
type flagValue[C any] struct {
	flags *Flags[C]
	key   *Key[C]
	name  string
}

// String implements flag.Value: it is the default, which help shows.
func (v *flagValue[C]) String() string {
	if v.key == nil {
		return ""
	}
	return v.key.defaults().plain()
}

// Set implements flag.Value.
func (v *flagValue[C]) Set(value string) error {
	v.flags.given[v.key] = append(v.flags.given[v.key], given{v.name, value})
	return nil
}

// IsBoolFlag lets a switch be set without a value.
func (v *flagValue[C]) IsBoolFlag() bool { return v.key != nil && v.key.toggle }

// Choices are the values that a shell offers; there are none if anything can be
// said.
func (v *flagValue[C]) Choices() []string {
	if v.key == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(v.key.words), func(word string) bool { return word == "" })
}
