package pattern

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// Match is a place that matches a pattern.
type Match struct {
	Start, End int    // byte offsets in the text
	Kind       string // kind of the node, or of the first of several siblings
	Captures   []Capture
	Comments   int // comments in the match that are not within a capture
}

// Capture is the part of a match that a variable stands for.
type Capture struct {
	Name       string // without dollar signs
	Many       bool   // of $$$NAME
	Start, End int    // byte offsets in the text; equal if $$$NAME matches nothing
}

// Result are the matches in a text.
type Result struct {
	// Matches are in the order of their start. They can be within each other.
	Matches []Match
	// Faulty reports that the grammar does not understand a part of the text, where matches can be missing.
	Faulty bool
	// Incomplete is the reason why matches are missing; "" if none is.
	Incomplete string
}

// Limits of a comparison.
const (
	maxMatches   = 100000
	maxSteps     = 4 << 20   // of one place
	maxFileSteps = 256 << 20 // of a text
	checkedSteps = 64 << 10  // between two looks at the context
)

// Find returns the matches in a text. The errors are those of Trees, and the error of ctx.
func (p *Pattern) Find(ctx context.Context, src []byte) (*Result, error) {
	tree, err := p.trees.Tree(ctx, src, p.lang)
	if err != nil {
		return nil, err
	}
	r := new(Result)
	if len(tree.Nodes) == 0 {
		return r, nil
	}
	r.Faulty = tree.Nodes[0].Is(source.Faulty)
	m := matcher{ctx: ctx, pattern: p, tree: tree, src: src, comments: make([]bool, 1<<16)}
	for kind, name := range tree.Kinds {
		m.comments[kind] = strings.Contains(name, "comment")
	}
	var siblings []*reading
	for _, candidate := range p.readings {
		if len(candidate.list.items) > 1 {
			siblings = append(siblings, candidate)
		}
	}
	for i := range tree.Nodes {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if m.total > maxFileSteps || len(r.Matches) >= maxMatches {
			r.Incomplete = "there are too many places to compare"
			break
		}
		for _, candidate := range p.byKind[tree.Nodes[i].Kind] {
			if found, ok := m.at(&candidate.list, []int32{int32(i)}); ok {
				r.Matches = append(r.Matches, found)
				break
			}
		}
		if len(siblings) > 0 && tree.Nodes[i].Next > int32(i)+1 {
			m.siblings(r, siblings, int32(i))
		}
		if m.err != nil {
			return nil, m.err
		}
	}
	if m.complex > 0 && r.Incomplete == "" {
		r.Incomplete = "a place takes too many steps to compare"
	}
	if len(siblings) > 0 {
		slices.SortStableFunc(r.Matches, func(a, b Match) int { return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(b.End, a.End)) })
	}
	return r, nil
}

// siblings adds the matches of several children of a node.
func (m *matcher) siblings(r *Result, readings []*reading, parent int32) {
	base := len(m.kids)
	kids := m.children(parent)
	defer func() { m.kids = m.kids[:base] }()
	for j := range kids {
		for _, candidate := range readings {
			if first := candidate.list.items[0]; first.op != opOne && first.kind != m.tree.Nodes[kids[j]].Kind {
				continue
			}
			if len(r.Matches) >= maxMatches || m.total > maxFileSteps || m.err != nil {
				return
			}
			if found, ok := m.at(&candidate.list, kids[j:]); ok {
				r.Matches = append(r.Matches, found)
				break
			}
		}
	}
}

// matcher compares a tree with a pattern.
type matcher struct {
	ctx      context.Context // of Find
	pattern  *Pattern
	tree     *source.Tree
	src      []byte
	comments []bool // by kind

	kids     []int32 // stack of the children of compared nodes
	captures []captured
	steps    int   // of the present place
	total    int   // of all places
	checked  int   // total at which the context is looked at again
	complex  int   // places that were given up
	err      error // of the context
}

// spend counts n steps. It reports whether the comparison of the place may go on.
func (m *matcher) spend(n int) bool {
	m.steps += n
	if m.total += n; m.total >= m.checked {
		m.checked = m.total + checkedSteps
		m.err = m.ctx.Err()
	}
	return m.steps <= maxSteps && m.err == nil
}

// captured is a capture with the nodes from first up to end, which are siblings; first is end for none.
type captured struct {
	id, start, stop int32
	many            bool
	nodes           []int32
}

// at compares a list with siblings, from the first on.
func (m *matcher) at(l *list, kids []int32) (Match, bool) {
	m.steps = 0
	m.captures = m.captures[:0]
	end := -1
	ok := m.items(&listMatch{list: l, kids: kids}, 0, 0, func(j int) bool {
		end = j
		return true
	})
	m.total++
	if m.steps > maxSteps {
		m.complex++
		return Match{}, false
	}
	if !ok {
		return Match{}, false
	}
	for end > 1 && m.isSeparator(kids[end-1]) {
		end--
	}
	first := &m.tree.Nodes[kids[0]]
	found := Match{Start: int(first.Start), End: int(m.tree.Nodes[kids[end-1]].End), Kind: m.tree.Kinds[first.Kind]}
	found.End = found.Start + len(m.trim(m.src[found.Start:found.End]))
	if last := m.pattern.lastByte; last == ';' && m.src[found.End-1] != last {
		if rest := bytes.TrimLeft(m.src[found.End:], " \t\r\n"); len(rest) > 0 && rest[0] == last {
			found.End = len(m.src) - len(rest) + 1 // a separator that is no part of the node
		}
	}
	seen := make(map[int32]bool, len(m.captures))
	for _, c := range m.captures {
		if !seen[c.id] {
			seen[c.id] = true
			found.Captures = append(found.Captures, Capture{Name: m.pattern.names[c.id], Many: c.many, Start: int(c.start), End: int(c.stop)})
		}
	}
	found.Comments = m.commentsIn(kids[0], m.tree.Nodes[kids[end-1]].Next, found.Captures)
	return found, true
}

// commentsIn returns the number of comments among the nodes from one to another that are not within a capture.
func (m *matcher) commentsIn(from, to int32, captures []Capture) int {
	m.total += int(to - from)
	n := 0
	for i := from; i < to; i++ {
		node := &m.tree.Nodes[i]
		if !m.comments[node.Kind] {
			continue
		}
		if !slices.ContainsFunc(captures, func(c Capture) bool { return c.Start <= int(node.Start) && int(node.End) <= c.End }) {
			n++
		}
		i = node.Next - 1
	}
	return n
}

// trim removes blanks and a separator from the end of a match, unless the pattern ends with one.
func (m *matcher) trim(text []byte) []byte {
	text = bytes.TrimRight(text, " \t\r\n")
	if n := len(text); n > 1 && m.pattern.lastByte != text[n-1] && (text[n-1] == ',' || text[n-1] == ';') {
		text = bytes.TrimRight(text[:n-1], " \t\r\n")
	}
	return text
}

// children pushes the children of a node without comments, and returns them.
func (m *matcher) children(i int32) []int32 {
	base := len(m.kids)
	nodes := m.tree.Nodes
	for kid := i + 1; kid < nodes[i].Next; kid = nodes[kid].Next {
		if n := &nodes[kid]; !n.Is(source.Extra) && !m.comments[n.Kind] {
			m.kids = append(m.kids, kid)
		}
	}
	m.spend(len(m.kids) - base)
	return m.kids[base:len(m.kids):len(m.kids)]
}

func (m *matcher) isSeparator(i int32) bool { return isSeparator(&m.tree.Nodes[i], m.src) }

// listMatch is the comparison of a list with siblings.
type listMatch struct {
	*list
	kids   []int32
	failed map[[2]int]bool // items and siblings that do not match, if captures do not matter
}

// gaps is gapsOf for a node of the text, with the steps that it takes.
func (m *matcher) gaps(i int32) string {
	kids := 0
	for kid := i + 1; kid < m.tree.Nodes[i].Next; kid = m.tree.Nodes[kid].Next {
		kids++
	}
	gaps := gapsOf(m.tree.Nodes, m.src, i)
	m.spend(kids + len(gaps)/64)
	return gaps
}

func yes() bool { return true }

// node compares an item with a node, and calls next for a match.
func (m *matcher) node(it *item, i int32, next func() bool) bool {
	if m.pattern.repeated {
		return m.compare(it, i, next)
	}
	return m.compare(it, i, yes) && next() // without repeated names, another match of the node would not help
}

func (m *matcher) compare(it *item, i int32, next func() bool) bool {
	if !m.spend(1) {
		return false
	}
	n := &m.tree.Nodes[i]
	switch {
	case it.op == opOne:
		return n.Is(source.Named) && n.Kind != errorKind && !n.Is(source.Missing) && m.bind(it, []int32{i}, n.Start) && next()
	case it.kind != n.Kind || n.Is(source.Missing):
		return false
	case it.op == opToken:
		return next()
	case it.op == opLeaf:
		text := m.src[n.Start:n.End]
		return (string(text) == it.text || it.anyCase && strings.EqualFold(string(text), it.text)) && next()
	}
	if it.children.many == 0 || it.children.gaps != "" {
		if m.gaps(i) != it.children.gaps {
			return false
		}
	}
	base := len(m.kids)
	l := &listMatch{list: &it.children, kids: m.children(i)}
	ok := m.items(l, 0, 0, func(int) bool { return next() })
	m.kids = m.kids[:base]
	return ok
}

// items compares the items from i on with the siblings from j on, and calls next with the end of the match. Separators that the
// pattern need not have are passed over in a loop: a text can have millions of them, and a recursion would be as deep.
func (m *matcher) items(l *listMatch, i, j int, next func(end int) bool) bool {
	memorize := l.many > 1 && !m.pattern.repeated
	for ; m.spend(1); j++ {
		if i == len(l.items) {
			for ; !l.open && j < len(l.kids); j++ {
				if !m.isSeparator(l.kids[j]) || !m.spend(1) {
					return false
				}
			}
			return next(j)
		}
		if memorize && l.failed[[2]int{i, j}] {
			return false
		}
		if m.item(l, i, j, next) {
			return true
		}
		if memorize && m.steps <= maxSteps {
			if l.failed == nil {
				l.failed = map[[2]int]bool{}
			}
			l.failed[[2]int{i, j}] = true
		}
		if op := l.items[i].op; op == opMany || op == opMaybe || j == len(l.kids) || !m.isExtra(l, j) {
			return false
		}
	}
	return false
}

func (m *matcher) item(l *listMatch, i, j int, next func(int) bool) bool {
	it := l.items[i]
	saved := len(m.captures)
	try := func(ok bool) bool {
		if !ok {
			m.captures = m.captures[:saved]
		}
		return ok
	}
	switch it.op {
	case opMany:
		for end := j; end <= len(l.kids); end++ {
			if !m.spend(1) {
				return false
			}
			if try(m.bind(it, l.kids[j:end], m.position(l, j)) && m.items(l, i+1, end, next)) {
				return true
			}
			if end == j && i+1 < len(l.items) && l.items[i+1].separator && try(m.bind(it, nil, m.position(l, j)) && m.items(l, i+2, j, next)) {
				return true
			}
		}
		return false
	case opMaybe:
		if j < len(l.kids) && m.tree.Nodes[l.kids[j]].Kind == it.kind && try(m.bind(it, l.kids[j:j+1], 0) && m.items(l, i+1, j+1, next)) {
			return true
		}
		return try(m.bind(it, nil, m.position(l, j)) && m.items(l, i+1, j, next))
	}
	if j < len(l.kids) && try(m.node(it, l.kids[j], func() bool { return m.items(l, i+1, j+1, next) })) {
		return true
	}
	if it.separator {
		if i+1 < len(l.items) && l.items[i+1].op == opMany && try(m.bind(l.items[i+1], nil, m.position(l, j)) && m.items(l, i+2, j, next)) {
			return true
		}
		if it.droppable && try(m.items(l, i+1, j, next)) {
			return true
		}
	}
	return false
}

// isExtra reports whether a sibling is a separator that a pattern need not have: one at the end of a line or list.
func (m *matcher) isExtra(l *listMatch, j int) bool {
	if j == 0 || !m.isSeparator(l.kids[j]) {
		return false
	}
	n := &m.tree.Nodes[l.kids[j]]
	if !bytes.Equal(m.src[n.Start:n.End], []byte(",")) {
		return true
	}
	return j+1 == len(l.kids) || !m.tree.Nodes[l.kids[j+1]].Is(source.Named) && !m.isSeparator(l.kids[j+1])
}

// position returns the offset of an empty capture before sibling j.
func (m *matcher) position(l *listMatch, j int) int32 {
	switch {
	case j > 0:
		return m.tree.Nodes[l.kids[j-1]].End
	case j < len(l.kids):
		return m.tree.Nodes[l.kids[j]].Start
	}
	return 0
}

// bind records a capture. A name that was captured before must have equal code; otherwise the result is false.
func (m *matcher) bind(it *item, nodes []int32, at int32) bool {
	if it.capture < 0 {
		return true
	}
	for len(nodes) > 0 && it.op == opMany && m.isSeparator(nodes[len(nodes)-1]) && m.spend(1) {
		nodes = nodes[:len(nodes)-1]
	}
	c := captured{id: int32(it.capture), start: at, stop: at, many: it.op != opOne, nodes: nodes}
	if len(nodes) > 0 {
		c.start, c.stop = m.tree.Nodes[nodes[0]].Start, m.tree.Nodes[nodes[len(nodes)-1]].End
		c.stop = c.start + int32(len(bytes.TrimRight(m.src[c.start:c.stop], " \t\r\n")))
	}
	if m.pattern.repeated {
		for i := range m.captures {
			if m.captures[i].id == c.id {
				return m.isEqual(m.captures[i], c)
			}
		}
	}
	m.captures = append(m.captures, c)
	return true
}

// isEqual reports whether two captures have the same code, regardless of layout and comments.
func (m *matcher) isEqual(a, b captured) bool {
	if bytes.Equal(m.src[a.start:a.stop], m.src[b.start:b.stop]) {
		return true
	}
	left, right := m.words(a.nodes), m.words(b.nodes)
	if len(left) != len(right) {
		return false
	}
	for i := range left {
		if !bytes.Equal(left[i], right[i]) {
			return false
		}
	}
	return true
}

// words returns the texts of the leaves of nodes without comments.
func (m *matcher) words(roots []int32) (words [][]byte) {
	nodes := m.tree.Nodes
	for _, root := range roots {
		for i := root; i < nodes[root].Next; {
			n := &nodes[i]
			m.spend(1)
			switch {
			case n.Is(source.Extra) || m.comments[n.Kind]:
				i = n.Next
				continue
			case n.Next == i+1 || m.gaps(i) != "":
				if text := m.src[n.Start:n.End]; len(bytes.TrimSpace(text)) > 0 {
					words = append(words, text)
				}
				i = n.Next
				continue
			}
			i++
		}
	}
	return words
}
