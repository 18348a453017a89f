package document

import (
	"bytes"

	"github.com/dougu-go/dougu/tools/search/index"
)

// Limits of a group of small declarations that form one piece.
const (
	groupNames = 16 // declarations
	groupLines = 40
	groupGap   = 2 // line feeds between two of them
)

// group is an unfinished piece of small declarations.
type group struct {
	piece      index.Piece
	firstStart int32 // start of the first declaration, without its comments
	parent     int32
	names      int // number of declarations
}

// addToGroup adds a small declaration to the current group, or starts a new one.
func (c *codeCutter) addToGroup(i int) {
	chunk, p := &c.chunks[i], c.piece(i)
	g := &c.group
	if g.names == 0 || g.parent != chunk.Parent || !c.belongsToGroup(p) {
		c.endGroup()
		c.group = group{piece: p, firstStart: chunk.Start, parent: chunk.Parent, names: 1}
		return
	}
	if g.names == 1 { // a comment about the group precedes the comment of its first declaration
		if all := commentSpan(c.text, index.Span{Start: g.piece.Range.Start, End: g.firstStart}); all.End > 0 {
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

// belongsToGroup reports whether p is close enough to the current group and the group is not full.
func (c *codeCutter) belongsToGroup(p index.Piece) bool {
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

// endGroup adds the piece of the current group.
func (c *codeCutter) endGroup() {
	if c.group.names > 0 {
		c.add(c.group.piece)
	}
	c.group = group{}
}
