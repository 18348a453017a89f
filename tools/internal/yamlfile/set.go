package yamlfile

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/dougu-go/dougu/tools/config"
)

// Set returns the document with the value at a path changed. A step of the path is a name in a
// mapping, or an index, from 0, in a list. A new name, with the mappings that the path needs, is
// added at the end of its mapping. In a block list or mapping only the different parts change. Text
// of several lines is written as a literal block ("|").
func (d *Document) Set(v config.Node, path ...string) (*Document, error) {
	if len(path) == 0 {
		return nil, noPlace(path)
	}
	if above, err := d.find(path[:len(path)-1]); err != nil && errors.Is(err, ErrNoPlace) && len(path) > 1 || err == nil && vacant(above, len(path) == 1) {
		return d.adopt(v, path)
	}
	at, err := d.find(path)
	if err != nil {
		return nil, inSet(path, err)
	}
	want := with(d.node, path, func(n *config.Node) { *n = v })
	if Same(want, d.node) {
		return d, nil
	}
	changed := d
	switch {
	case at.node == nil:
		changed, err = inLines(func(w writer) (*Document, error) { return d.add(v, at.parent, path, want, w) })
	case block(at.node) && at.node.Kind == yaml.SequenceNode && v.Kind == config.List && len(v.Elements) > 0:
		changed, err = d.setList(v, path)
	case block(at.node) && at.node.Kind == yaml.MappingNode && v.Kind == config.Object && len(v.Members) > 0:
		changed, err = d.setMapping(v, path)
	default:
		changed, err = inLines(func(w writer) (*Document, error) { return d.replace(v, at, want, w) })
	}
	return changed, inSet(path, err)
}

// inLines makes a change with values in block style. If that needs a manual edit (ErrByHand), it
// tries flow style, on one line.
func inLines(change func(writer) (*Document, error)) (*Document, error) {
	changed, err := change(value)
	if errors.Is(err, ErrByHand) {
		changed, err = change(onOneLine)
	}
	return changed, err
}

func inSet(path []string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("changing %s: %w", strings.Join(path, "."), err)
}

// vacant reports whether a mapping is to be written where there is nothing, null, or {} on a line of its own.
func vacant(at spot, whole bool) bool {
	n := at.node
	switch {
	case n == nil:
		return true
	case n.Kind == yaml.ScalarNode:
		return n.ShortTag() == "!!null" && (empty(n) || !whole)
	}
	return n.Kind == yaml.MappingNode && len(n.Content) == 0 && !at.flow && !whole
}

// adopt sets a value whose mapping is not there yet, or has nothing in it.
func (d *Document) adopt(v config.Node, path []string) (*Document, error) {
	last := len(path) - 1
	object := config.Node{Kind: config.Object, Members: []config.Member{{Name: path[last], Value: v}}}
	if last > 0 {
		return d.Set(object, path[:last]...)
	}
	changed, err := d.spliced(object, splice{len(d.text), len(d.text), d.below(len(d.text), len(d.text), collection(object, 0))})
	return changed, inSet(path, err)
}

// add adds a member at the end of a mapping.
func (d *Document) add(v config.Node, parent *yaml.Node, path []string, want config.Node, write writer) (*Document, error) {
	m := config.Member{Name: path[len(path)-1], Value: v}
	if len(parent.Content) == 0 {
		from, err := d.start(parent)
		return d.either(err, want, splice{from + 1, from + 1, nameText(m.Name) + ": " + flow(v)})
	}
	end, err := d.childEnd(parent, len(parent.Content)-1)
	if err != nil {
		return nil, err
	}
	if parent.Style&yaml.FlowStyle != 0 {
		return d.spliced(want, splice{end, end, ", " + nameText(m.Name) + ": " + flow(v)})
	}
	end = d.past(end, d.column(parent))
	return d.spliced(want, splice{end, end, d.below(end, end, pair(m, d.column(parent), write))})
}

// either is the document with a change, unless its place was not found.
func (d *Document) either(err error, want config.Node, s splice) (*Document, error) {
	if err != nil {
		return nil, err
	}
	return d.spliced(want, s)
}

// past is the end of the line on which something ends in a collection at a column, and of the comments below it that are
// further in, which are about it.
func (d *Document) past(end, column int) int {
	line := end
	if end = d.lastOfLine(end); end != d.lineStart(end) {
		line = d.nextLine(end)
	}
	for ; line < len(d.text); line = d.nextLine(line) {
		spaces, blank := d.indent(line)
		if !blank && (spaces <= column || d.text[line+spaces] != '#') {
			break
		}
		if !blank {
			end = d.lineEnd(line)
		}
	}
	return end
}

// lastOfLine returns the end of the line that contains the end of a node. An end after a line break
// is returned unchanged.
func (d *Document) lastOfLine(end int) int {
	if end > 0 && end == d.lineStart(end) {
		return end
	}
	return d.lineEnd(end)
}

// replace writes a value in the place of another.
func (d *Document) replace(v config.Node, at spot, want config.Node, write writer) (*Document, error) {
	indent := -step
	if at.parent != nil {
		indent = d.column(at.parent)
	}
	from, err := d.start(at.node)
	if err != nil {
		return nil, err
	}
	to, err := d.end(at.node, indent)
	if err != nil {
		return nil, err
	}
	if empty(at.node) {
		return d.fillIn(v, at, indent, want, write)
	}
	switch {
	case at.flow, at.node.Style&yaml.FlowStyle != 0 && flat(v):
		return d.spliced(want, splice{from, to, flow(v)})
	case block(at.node):
		return d.replaceBlock(v, at, indent, want, write)
	}
	return d.replaceInline(write(v, indent, styleOf(at.node)), from, to, want)
}

func styleOf(n *yaml.Node) style {
	switch {
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return double
	case n.Style&yaml.SingleQuotedStyle != 0:
		return single
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return lines
	}
	return unquoted
}

// flat reports whether a value reads well on one line.
func flat(v config.Node) bool {
	return len(v.Members) == 0 && !slices.ContainsFunc(v.Elements, func(e config.Node) bool { return len(e.Members)+len(e.Elements) > 0 })
}

// replaceInline replaces the text after a name or a dash. For a block scalar this is its header,
// perhaps with a comment.
func (d *Document) replaceInline(w written, from, to int, want config.Node) (*Document, error) {
	head, end := to, d.lastOfLine(to)
	cut := splice{end, end, ""}
	if from < len(d.text) && (d.text[from] == '|' || d.text[from] == '>') {
		rest := bytes.TrimLeft(d.text[from:], "|>+-0123456789")
		head = len(d.text) - len(rest)
		if end > 0 && end == d.lineStart(end) { // keep the line break
			end = d.lineEnd(d.lineStart(end - 1))
		}
		cut = splice{d.lineEnd(head), end, ""}
	}
	if w.inline == "" {
		for from > 0 && (d.text[from-1] == ' ' || d.text[from-1] == '\t') {
			from--
		}
	}
	if len(w.below) > 0 {
		cut.text = d.below(cut.from, cut.to, w.below)
	}
	return d.spliced(want, splice{from, head, w.inline}, cut)
}

// fillIn writes a value where there is none behind a name or a dash.
func (d *Document) fillIn(v config.Node, at spot, indent int, want config.Node, write writer) (*Document, error) {
	behind, err := d.start(at.node)
	found := true
	if err == nil && at.parent.Kind == yaml.MappingNode && at.node.Anchor == "" {
		behind, found, err = d.colon(at.parent, at.index-1)
	}
	if err != nil {
		return nil, err
	}
	w := written{inline: flow(v)}
	if !at.flow {
		w = write(v, indent, unquoted)
	}
	if w.inline != "" {
		w.inline = " " + w.inline
	}
	if !found {
		w.inline = ":" + w.inline
	}
	all := []splice{{behind, behind, w.inline}}
	if len(w.below) > 0 {
		end := d.lineEnd(behind)
		all = append(all, splice{end, end, d.below(end, end, w.below)})
	}
	return d.spliced(want, all...)
}

// replaceBlock writes over a collection in lines.
func (d *Document) replaceBlock(v config.Node, at spot, indent int, want config.Node, write writer) (*Document, error) {
	begin, err := d.start(at.node)
	if err != nil {
		return nil, err
	}
	end, err := d.blockEnd(at.node)
	if err != nil {
		return nil, err
	}
	behind, err := d.behind(at)
	if err != nil {
		return nil, err
	}
	if end == d.lineStart(end) {
		end = d.lineEnd(d.lineStart(end - 1))
	}
	w := write(v, indent, unquoted)
	if w.inline != "" {
		w.inline = " " + w.inline
	}
	from := behind
	if begin > d.lineEnd(behind) {
		from = d.lineEnd(d.lineStart(d.lineStart(begin) - 1)) // of the line above
	}
	cut := splice{from, d.lineEnd(end), ""}
	if len(w.below) > 0 {
		cut.text = d.below(cut.from, cut.to, w.below)
	}
	return d.spliced(want, splice{behind, behind, w.inline}, cut)
}

// behind is where a collection in lines may begin: behind the colon or the dash, and the anchor.
func (d *Document) behind(at spot) (int, error) {
	if at.parent.Kind == yaml.MappingNode {
		colon, _, err := d.colon(at.parent, at.index-1)
		return colon, err
	}
	dash, err := d.begin(at.parent, at.index, 1)
	return dash + 1, err
}

// setMapping makes a mapping in lines another one, member by member.
func (d *Document) setMapping(v config.Node, path []string) (*Document, error) {
	changed, err := d, error(nil)
	old, _ := valueAt(d.node, path)
	for _, m := range v.Members {
		if changed, err = changed.Set(m.Value, append(slices.Clone(path), m.Name)...); err != nil {
			return nil, err
		}
	}
	for _, m := range missing(v.Members, old.Members) {
		if changed, err = changed.Remove(append(slices.Clone(path), m.Name)...); err != nil {
			return nil, err
		}
	}
	return changed, nil
}

// setList replaces a block list. Equal elements at its beginning and its end stay unchanged.
func (d *Document) setList(v config.Node, path []string) (*Document, error) {
	old, _ := valueAt(d.node, path)
	a, b := old.Elements, v.Elements
	head := 0
	for head < min(len(a), len(b)) && Same(a[head], b[head]) {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && Same(a[len(a)-1-tail], b[len(b)-1-tail]) {
		tail++
	}
	at := func(i int) []string { return append(slices.Clone(path), strconv.Itoa(i)) }
	changed, err := d, error(nil)
	both := min(len(a), len(b)) - tail
	for i := head; i < both && err == nil; i++ {
		changed, err = changed.Set(b[i], at(i)...)
	}
	for i := both; i < len(b)-tail && err == nil; i++ {
		changed, err = changed.Insert(b[i], at(i)...)
	}
	for i := len(a) - tail - 1; i >= both && err == nil; i-- {
		changed, err = changed.Remove(at(i)...)
	}
	return changed, err
}

// valueAt returns the value at a path.
func valueAt(n config.Node, path []string) (config.Node, bool) {
	for _, name := range path {
		found := false
		switch n.Kind {
		case config.List:
			var i int
			if i, found = indexOf(name, len(n.Elements)); found {
				n = n.Elements[i]
			}
		case config.Object:
			i := slices.IndexFunc(n.Members, func(m config.Member) bool { return m.Name == name })
			if found = i >= 0; found {
				n = n.Members[i].Value
			}
		}
		if !found {
			return config.Node{}, false
		}
	}
	return n, true
}
