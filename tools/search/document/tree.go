package document

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/dougu-go/dougu/internal/truncate"
	"github.com/dougu-go/dougu/tools/search/index"
)

// maxPieces is how many pieces of one file are told apart; what comes later is part
// of those before.
const maxPieces = 1 << 16

// tree gathers the pieces of a text: nodes that lie within each other. The first one
// is the file itself.
type tree struct {
	text  []byte
	nodes []node
	most  room // what a piece may have
}

// node is a piece of which the tree finds out what is its own.
type node struct{ index.Piece }

// newTree begins a tree with the file itself, up to a place.
func newTree(text []byte, end int) *tree {
	file := index.Piece{Kind: "file", Range: index.Span{End: int32(end)}}
	return &tree{text: text, nodes: []node{{file}}, most: room{maxLines, maxBytes}}
}

// add makes a node and answers its number, or -1 if there are too many. It lies within
// those whose Range is around it, ends where they do, and begins where the one before
// it ends, unless that is around it.
func (t *tree) add(p index.Piece) int {
	if len(t.nodes) == maxPieces {
		return -1
	}
	t.nodes = append(t.nodes, node{p})
	return len(t.nodes) - 1
}

// pieces ends the work: each part of the text becomes the own of the innermost node,
// and what is too long is cut.
func (t *tree) pieces() []index.Piece {
	slices.SortStableFunc(t.nodes[1:], func(a, b node) int {
		return cmp.Or(cmp.Compare(a.Range.Start, b.Range.Start), cmp.Compare(b.Range.End, a.Range.End))
	})
	t.share()
	all := make([]index.Piece, 0, len(t.nodes))
	for i := range t.nodes {
		if n := &t.nodes[i]; len(n.Own) > 0 {
			all = t.cut(all, n.Piece)
		}
	}
	slices.SortStableFunc(all, func(a, b index.Piece) int { return cmp.Compare(a.Own[0].Start, b.Own[0].Start) })
	l := lines{text: t.text, line: 1}
	for i := range all {
		t.finish(&all[i], &l)
	}
	return all
}

// share gives each part of the text to a node.
func (t *tree) share() {
	open, at := []*node{&t.nodes[0]}, int32(0)
	for i := 1; i < len(t.nodes); i++ {
		n := &t.nodes[i]
		for len(open) > 1 && open[len(open)-1].Range.End <= n.Range.Start {
			at = t.give(open[len(open)-1], at, open[len(open)-1].Range.End)
			open = open[:len(open)-1]
		}
		around := open[len(open)-1]
		n.Range.Start, n.Range.End = max(n.Range.Start, at), min(n.Range.End, around.Range.End)
		if n.Range.Start >= n.Range.End {
			continue
		}
		at = t.give(around, at, n.Range.Start)
		open = append(open, n)
	}
	for i := len(open) - 1; i >= 0; i-- {
		at = t.give(open[i], at, open[i].Range.End)
	}
}

// give makes a part of the text the own of a node, unless no word is in it, and
// answers where it ends.
func (t *tree) give(n *node, start, end int32) int32 {
	if s := trim(t.text, index.Span{Start: start, End: end}); s.Start < s.End && hasWords(t.text[s.Start:s.End]) {
		n.Own = append(n.Own, s)
	}
	return end
}

// finish fills in what is left to say of a piece.
func (t *tree) finish(p *index.Piece, l *lines) {
	p.Range = trim(t.text, p.Range)
	p.Range.Start, p.Range.End = min(p.Range.Start, p.Own[0].Start), max(p.Range.End, p.Own[len(p.Own)-1].End)
	p.StartLine = l.at(p.Range.Start)
	p.EndLine = p.StartLine + int32(bytes.Count(t.text[p.Range.Start:p.Range.End-1], lineFeed))
	p.Doc = within(p.Doc, p.Own)
	p.Name, p.Container = truncate.Within(p.Name, maxName), truncate.Within(p.Container, maxName)
	if p.Signature == "" {
		p.Signature = firstLine(t.text[p.Own[0].Start:p.Own[0].End])
	}
	p.Signature = truncate.Within(p.Signature, maxSignature)
}

// within is a span, or none if no part is around it.
func within(s index.Span, parts []index.Span) index.Span {
	for _, p := range parts {
		if s.Start < s.End && p.Start <= s.Start && s.End <= p.End {
			return s
		}
	}
	return index.Span{}
}

// trim leaves out blank lines around a span, and blanks at its end.
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

// hasWords says that a text has more than punctuation.
func hasWords(text []byte) bool {
	for _, c := range text {
		if 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9' || c >= 0x80 {
			return true
		}
	}
	return false
}
