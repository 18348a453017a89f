package source

import (
	"bytes"
	"context"
	"fmt"
)

// Tree is the syntax tree of a text, as a grammar describes it.
type Tree struct {
	// Nodes are in the order of the text, each before its descendants. The first one is the root.
	Nodes []Node
	// Kinds are the names of the kinds, by Node.Kind: "identifier", "(". The error node has the kind "ERROR".
	Kinds map[uint16]string
}

// Node is a node of a Tree.
type Node struct {
	Start, End int32 // byte offsets in the text
	// Next is the index of the node after the last descendant. The children of node i are i+1, Nodes[i+1].Next, and so on, up to
	// Nodes[i].Next.
	Next  int32
	Kind  uint16
	Flags NodeFlags
}

// NodeFlags are properties of a Node.
type NodeFlags uint16

const (
	// Named is set for a node that is a rule of the grammar, and not for a token like "(" or "if".
	Named NodeFlags = 1 << iota
	// Missing is set for a token that the text lacks. Its length is 0.
	Missing
	// Extra is set for a node that the grammar allows everywhere, like a comment.
	Extra
	// Faulty is set for a node with a syntax error in it.
	Faulty
)

// Is reports whether all the flags are set.
func (n *Node) Is(f NodeFlags) bool { return n.Flags&f == f }

// TreeParser is a Parser that returns syntax trees.
type TreeParser interface {
	Parser
	// Tree returns the tree of src. Text that the grammar does not allow is in nodes with the flag Faulty. Tree neither keeps nor
	// changes src, and is safe for concurrent use.
	Tree(ctx context.Context, src []byte, lang Language) (*Tree, error)
}

// Tree returns the syntax tree that the first TreeParser of the language finds. The errors are ErrUnchecked if no parser of the
// language is a TreeParser, ErrTooLong, ErrBinary, the error of ctx, or the error of the TreeParser.
func (p *Parsers) Tree(ctx context.Context, src []byte, lang Language) (*Tree, error) {
	switch {
	case len(src) > MaxSource:
		return nil, ErrTooLong
	case bytes.IndexByte(src, 0) >= 0:
		return nil, ErrBinary
	}
	for _, one := range p.lang[lang] {
		if parser, ok := one.(TreeParser); ok {
			return parser.Tree(ctx, src, lang)
		}
	}
	return nil, fmt.Errorf("%w %s", ErrUnchecked, lang)
}
