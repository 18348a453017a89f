package config

import (
	"cmp"
	"fmt"
	"slices"
)

// Loaded is a configuration with the origin of each value and the problems of all
// sources.
type Loaded[C any] struct {
	// Config is the resulting configuration. It is valid for every input.
	Config C

	table      *Table[C]
	origins    map[*Key[C]]Origin
	candidates map[*Key[C]][]candidate[C]
	problems   []*Problem

	own       *Loaded[C]  // the configuration without files of projects; nil if no layer is of a project
	approvals []Approvals // by layer; nil for a layer that is not of a project
	requests  []Request   // values of projects' files that need the approval of the user
	refused   bool        // a project's file has an invalid value, or a setting that does not exist
}

// candidate is the valid value of a key in one source.
type candidate[C any] struct {
	entry[C]
	layer int      // index of the source in the arguments of Load
	set   func(*C) // sets the value in a configuration
}

// Origin is the source of a value.
type Origin struct {
	// Source is the name of the source, as in problems. It is "default" if no source
	// has the key.
	Source string
	// Layer is the index of the source in the arguments of Load, or -1 for a default.
	Layer    int
	Position Position // in a file
	// Replaced means that the value of the source is invalid, and the default is used.
	Replaced bool
}

// String returns the origin as a text for people.
func (o Origin) String() string {
	s := o.Source
	if o.Position.Line > 0 {
		s += fmt.Sprintf(":%d:%d", o.Position.Line, o.Position.Column)
	}
	if o.Replaced {
		s = "default, instead of the wrong value in " + s
	}
	return s
}

// Load combines sources, in ascending precedence, into a configuration: the last
// source with a key decides. Without the approval of the user, the file of a project
// can only narrow the configuration; see Layer.OfProject.
func (t *Table[C]) Load(layers ...Layer[C]) *Loaded[C] {
	l := &Loaded[C]{
		Config: t.Defaults(), table: t,
		origins: make(map[*Key[C]]Origin, len(t.keys)), candidates: make(map[*Key[C]][]candidate[C]),
		own: t.loadOwn(layers),
	}
	for _, layer := range layers {
		l.approvals = append(l.approvals, layer.approvals)
		l.refused = l.refused || layer.approvals != nil && layer.misread
	}
	for _, k := range t.keys {
		l.origins[k] = Origin{Source: "default", Layer: -1}
	}
	deciding := make(map[*Key[C]]int) // index of the last source with the key
	for i, layer := range layers {
		for _, e := range layer.entries {
			deciding[e.key] = i
		}
	}
	for i, layer := range layers {
		ps := problems{list: slices.Clone(layer.problems.list), more: layer.problems.more}
		for _, e := range layer.entries {
			l.take(e, i, deciding[e.key], &ps)
		}
		slices.SortStableFunc(ps.list, func(a, b *Problem) int {
			return cmp.Or(cmp.Compare(a.Position.Line, b.Position.Line), cmp.Compare(a.Position.Column, b.Position.Column))
		})
		l.problems = append(l.problems, ps.all()...)
	}
	l.distrust()
	return l
}

// take reads the value of a key in one source. It uses the value if the source is the
// deciding one, the last one with the key. Problems are added to ps in any case.
func (l *Loaded[C]) take(e entry[C], layer, deciding int, ps *problems) {
	// Replaced is the state until a valid value of the deciding source is found. replacement compares Layer.
	l.origins[e.key] = Origin{Source: e.source, Layer: deciding, Position: e.node.Position, Replaced: true}
	if e.fault != "" {
		p := l.problem(e, layer, fault{node: e.node})
		p.Message, p.Consequence = e.fault, l.replacement(e.key, layer)
		ps.add(p)
		return
	}
	set, faults, ok := e.key.read(e.node)
	for _, f := range faults {
		p := l.problem(e, layer, f)
		if p.Consequence = l.replacement(e.key, layer); ok {
			p.Consequence = "it is left out"
		}
		ps.add(p)
	}
	if !ok {
		return
	}
	l.candidates[e.key] = append(l.candidates[e.key], candidate[C]{e, layer, set})
	if layer == deciding {
		set(&l.Config)
		l.origins[e.key] = Origin{Source: e.source, Layer: layer, Position: e.node.Position}
	}
}

// replacement returns the part of a problem that names the value that is used in place of an invalid value of a layer.
func (l *Loaded[C]) replacement(k *Key[C], layer int) string {
	if layer != l.origins[k].Layer {
		return "another source decides"
	}
	if l.approvals[layer] != nil {
		return shorten(k.show(&l.own.Config).masked(l.table.mask(k.path)).JSON()) + " is used, as without this file"
	}
	return fmt.Sprintf("the default %s is used", shorten(k.defaults().JSON()))
}

// problem returns the problem for an invalid value of a layer.
func (l *Loaded[C]) problem(e entry[C], layer int, f fault) *Problem {
	l.refused = l.refused || l.approvals[layer] != nil
	p := &Problem{
		Source: e.source, Position: f.node.Position, Key: e.key.path + f.path,
		Received: "received " + f.node.received(l.table.mask(e.key.path)), Message: "allowed is " + f.allowed,
	}
	if f.near != "" {
		p.Message += fmt.Sprintf("; did you mean %q?", f.near)
	}
	return p
}

// Problems returns the problems, source by source.
func (l *Loaded[C]) Problems() []*Problem { return slices.Clone(l.problems) }

// Err returns all problems as one error, a *multierror.Error, or nil. It names the
// replacement of each value: it is for a program that continues.
func (l *Loaded[C]) Err() error { return joined(l.problems) }

// Refusal is like Err without the replacements: it is for a program that does not
// start if there is a problem.
func (l *Loaded[C]) Refusal() error {
	bare := make([]*Problem, len(l.problems))
	for i, p := range l.problems {
		one := *p
		one.Consequence = ""
		bare[i] = &one
	}
	return joined(bare)
}

// Origin returns the source of the value of a key.
func (l *Loaded[C]) Origin(k *Key[C]) Origin { return l.origins[k] }

// decides reports whether a candidate is the value that is used.
func (l *Loaded[C]) decides(c candidate[C]) bool {
	o := l.origins[c.key]
	return o.Layer == c.layer && !o.Replaced
}

// Check applies an additional rule to a key. rule receives, for each source with the key, a configuration with the value of
// that source and the index of the source. Values that it refuses are not used. The error ends the sentence "allowed is".
func (l *Loaded[C]) Check(k *Key[C], rule func(c *C, layer int) error) {
	if l.own != nil {
		l.own.Check(k, rule)
	}
	for _, candidate := range l.candidates[k] {
		c := l.Config
		candidate.set(&c)
		err := rule(&c, candidate.layer)
		if err == nil {
			continue
		}
		p := l.problem(candidate.entry, candidate.layer, fault{node: candidate.node, allowed: err.Error()})
		p.Consequence = l.replacement(k, candidate.layer)
		l.problems = append(l.problems, p)
		switch {
		case !l.decides(candidate): // the value is not used
		case l.own != nil && l.own.origins[k].Layer != candidate.layer:
			l.restore(k)
		default:
			k.reset(&l.Config)
			o := l.origins[k]
			o.Replaced = true
			l.origins[k] = o
		}
	}
}

// Keep applies an additional rule to the elements of a list, as Check does to a key. Refused elements are removed. The value
// stays that of its source, even if the list becomes empty, so its Origin does not change.
func (l *Loaded[C]) Keep(k *ListKey[C], rule func(element string, layer int) error) {
	if l.own != nil {
		l.own.Keep(k, rule)
	}
	for _, candidate := range l.candidates[k.Key] {
		c := l.Config
		candidate.set(&c)
		kept := make([]string, 0, len(*k.field(&c)))
		var ps problems
		for _, element := range *k.field(&c) {
			err := rule(element, candidate.layer)
			if err == nil {
				kept = append(kept, element)
				continue
			}
			i := slices.IndexFunc(candidate.node.Elements, func(n Node) bool { return n.Text == element })
			p := l.problem(candidate.entry, candidate.layer, fault{path: fmt.Sprintf("[%d]", i), node: candidate.node.Elements[i], allowed: err.Error()})
			p.Consequence = "it is left out"
			ps.add(p)
		}
		l.problems = append(l.problems, ps.all()...)
		if l.decides(candidate) {
			*k.field(&l.Config) = kept
		}
	}
}
