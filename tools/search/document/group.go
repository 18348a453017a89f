package document

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
)

// How many small declarations that stand together make one piece.
const (
	groupNames = 16
	groupLines = 40
	groupGap   = 2 // line feeds between two of them
)

// group is a piece of small declarations that is not finished.
type group struct {
	piece  index.Piece
	lead   int32 // where the first declaration begins itself: before it is what is said of all
	parent int32
	names  int
}

// join puts a small declaration to those before it.
func (c *coder) join(i int) {
	chunk, p := &c.chunks[i], c.piece(i)
	g := &c.group
	if g.names == 0 || g.parent != chunk.Parent || !c.near(p) {
		c.endGroup()
		c.group = group{piece: p, lead: chunk.Start, parent: chunk.Parent, names: 1}
		return
	}
	if g.names == 1 { // what is said of all comes before what is said of the first
		if all := commentOf(c.text, index.Span{Start: g.piece.Range.Start, End: g.lead}); all.End > 0 {
			g.piece.Doc = all
		}
	}
	g.names++
	g.piece.Range.End = max(g.piece.Range.End, p.Range.End)
	if len(g.piece.Name) < maxName {
		g.piece.Name += ", " + p.Name
	}
	if len(g.piece.Signature) < maxSignature && p.Signature != g.piece.Signature {
		g.piece.Signature += "; " + p.Signature
	}
}

// near says that a declaration belongs to the group that was begun.
func (c *coder) near(p index.Piece) bool {
	g := &c.group
	end := g.piece.Range.End
	if p.Range.Start < end { // one statement declares both
		return true
	}
	between := c.text[end:p.Range.Start]
	gap := bytes.Count(between, lineFeed)
	if apart := gap > 1 && p.Doc.End > 0; apart {
		return false
	}
	return g.names < groupNames && gap <= groupGap && !hasWords(between) &&
		bytes.Count(c.text[g.piece.Range.Start:end], lineFeed) < groupLines
}

// endGroup makes a piece of the group that was begun.
func (c *coder) endGroup() {
	if c.group.names > 0 {
		c.add(c.group.piece)
	}
	c.group = group{}
}
