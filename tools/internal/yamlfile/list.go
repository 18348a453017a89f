package yamlfile

import (
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/tools/config"
)

// Insert puts an element into a list. The path ends with the index that it is to have, at most the length of the list. Where
// elements have blank lines between them, it has, too. A list that is not there is made.
func (d *Document) Insert(v config.Node, path ...string) (*Document, error) {
	if len(path) < 2 {
		return nil, noPlace(path)
	}
	last := len(path) - 1
	list, _ := valueAt(d.node, path[:last])
	index, ok := indexOf(path[last], len(list.Elements)+1)
	if !ok || list.Kind != config.List && list.Kind != config.Null {
		return nil, noPlace(path)
	}
	if len(list.Elements) == 0 {
		return d.Set(config.Node{Kind: config.List, Elements: []config.Node{v}}, path[:last]...)
	}
	at, err := d.find(path[:last])
	if err != nil {
		return nil, inSet(path, err)
	}
	if at.node.Kind != yaml.SequenceNode {
		return nil, inSet(path, d.byHand(at.node))
	}
	want := with(d.node, path[:last], func(n *config.Node) { n.Elements = slices.Insert(slices.Clone(n.Elements), index, v) })
	changed, err := d, ErrByHand
	if d.apart(at.node, v) {
		changed, err = inLines(func(w writer) (*Document, error) { return d.insert(v, at.node, index, true, want, w) })
	}
	if err != nil { // a blank line would belong to the text before it
		changed, err = inLines(func(w writer) (*Document, error) { return d.insert(v, at.node, index, false, want, w) })
	}
	return changed, inSet(path, err)
}

func (d *Document) insert(v config.Node, list *yaml.Node, index int, apart bool, want config.Node, write writer) (*Document, error) {
	if list.Style&yaml.FlowStyle != 0 {
		return d.insertFlow(v, list, index, want)
	}
	all := item(v, d.column(list), write)
	if index == 0 {
		dash, err := d.start(list)
		if err != nil {
			return nil, err
		}
		if apart {
			all = append(all, "")
		}
		at := d.lineStart(dash)
		return d.spliced(want, splice{at, at, d.above(all)})
	}
	end, err := d.childEnd(list, index-1)
	if err != nil {
		return nil, err
	}
	if apart {
		all = append([]string{""}, all...)
	}
	end = d.past(end, d.column(list))
	return d.spliced(want, splice{end, end, d.below(end, end, all)})
}

// above returns lines to insert before the beginning of a line.
func (d *Document) above(all []string) (text string) {
	for _, line := range all {
		text += line + d.newline()
	}
	return text
}

func (d *Document) insertFlow(v config.Node, list *yaml.Node, index int, want config.Node) (*Document, error) {
	if index == 0 {
		at, err := d.offset(list.Content[0])
		return d.either(err, want, splice{at, at, flow(v) + ", "})
	}
	end, err := d.childEnd(list, index-1)
	return d.either(err, want, splice{end, end, ", " + flow(v)})
}

// apart reports whether elements of the list have blank lines between them. A single one tells nothing: mappings are
// set apart.
func (d *Document) apart(list *yaml.Node, v config.Node) bool {
	if len(list.Content) < 2 {
		return len(v.Members) > 1
	}
	end, err := d.childEnd(list, len(list.Content)-2)
	if err != nil {
		return false
	}
	_, blank := d.indent(d.nextLine(end))
	if end == d.lineStart(end) {
		_, blank = d.indent(end)
	}
	return blank
}

// Remove removes a member of a mapping, or an element of a list, with the comments in it. Comments
// above it stay.
func (d *Document) Remove(path ...string) (*Document, error) {
	at, err := d.find(path)
	if err == nil && (at.parent == nil || at.node == nil) {
		err = noPlace(path)
	}
	if err != nil {
		return nil, inSet(path, err)
	}
	width := 1
	if at.parent.Kind == yaml.MappingNode {
		width = 2
	}
	if len(at.parent.Content) == width && len(path) > 1 {
		kind := config.List
		if width == 2 {
			kind = config.Object
		}
		return d.Set(config.Node{Kind: kind}, path[:len(path)-1]...)
	}
	want := without(d.node, path)
	cutOut := d.cutLines
	if at.parent.Style&yaml.FlowStyle != 0 {
		cutOut = d.cutFlow
	}
	cut, err := cutOut(at.parent, at.index, width)
	if err != nil {
		return nil, inSet(path, err)
	}
	changed, err := d, ErrByHand
	if width == 1 && at.parent.Style&yaml.FlowStyle == 0 {
		changed, err = d.spliced(want, d.closedUp(cut, at.index+1 < len(at.parent.Content)))
	}
	if err != nil { // blank lines may belong to the text before them
		changed, err = d.spliced(want, cut)
	}
	return changed, inSet(path, err)
}

// cutFlow is a part between brackets, with the comma behind it or, at the end, before it.
func (d *Document) cutFlow(n *yaml.Node, index, width int) (splice, error) {
	first := index - width + 1
	from, err := d.offset(n.Content[first])
	if err != nil {
		return splice{}, err
	}
	if index+1 < len(n.Content) {
		to, err := d.offset(n.Content[index+1])
		return splice{from: from, to: to}, err
	}
	if first > 0 {
		if from, err = d.childEnd(n, first-1); err != nil {
			return splice{}, err
		}
	}
	to, err := d.childEnd(n, index)
	return splice{from: from, to: to}, err
}

// cutLines returns the removal of the lines of an element, with the blank lines that separate it.
func (d *Document) cutLines(n *yaml.Node, index, width int) (splice, error) {
	end, err := d.childEnd(n, index)
	if err != nil {
		return splice{}, err
	}
	begin, err := d.begin(n, index, width)
	if err != nil {
		return splice{}, err
	}
	line := d.lineStart(begin)
	if spaces, _ := d.indent(line); line+spaces < begin { // a dash is before it
		for begin > line && d.text[begin-1] == ' ' {
			begin--
		}
		return splice{from: begin, to: d.lastOfLine(end)}, nil
	}
	cut := splice{from: line, to: min(d.nextLine(end), len(d.text))}
	if end > 0 && end == d.lineStart(end) {
		cut.to = end
	}
	return cut, nil
}

// begin is where a part of a collection in lines begins: its name or its dash.
func (d *Document) begin(n *yaml.Node, index, width int) (int, error) {
	if width == 2 {
		return d.offset(n.Content[index-1])
	}
	if index == 0 {
		return d.start(n)
	}
	end, err := d.childEnd(n, index-1)
	return d.gap(end), err
}

// closedUp extends a removal by the blank lines that separate the removed part: the lines below it,
// or above it at the end.
func (d *Document) closedUp(cut splice, more bool) splice {
	if cut.from != d.lineStart(cut.from) {
		return cut
	}
	for more && cut.to < len(d.text) {
		if _, blank := d.indent(cut.to); !blank {
			break
		}
		cut.to = d.nextLine(cut.to)
	}
	for !more && cut.from > 0 {
		above := d.lineStart(cut.from - 1)
		if _, blank := d.indent(above); !blank {
			break
		}
		cut.from = above
	}
	return cut
}
