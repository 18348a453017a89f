package document

import (
	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// Minimum numbers of lines for a separate piece. A shorter declaration is part of the enclosing piece or of a group.
const (
	longLocal    = 10 // a function or type within a function
	longMember   = 8  // a method without a body
	longAccessor = 5  // an accessor, for example a getter
	longField    = 15 // a property of a type
	longValue    = 5  // a variable outside of functions and types
	longMacro    = 3  // a macro, or a function without a body
)

// scope is the kind of the declaration that encloses another one.
type scope uint8

const (
	fileScope scope = iota // the file, or a module
	typeScope
	callableScope
)

// role is the treatment of a declaration.
type role uint8

const (
	rolePart        role = iota // part of the enclosing piece
	rolePiece                   // a separate piece
	roleGroupMember             // part of a group with its neighbors
)

// codeCutter splits a parsed source file into pieces.
type codeCutter struct {
	*tree
	comments
	chunks []source.Chunk
	scopes []scope // by chunk: the scope of declarations within it
	group  group   // unfinished group of small declarations
}

// codePieces returns the pieces of a parsed source file.
func codePieces(text []byte, read *source.File, parsers *source.Parsers) []index.Piece {
	c := codeCutter{tree: newTree(text, len(text)), comments: newComments(read.Language, parsers), chunks: read.Chunks, scopes: make([]scope, len(read.Chunks))}
	for i := range c.chunks {
		c.addChunk(i)
	}
	c.endGroup()
	if file := &c.nodes[0]; file.Doc.End == 0 {
		file.Doc = c.fileDoc(text)
	}
	return c.pieces()
}

// addChunk adds declaration i as a piece or to a group, or leaves it in the enclosing piece.
func (c *codeCutter) addChunk(i int) {
	chunk, around := &c.chunks[i], fileScope
	if chunk.Parent >= 0 {
		around = c.scopes[chunk.Parent]
	}
	if chunk.Kind == source.Module && c.packageClause(i) {
		return
	}
	as, within := c.classify(chunk, around)
	c.scopes[i] = within
	switch as {
	case roleGroupMember:
		c.addToGroup(i)
	case rolePiece:
		c.endGroup()
		c.add(c.piece(i))
	}
}

// classify returns the role of a declaration within the scope around, and the scope for declarations within it.
func (c *codeCutter) classify(chunk *source.Chunk, around scope) (role, scope) {
	lines := int(chunk.EndLine - chunk.StartLine + 1)
	documented := chunk.DocEnd > 0
	is := func(piece bool, in scope) (role, scope) {
		if piece {
			return rolePiece, in
		}
		return rolePart, in
	}
	switch kind := chunk.Kind; {
	case kind == source.Module:
		return is(around == fileScope, around)
	case kind == source.Macro && around == fileScope && lines < longMacro && !documented:
		return roleGroupMember, fileScope
	case kind.IsCallable() && around == callableScope:
		return is(lines >= longLocal, callableScope)
	case kind.IsCallable() && around == typeScope && chunk.Body == 0:
		return is(lines >= longMember, callableScope)
	case kind == source.Accessor:
		return is(lines >= longAccessor, callableScope)
	case kind.IsCallable() && chunk.Body == 0 && lines < longMacro && !documented:
		return roleGroupMember, callableScope
	case kind.IsCallable():
		return rolePiece, callableScope
	case kind.IsValue() && around == callableScope:
		return rolePart, callableScope
	case kind.IsValue() && around == typeScope:
		return is(lines >= longField, typeScope)
	case kind.IsValue() && lines < longValue:
		return roleGroupMember, typeScope
	case kind.IsValue():
		return rolePiece, typeScope
	case around == callableScope:
		return is(lines >= longLocal, callableScope)
	}
	return rolePiece, typeScope // a type
}

// packageClause reports whether declaration i is a package clause without content, and sets name, signature and documentation
// of the file from it.
func (c *codeCutter) packageClause(i int) bool {
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

// piece returns the piece of declaration i, with its leading comments.
func (c *codeCutter) piece(i int) index.Piece {
	chunk := &c.chunks[i]
	p := index.Piece{
		Kind: chunk.Kind.String(), Name: chunk.Name, Container: chunk.Container, Signature: chunk.Signature,
		Range: c.declarationSpan(i), Doc: index.Span{Start: chunk.Doc, End: chunk.DocEnd},
	}
	lead := chunk.Start
	if e, ok := c.entry(i); ok {
		p.Name, p.Signature = e.key, e.key+": "+p.Signature
		p.Range = index.Span{Start: c.leadingStart(e.start, c.lowerBound(i)), End: e.end}
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
		p.Doc = commentSpan(c.text, index.Span{Start: p.Range.Start, End: lead})
	}
	return p
}
