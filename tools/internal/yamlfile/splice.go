package yamlfile

import (
	"cmp"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/config"
)

// splice puts a text in the place of another.
type splice struct {
	from, to int
	text     string
}

// spliced returns the document with its text changed. It is an error if the new text does not
// decode to want.
func (d *Document) spliced(want config.Node, all ...splice) (*Document, error) {
	slices.SortStableFunc(all, func(a, b splice) int { return cmp.Compare(a.from, b.from) })
	text, at := slices.Clone(d.mark), 0
	for _, s := range all {
		if s.from < at || s.to < s.from || s.to > len(d.text) {
			return nil, ErrByHand
		}
		text = append(append(text, d.text[at:s.from]...), s.text...)
		at = s.to
	}
	text = append(text, d.text[at:]...)
	changed, err := Parse(text)
	if err != nil || !Same(changed.node, want) {
		return nil, ErrByHand
	}
	return changed, nil
}

// below returns lines to insert after at, the end or the beginning of a line, in place of the text
// up to to.
func (d *Document) below(at, to int, all []string) string {
	newline := d.newline()
	text := strings.Join(all, newline)
	if at == d.lineStart(at) {
		return text + newline
	}
	text = newline + text
	if to == len(d.text) {
		text += newline
	}
	return text
}

// Same reports whether two nodes say the same, whatever the order of members.
func Same(a, b config.Node) bool {
	if a.Kind != b.Kind || a.Text != b.Text || len(a.Members) != len(b.Members) {
		return false
	}
	byName := func(x, y config.Member) int { return cmp.Compare(x.Name, y.Name) }
	return slices.EqualFunc(a.Elements, b.Elements, Same) &&
		slices.EqualFunc(slices.SortedStableFunc(slices.Values(a.Members), byName), slices.SortedStableFunc(slices.Values(b.Members), byName),
			func(x, y config.Member) bool { return x.Name == y.Name && Same(x.Value, y.Value) })
}

// with is a node with another value at a path; a member that is not there is added.
func with(n config.Node, path []string, change func(*config.Node)) config.Node {
	if len(path) == 0 {
		change(&n)
		return n
	}
	switch n.Kind {
	case config.Object:
		n.Members = slices.Clone(n.Members)
		for i, m := range n.Members {
			if m.Name == path[0] {
				n.Members[i].Value = with(m.Value, path[1:], change)
				return n
			}
		}
		n.Members = append(n.Members, config.Member{Name: path[0], Value: with(config.Node{}, path[1:], change)})
	case config.List:
		n.Elements = slices.Clone(n.Elements)
		if i, ok := indexOf(path[0], len(n.Elements)); ok {
			n.Elements[i] = with(n.Elements[i], path[1:], change)
		}
	}
	return n
}

// without is a node without a member or an element.
func without(n config.Node, path []string) config.Node {
	last := len(path) - 1
	return with(n, path[:last], func(n *config.Node) {
		if n.Kind == config.List {
			i, _ := indexOf(path[last], len(n.Elements))
			n.Elements = slices.Delete(slices.Clone(n.Elements), i, i+1)
			return
		}
		n.Members = slices.DeleteFunc(slices.Clone(n.Members), func(m config.Member) bool { return m.Name == path[last] })
	})
}
