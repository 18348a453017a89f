package document

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/index"
)

// maxPieces is the maximum number of pieces of one file. Later declarations remain part of the enclosing pieces.
const maxPieces = 1 << 16

// tree collects the nested pieces of a text and assigns each part of the text to the innermost one.
type tree struct {
	text   []byte
	nodes  []node // the first one is the file
	limits budget // size limits of one piece
}

// node is a piece whose own spans the tree computes.
type node struct{ index.Piece }

// newTree returns a tree with the file itself, up to offset end.
func newTree(text []byte, end int) *tree {
	file := index.Piece{Kind: "file", Range: index.Span{End: int32(end)}}
	return &tree{text: text, nodes: []node{{file}}, limits: budget{maxLines, maxBytes}}
}

// add adds a node and returns its index, or -1 if there are too many. Ranges may overlap: a node is nested in the nodes whose
// range encloses its start, and is cut to their end.
func (t *tree) add(p index.Piece) int {
	if len(t.nodes) == maxPieces {
		return -1
	}
	t.nodes = append(t.nodes, node{p})
	return len(t.nodes) - 1
}

// pieces assigns the text to the nodes and returns the pieces in order of their own text. Long pieces are split.
func (t *tree) pieces() []index.Piece {
	slices.SortStableFunc(t.nodes[1:], func(a, b node) int {
		return cmp.Or(cmp.Compare(a.Range.Start, b.Range.Start), cmp.Compare(b.Range.End, a.Range.End))
	})
	t.assignText()
	all := make([]index.Piece, 0, len(t.nodes))
	for i := range t.nodes {
		if n := &t.nodes[i]; len(n.Own) > 0 {
			all = t.cut(all, n.Piece)
		}
	}
	slices.SortStableFunc(all, func(a, b index.Piece) int { return cmp.Compare(a.Own[0].Start, b.Own[0].Start) })
	l := lines{text: t.text, line: 1}
	for i := range all {
		t.complete(&all[i], &l)
	}
	return all
}

// assignText assigns each part of the text to the innermost node.
func (t *tree) assignText() {
	open, at := []*node{&t.nodes[0]}, int32(0)
	for i := 1; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		for len(open) > 1 && open[len(open)-1].Range.End <= n.Range.Start {
			at = t.assign(open[len(open)-1], at, open[len(open)-1].Range.End)
			open = open[:len(open)-1]
		}
		around := open[len(open)-1]
		n.Range.Start, n.Range.End = max(n.Range.Start, at), min(n.Range.End, around.Range.End)
		if n.Range.Start >= n.Range.End {
			continue
		}
		at = t.assign(around, at, n.Range.Start)
		open = append(open, n)
	}
	for i := len(open) - 1; i >= 0; i-- {
		at = t.assign(open[i], at, open[i].Range.End)
	}
}

// assign adds a part of the text to the own spans of n, unless it contains no words, and returns its end.
func (t *tree) assign(n *node, start, end int32) int32 {
	if s := trim(t.text, index.Span{Start: start, End: end}); s.Start < s.End && hasWords(t.text[s.Start:s.End]) {
		n.Own = append(n.Own, s)
	}
	return end
}

// complete sets the lines of a piece, and limits its strings.
func (t *tree) complete(p *index.Piece, l *lines) {
	p.Range = trim(t.text, p.Range)
	p.Range.Start, p.Range.End = min(p.Range.Start, p.Own[0].Start), max(p.Range.End, p.Own[len(p.Own)-1].End)
	p.StartLine = l.at(p.Range.Start)
	p.EndLine = p.StartLine + int32(bytes.Count(t.text[p.Range.Start:p.Range.End-1], lineFeed))
	p.Doc = spanWithin(p.Doc, p.Own)
	p.Name, p.Container = truncate.Within(p.Name, maxName), truncate.Within(p.Container, maxName)
	if p.Signature == "" {
		p.Signature = firstLine(t.text[p.Own[0].Start:p.Own[0].End])
	}
	p.Signature = truncate.Within(p.Signature, maxSignature)
}

// spanWithin returns s if one of parts encloses it, otherwise an empty span.
func spanWithin(s index.Span, parts []index.Span) index.Span {
	for _, p := range parts {
		if s.Start < s.End && p.Start <= s.Start && s.End <= p.End {
			return s
		}
	}
	return index.Span{}
}

// trim removes blank lines around a span, and blanks at its end.
func trim(text []byte, s index.Span) index.Span {
	part := text[s.Start:s.End]
	s.End = s.Start + int32(len(bytes.TrimRight(part, " \t\r\n\f")))
	part = text[s.Start:s.End]
	rest := bytes.TrimLeft(part, " \t\r\n\f")
	blank := part[:len(part)-len(rest)]
	if line := bytes.LastIndexByte(blank, '\n'); line >= 0 {
		s.Start += int32(line + 1)
	}
	return s
}

// hasWords reports whether a text contains letters or digits.
func hasWords(text []byte) bool {
	for _, c := range text {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 {
			return true
		}
	}
	return false
}
