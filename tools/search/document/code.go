package document

import (
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// From so many lines on something is a piece that otherwise belongs to what is
// around it.
const (
	longLocal    = 10 // within a function
	longMember   = 8  // a method without a body
	longAccessor = 5
	longField    = 15 // a property of a type
	longValue    = 5  // a variable outside of all
	longMacro    = 3
)

// scope is what a declaration stands in.
type scope uint8

const (
	outside scope = iota // in the file, or a module
	inType
	inCallable
)

// role is what becomes of a declaration.
type role uint8

const (
	asPart   role = iota // of what is around it
	asPiece              // by itself
	asMember             // of a piece with its neighbours
)

// coder makes pieces of declarations.
type coder struct {
	*tree
	lang   source.Language
	chunks []source.Chunk
	scopes []scope // what each is to those within it
	group  group
}

// code makes pieces of what a parser found.
func code(text []byte, read *source.File) []index.Piece {
	c := coder{tree: newTree(text, len(text)), lang: read.Language, chunks: read.Chunks, scopes: make([]scope, len(read.Chunks))}
	for i := range c.chunks {
		c.chunk(i)
	}
	c.endGroup()
	if file := &c.nodes[0]; file.Doc.End == 0 {
		file.Doc = headDoc(text, read.Language)
	}
	return c.pieces()
}

// chunk makes of a declaration what it becomes.
func (c *coder) chunk(i int) {
	chunk, around := &c.chunks[i], outside
	if chunk.Parent >= 0 {
		around = c.scopes[chunk.Parent]
	}
	if chunk.Kind == source.Module && c.packageClause(i) {
		return
	}
	as, within := c.role(chunk, around)
	c.scopes[i] = within
	switch as {
	case asMember:
		c.join(i)
	case asPiece:
		c.endGroup()
		c.add(c.piece(i))
	}
}

// role says what becomes of a declaration, and what it is to those within it.
func (c *coder) role(chunk *source.Chunk, around scope) (role, scope) {
	lines := int(chunk.EndLine - chunk.StartLine + 1)
	documented := chunk.DocEnd > 0
	is := func(piece bool, in scope) (role, scope) {
		if piece {
			return asPiece, in
		}
		return asPart, in
	}
	switch kind := chunk.Kind; {
	case kind == source.Module:
		return is(around == outside, around)
	case kind == source.Macro && around == outside && lines < longMacro && !documented:
		return asMember, outside
	case kind.Callable() && around == inCallable:
		return is(lines >= longLocal, inCallable)
	case kind.Callable() && around == inType && chunk.Body == 0:
		return is(lines >= longMember, inCallable)
	case kind == source.Accessor:
		return is(lines >= longAccessor, inCallable)
	case kind.Callable() && chunk.Body == 0 && lines < longMacro && !documented:
		return asMember, inCallable
	case kind.Callable():
		return asPiece, inCallable
	case kind.Value() && around == inCallable:
		return asPart, inCallable
	case kind.Value() && around == inType:
		return is(lines >= longField, inType)
	case kind.Value() && lines < longValue:
		return asMember, inType
	case kind.Value():
		return asPiece, inType
	case around == inCallable:
		return is(lines >= longLocal, inCallable)
	}
	return asPiece, inType // a type
}

// packageClause tells the file's own name and documentation, if a module is nothing
// but that.
func (c *coder) packageClause(i int) bool {
	chunk := &c.chunks[i]
	if chunk.Parent >= 0 || chunk.Body > 0 || i+1 < len(c.chunks) && int(c.chunks[i+1].Parent) == i {
		return false
	}
	if file := &c.nodes[0]; file.Signature == "" {
		file.Signature = chunk.Signature
		if chunk.DocEnd > 0 {
			file.Name, file.Doc = chunk.Name, index.Span{Start: chunk.Doc, End: chunk.DocEnd}
		}
	}
	return true
}

// piece is the piece of a declaration.
func (c *coder) piece(i int) index.Piece {
	chunk := &c.chunks[i]
	p := index.Piece{
		Kind: chunk.Kind.String(), Name: chunk.Name, Container: chunk.Container, Signature: chunk.Signature,
		Range: c.reach(i), Doc: index.Span{Start: chunk.Doc, End: chunk.DocEnd},
	}
	lead := chunk.Start
	if e, ok := c.entry(i); ok {
		p.Name, p.Signature = e.key, e.key+": "+p.Signature
		p.Range = index.Span{Start: c.begin(e.start, c.floor(i)), End: e.end}
		if p.Doc.End == 0 {
			p.Doc = e.comment
		}
		lead = e.start
	}
	if c.lang == source.Python && chunk.Body > 0 {
		if doc := docString(c.text, chunk.Body, chunk.End); doc.End > 0 {
			p.Doc = doc
		}
	}
	if p.Doc.End == 0 && p.Range.Start < lead {
		p.Doc = commentOf(c.text, index.Span{Start: p.Range.Start, End: lead})
	}
	return p
}
