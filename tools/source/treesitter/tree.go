package treesitter

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/source"
)

// walkedWords is the number of integers that the module writes for a node: the symbol and its flags, start, end and depth.
const walkedWords = 4

// Tree implements source.TreeParser. It fails as Parse does.
func (p *Parser) Tree(ctx context.Context, src []byte, lang source.Language) (*source.Tree, error) {
	e, ok := p.parsers[lang]
	switch {
	case !ok:
		return nil, fmt.Errorf("%w %q", source.ErrLanguage, lang)
	case len(src) > source.MaxSource:
		return nil, source.ErrTooLong
	}
	tree, err := run(ctx, e, len(src), func(ctx context.Context, in *instance) (*source.Tree, error) {
		return in.tree(ctx, e.grammar.masked(src))
	})
	if err != nil {
		return nil, fmt.Errorf("parsing %s: %w", lang, err)
	}
	return tree, nil
}

// tree parses a text and returns its tree. After an error the instance must be closed.
func (in *instance) tree(ctx context.Context, src []byte) (*source.Tree, error) {
	t, err := in.findTree(ctx, src)
	return t, in.explain(ctx, err)
}

func (in *instance) findTree(ctx context.Context, src []byte) (*source.Tree, error) {
	if err := in.text(ctx, src); err != nil {
		return nil, err
	}
	outcome, err := in.call(ctx, in.parse)
	if err != nil {
		return nil, err
	}
	if outcome == 2 {
		return nil, errors.Join(ctx.Err(), errTrap)
	}
	t := &source.Tree{Nodes: make([]source.Node, 0, len(src)/4+1), Kinds: map[uint16]string{}}
	var open []int32 // the nodes around the next one, by depth
	for {
		n, err := in.call(ctx, in.walk)
		if err != nil {
			return nil, err
		}
		if n == 0 {
			break
		}
		view, err := in.result(ctx, int(n))
		if err != nil {
			return nil, err
		}
		for ; len(view) >= 4*walkedWords; view = view[4*walkedWords:] {
			symbol, start, end, depth := binary.LittleEndian.Uint32(view), binary.LittleEndian.Uint32(view[4:]), binary.LittleEndian.Uint32(view[8:]), binary.LittleEndian.Uint32(view[12:])
			if !inText(start, end, len(src)) || depth > uint32(len(open)) || depth == 0 && len(t.Nodes) > 0 {
				return nil, errTrap
			}
			at := int32(len(t.Nodes))
			for _, closed := range open[depth:] {
				t.Nodes[closed].Next = at
			}
			open = append(open[:depth], at)
			t.Nodes = append(t.Nodes, source.Node{Start: int32(start), End: int32(end), Kind: uint16(symbol), Flags: source.NodeFlags(symbol >> 16)})
		}
		exceeded, err := in.call(ctx, in.exceeded)
		if err != nil {
			return nil, err
		}
		if exceeded != 0 {
			return nil, errors.Join(ctx.Err(), errTrap)
		}
	}
	for _, closed := range open {
		t.Nodes[closed].Next = int32(len(t.Nodes))
	}
	for i := range t.Nodes {
		kind := t.Nodes[i].Kind
		if _, ok := t.Kinds[kind]; ok {
			continue
		}
		at, err := in.call(ctx, in.kind, uint64(kind))
		if err != nil {
			return nil, err
		}
		t.Kinds[kind] = in.word(at)
	}
	return t, ctx.Err()
}
