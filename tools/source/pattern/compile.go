package pattern

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// errorKind is the kind of the error node of every grammar.
const errorKind = 1<<16 - 1

// op is the operation of an item.
type op uint8

const (
	opNode  op = iota // a node of a kind with children that match
	opLeaf            // a node of a kind with a text
	opToken           // a token of a kind
	opOne             // any named node
	opMany            // any number of siblings
	opMaybe           // no node, or one of a kind: the list that opMany is alone in
)

// item is a node of a compiled pattern.
type item struct {
	op        op
	kind      uint16
	capture   int    // index in Pattern.names; -1 for none
	text      string // of opLeaf
	anyCase   bool   // of opLeaf: letter case does not matter
	separator bool   // a comma, semicolon or line end
	droppable bool   // a separator that the text may lack
	children  list
}

// list are items that match siblings.
type list struct {
	items []*item
	many  int  // the number of opMany
	open  bool // further siblings may follow
	gaps  string
}

// add adds the reading of a tree without faults to the pattern.
func (c *compiler) add(t *parsedPlace) error {
	roots := t.cover()
	if len(roots) == 0 {
		return &faultyError{"it is no part of the syntax tree"}
	}
	c.nodes = 0
	r := &reading{kind: t.Kinds[t.Nodes[roots[0]].Kind]}
	items, err := c.items(t, roots, 0, false)
	if err != nil {
		return err
	}
	for len(items) > 1 && items[len(items)-1].separator {
		items = items[:len(items)-1]
	}
	if len(items) == 0 {
		return refuse(wholeAdvice, "the pattern has no code")
	}
	if len(items) == 1 && items[0].op >= opOne {
		return refuse("Write the code around it, as in f($A).", "the pattern is a variable alone, which every node matches")
	}
	if items[0].op >= opMany || items[len(items)-1].op >= opMany {
		return refuse("Write the code around it, as in f($$$A) or { $$$A }.", "the pattern begins or ends with $$$, so it is not certain where a match ends")
	}
	r.list = newList(items)
	r.list.open = true
	signature := r.list.signature()
	for _, other := range c.pattern.readings {
		if other.list.signature() == signature {
			return nil
		}
	}
	if len(c.pattern.readings) == maxReadings {
		return nil
	}
	r.literals = r.list.literals(nil)
	slices.SortStableFunc(r.literals, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	c.pattern.readings = append(c.pattern.readings, r)
	return nil
}

func newList(items []*item) list {
	l := list{items: items}
	for _, it := range items {
		if it.op == opMany {
			l.many++
		}
	}
	return l
}

// cover returns the smallest node that is the pattern, or the siblings that are it together. It is empty if the pattern is a part of
// a node, or parts of several.
func (t *parsedPlace) cover() []int32 {
	at := int32(0)
	for {
		var inside []int32
		next := int32(-1)
		for kid := at + 1; kid < t.Nodes[at].Next; kid = t.Nodes[kid].Next {
			start, end := t.span(kid)
			switch {
			case end <= t.start || start >= t.end || start == end:
			case start >= t.start && end <= t.end:
				if !t.isComment(kid) {
					inside = append(inside, kid)
				}
			case start <= t.start && end >= t.end:
				next = kid
			default:
				return nil
			}
		}
		switch {
		case len(inside) == 0 && next < 0:
			return nil
		case len(inside) == 0:
			at = next
			continue
		case next >= 0:
			return nil
		}
		if t.blankComments(inside); !t.spansPattern(inside) {
			return nil
		}
		return t.unwrap(inside)
	}
}

// unwrap returns the innermost node with the text of a single node. Statements in a list without brackets are returned by themselves.
func (t *parsedPlace) unwrap(nodes []int32) []int32 {
	for len(nodes) == 1 {
		kids := t.children(nodes[0])
		if len(kids) == 0 {
			break
		}
		first, last := t.Nodes[kids[0]], t.Nodes[kids[len(kids)-1]]
		from, to := t.span(nodes[0])
		begin, end := t.span(kids[0])
		switch {
		case len(kids) == 1 && begin == from && end == to && first.Is(source.Named):
			nodes = kids
			continue
		case len(kids) > 1 && isListKind(t.Kinds[t.Nodes[nodes[0]].Kind]) && first.Is(source.Named) && last.Is(source.Named):
			return kids
		}
		break
	}
	return nodes
}

// span returns the range of a node without blanks at its ends.
func (t *parsedPlace) span(i int32) (start, end int32) {
	start, end = t.Nodes[i].Start, t.Nodes[i].End
	text := t.src[start:end]
	end -= int32(len(text) - len(bytes.TrimRight(text, " \t\r\n")))
	if start < end {
		start += int32(len(text) - len(bytes.TrimLeft(text, " \t\r\n")))
	}
	return start, end
}

// blankComments replaces the comments of the pattern beside nodes by blanks.
func (t *parsedPlace) blankComments(nodes []int32) {
	first, _ := t.span(nodes[0])
	_, last := t.span(nodes[len(nodes)-1])
	for i := range t.Nodes {
		if n := &t.Nodes[i]; t.isComment(int32(i)) && n.Start >= t.start && n.End <= t.end && (n.End <= first || n.Start >= last) {
			for at := n.Start; at < n.End; at++ {
				t.src[at] = ' '
			}
		}
	}
}

// spansPattern reports whether nodes are the whole pattern but for blanks and separators.
func (t *parsedPlace) spansPattern(nodes []int32) bool {
	first, _ := t.span(nodes[0])
	_, last := t.span(nodes[len(nodes)-1])
	return len(bytes.Trim(t.src[t.start:first], blanks)) == 0 && len(bytes.Trim(t.src[last:t.end], blanks)) == 0
}

// blanks are the bytes between nodes that no grammar has a node for.
const blanks = " \t\r\n\f\v;,\\\x00"

func (t *parsedPlace) isComment(i int32) bool { return isComment(&t.Nodes[i], t.Kinds) }

// isComment reports whether a node is a comment, or something else that may stand everywhere.
func isComment(n *source.Node, kinds map[uint16]string) bool {
	return n.Is(source.Extra) || strings.Contains(kinds[n.Kind], "comment")
}

// children returns the children of a node without comments and line ends.
func (t *parsedPlace) children(i int32) []int32 {
	var kids []int32
	for kid := i + 1; kid < t.Nodes[i].Next; kid = t.Nodes[kid].Next {
		if start, end := t.span(kid); !t.isComment(kid) && (start < end || t.Nodes[kid].Is(source.Named)) {
			kids = append(kids, kid)
		}
	}
	return kids
}

// isListKind reports whether a kind of node is a list of siblings without brackets of its own, if its text is that of one child.
func isListKind(kind string) bool {
	for _, part := range []string{"_list", "block", "statements", "body", "suite", "then", "arguments", "parameters", "sequence", "compound_statement"} {
		if strings.Contains(kind, part) {
			return true
		}
	}
	return false
}

// items compiles siblings. inFor says that semicolons between them have a meaning.
func (c *compiler) items(t *parsedPlace, nodes []int32, depth int, inFor bool) ([]*item, error) {
	var items []*item
	for _, i := range nodes {
		it, err := c.item(t, i, depth)
		if err != nil {
			return nil, err
		}
		items = append(items, it)
	}
	for i, it := range items {
		if !it.separator {
			continue
		}
		last := i+1 == len(items) || items[i+1].op == opToken && !items[i+1].separator
		it.droppable = !inFor && (it.text != "," || last)
	}
	return items, nil
}

func (c *compiler) item(t *parsedPlace, i int32, depth int) (*item, error) {
	if c.nodes++; c.nodes > maxNodes || depth > maxDepth {
		return nil, refuse("Leave out parts with $_ and $$$.", "the pattern is too large: at most %d nodes and a depth of %d are compiled", maxNodes, maxDepth)
	}
	n := &t.Nodes[i]
	start, end := t.span(i)
	text := string(t.src[start:end])
	kids := t.children(i)
	kind := t.Kinds[n.Kind]
	if v := c.variable(text); v != nil && n.Is(source.Named) {
		single := len(kids) == 1 && t.Nodes[kids[0]].Is(source.Named) && isListKind(kind)
		switch {
		case single && v.many:
			return &item{op: opMaybe, kind: n.Kind, capture: v.id}, nil
		case v.many:
			return &item{op: opMany, capture: v.id}, nil
		case !single:
			return &item{op: opOne, capture: v.id}, nil
		}
	}
	it := &item{kind: n.Kind, capture: -1}
	if len(kids) == 0 {
		if it.op = opLeaf; !n.Is(source.Named) {
			it.op = opToken
			it.separator = isSeparator(n, t.src)
		}
		it.text = c.restore(text)
		it.anyCase = strings.HasPrefix(kind, "keyword_")
		return it, nil
	}
	gaps := gapsOf(t.Nodes, t.src, i)
	if gaps != "" && c.restore(text) == text || c.restore(gaps) != gaps {
		it.op, it.text = opLeaf, c.restore(text)
		return it, nil
	}
	items, err := c.items(t, kids, depth+1, strings.HasPrefix(kind, "for"))
	if err != nil {
		return nil, err
	}
	it.children = newList(items)
	it.children.gaps = gaps
	return it, nil
}

// variable returns the variable that a text stands for, or nil.
func (c *compiler) variable(text string) *variable {
	for _, v := range c.variables {
		if v.written(c.forms) == text || v.word == text {
			return v
		}
	}
	return nil
}

// restore returns a text with variables as they were written.
func (c *compiler) restore(text string) string {
	for i := len(c.variables) - 1; i >= 0; i-- {
		v := c.variables[i]
		text = strings.ReplaceAll(text, v.written(c.forms), v.text)
		text = strings.ReplaceAll(text, v.word, v.text)
	}
	return text
}

// isSeparator reports whether a node is a comma, a semicolon or a line end.
func isSeparator(n *source.Node, src []byte) bool {
	if n.Is(source.Named) {
		return false
	}
	text := src[n.Start:n.End]
	return len(text) <= 1 && len(bytes.Trim(text, " \t\r\n;,")) == 0 || len(bytes.TrimSpace(text)) == 0
}

// gapsOf returns the text of a node that is in none of its children, without blanks.
func gapsOf(nodes []source.Node, src []byte, i int32) string {
	at := nodes[i].Start
	var gaps []byte
	add := func(to int32) {
		if to > at {
			if rest := bytes.Trim(src[at:to], blanks); len(rest) > 0 {
				gaps = append(gaps, rest...)
			}
		}
	}
	for kid := i + 1; kid < nodes[i].Next; kid = nodes[kid].Next {
		add(nodes[kid].Start)
		at = max(at, nodes[kid].End)
	}
	add(nodes[i].End)
	return string(gaps)
}

// signature describes a list, for the comparison of readings.
func (l *list) signature() string {
	var b strings.Builder
	l.describe(&b)
	return b.String()
}

func (l *list) describe(b *strings.Builder) {
	for _, it := range l.items {
		b.WriteString(strconv.Itoa(int(it.op)) + " " + strconv.Itoa(int(it.kind)) + " " + strconv.Itoa(it.capture) + strconv.Quote(it.text) + "(")
		it.children.describe(b)
		b.WriteString(")")
	}
}

// literals appends the texts of leaves that every match has.
func (l *list) literals(all [][]byte) [][]byte {
	for _, it := range l.items {
		if it.op == opLeaf && !it.anyCase && it.text != "" {
			all = append(all, []byte(it.text))
		}
		all = it.children.literals(all)
	}
	return all
}
