package config

import (
	"cmp"
	"slices"
)

// Approvals tell which values of a project's file the user has approved. The value is
// JSON, as the file has it: with the names of variables, not with their values.
type Approvals interface {
	Approved(file, key, value string) bool
}

// OfProject returns the layer as that of a project's file. By themselves its values
// can only narrow the configuration that the other layers make; see Key.ByProject and
// Key.Narrowing. Every other value waits for the approval of the user, and until then
// the key has the value that it has without this layer. A value that is not allowed
// counts as absent. A nil approvals approves nothing.
func (l Layer[C]) OfProject(approvals Approvals) Layer[C] {
	if approvals == nil {
		approvals = noApprovals{}
	}
	l.approvals = approvals
	return l
}

type noApprovals struct{}

func (noApprovals) Approved(file, key, value string) bool { return false }

// ByProject lets the file of a project set any value that the key allows. Values that
// contain variables wait for approval all the same.
func (k *Key[C]) ByProject() *Key[C] {
	return k.Narrowing(func(_, _ *C) bool { return true })
}

// Narrowing lets the file of a project set a value for which narrows reports true. own
// is the configuration without that file, and with the same with the project's value.
func (k *Key[C]) Narrowing(narrows func(own, with *C) bool) *Key[C] {
	k.narrows = narrows
	return k
}

// AtMost is a rule for Narrowing: the project's value is not larger.
func AtMost[C any, T cmp.Ordered](field func(*C) *T) func(own, with *C) bool {
	return func(own, with *C) bool { return *field(with) <= *field(own) }
}

// AtLeast is a rule for Narrowing: the project's value is not smaller.
func AtLeast[C any, T cmp.Ordered](field func(*C) *T) func(own, with *C) bool {
	return func(own, with *C) bool { return *field(with) >= *field(own) }
}

// Only is a rule for Narrowing: the project's value is one of some.
func Only[C any, T comparable](field func(*C) *T, values ...T) func(own, with *C) bool {
	return func(_, with *C) bool { return slices.Contains(values, *field(with)) }
}

// PartOf is a rule for Narrowing: every element of the project's list is in the other
// one, in which * stands for all.
func PartOf[C any](field func(*C) *[]string) func(own, with *C) bool {
	return func(own, with *C) bool { return isPartOf(*field(with), *field(own)) }
}

// Including is a rule for Narrowing: every element of the other list is in the
// project's one, for lists of forbidden things.
func Including[C any](field func(*C) *[]string) func(own, with *C) bool {
	return func(own, with *C) bool { return isPartOf(*field(own), *field(with)) }
}

func isPartOf(part, whole []string) bool {
	return slices.Contains(whole, "*") || !slices.ContainsFunc(part, func(s string) bool { return !slices.Contains(whole, s) })
}

// Request is a value of a project's file that needs the approval of the user.
type Request struct {
	File, Key string
	Position  Position
	// Value is the value as JSON, as the file has it. The user approves it, and so sees all of it.
	Value string
	// Shown is Value without secrets, for logs and reports.
	Shown string
	// Used is the value that is used as long as there is no approval, without secrets.
	Used string
	// Meaning is the purpose of the key.
	Meaning  string
	Approved bool
}

// Requests are the values of the project's file that need approval, in the order of
// the table.
func (l *Loaded[C]) Requests() []Request { return slices.Clone(l.requests) }

// Pending returns the requests without approval.
func Pending(requests []Request) []Request {
	return slices.DeleteFunc(slices.Clone(requests), func(r Request) bool { return r.Approved })
}

// Refused reports whether a project's file has a value that is not allowed, in whole or in part, or a part without a meaning, for example
// a misspelt setting. While a server runs, this file must not take the place of the settings before.
func (l *Loaded[C]) Refused() bool { return l.refused }

// loadOwn loads the layers that are not of a project, each at its own index. It
// returns nil if all are.
func (t *Table[C]) loadOwn(layers []Layer[C]) *Loaded[C] {
	own := slices.Clone(layers)
	projects := 0
	for i := range own {
		if own[i].approvals != nil {
			own[i] = Layer[C]{}
			projects++
		}
	}
	if projects == 0 {
		return nil
	}
	return t.Load(own...)
}

// distrust replaces the values of projects' files that do not narrow and have no
// approval.
func (l *Loaded[C]) distrust() {
	if l.own == nil {
		return
	}
	for _, k := range l.table.keys {
		o := l.origins[k]
		if o.Layer < 0 || l.approvals[o.Layer] == nil {
			continue
		}
		if o.Replaced {
			l.restore(k)
			continue
		}
		i := slices.IndexFunc(l.candidates[k], func(c candidate[C]) bool { return c.layer == o.Layer })
		c := l.candidates[k][i]
		if l.isNarrow(c) {
			continue
		}
		r := l.request(c)
		r.Approved = l.approvals[o.Layer].Approved(r.File, r.Key, r.Value)
		l.requests = append(l.requests, r)
		if !r.Approved {
			l.restore(k)
		}
	}
}

// restore gives a key the value that it has without the project's file.
func (l *Loaded[C]) restore(k *Key[C]) {
	k.copy(&l.Config, &l.own.Config)
	l.origins[k] = l.own.origins[k]
}

// isNarrow reports whether a project's value needs no approval.
func (l *Loaded[C]) isNarrow(c candidate[C]) bool {
	if c.node.hasVariables() {
		return false
	}
	with := l.own.Config
	c.set(&with)
	if c.key.show(&with).JSON() == c.key.show(&l.own.Config).JSON() {
		return true
	}
	return c.key.narrows != nil && c.key.narrows(&l.own.Config, &with)
}

func (l *Loaded[C]) request(c candidate[C]) Request {
	mask := l.table.mask(c.key.path)
	written := c.node.written()
	return Request{
		File: c.source, Key: c.key.path, Position: c.node.Position, Value: written.JSON(), Shown: written.masked(mask).JSON(),
		Used: c.key.show(&l.own.Config).masked(mask).JSON(), Meaning: c.key.plainDoc(),
	}
}

// hasVariables reports whether a variable was replaced in the node.
func (n Node) hasVariables() bool {
	return n.Written != "" || slices.ContainsFunc(n.Elements, Node.hasVariables) ||
		slices.ContainsFunc(n.Members, func(m Member) bool { return m.Value.hasVariables() })
}

// written is the node as the file has it, with the names of variables.
func (n Node) written() Node {
	if n.Written != "" {
		n.Text, n.Written = n.Written, ""
	}
	n.Elements = slices.Clone(n.Elements)
	for i := range n.Elements {
		n.Elements[i] = n.Elements[i].written()
	}
	n.Members = slices.Clone(n.Members)
	for i := range n.Members {
		n.Members[i].Value = n.Members[i].Value.written()
	}
	return n
}

// String describes the request on one line.
func (r Request) String() string {
	o := Origin{Source: r.File, Position: r.Position}
	if r.Approved {
		return o.String() + ": " + r.Key + ": " + shorten(r.Shown) + " is approved"
	}
	return o.String() + ": " + r.Key + ": " + shorten(r.Shown) + " waits for your approval; until then " + shorten(r.Used) + " is used"
}
