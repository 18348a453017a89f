package sourcekitten

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// node is the part of SourceKit's editor.open result that this package uses. Offsets are in bytes.
// A node's offset excludes attributes and modifiers, which have offsets of their own.
type node struct {
	Kind         string      `json:"key.kind"`
	Name         string      `json:"key.name"`
	Offset       int         `json:"key.offset"`
	Length       int         `json:"key.length"`
	NameOffset   int         `json:"key.nameoffset"`
	BodyOffset   *int        `json:"key.bodyoffset"`
	BodyLength   int         `json:"key.bodylength"`
	DocOffset    int         `json:"key.docoffset"`
	DocLength    int         `json:"key.doclength"`
	Attributes   []attribute `json:"key.attributes"`
	Substructure []node      `json:"key.substructure"`
	Diagnostics  []struct {
		Severity    string `json:"key.severity"`
		Description string `json:"key.description"`
		Offset      int    `json:"key.offset"`
	} `json:"key.diagnostics"`
}

type attribute struct {
	Offset int `json:"key.offset"`
	Length int `json:"key.length"`
}

func (n *node) end() int { return n.Offset + n.Length }

// fits reports whether a range lies within from and to.
func fits(offset, length, from, to int) bool {
	return from <= offset && offset <= to && 0 <= length && length <= to-offset
}

// maxDepth bounds how deep the structure is followed.
const maxDepth = 1000

// structure makes a File of the program's output.
func structure(out, src []byte, o source.Options) (*source.File, error) {
	var root node
	if err := json.Unmarshal(out, &root); err != nil {
		return nil, fmt.Errorf("sourcekitten did not print the structure of the text, but %.100q: %w", out, err)
	}
	if root.Length != len(src) {
		return nil, fmt.Errorf("sourcekitten printed the structure of another text: it has %d bytes, not %d", root.Length, len(src))
	}
	r := reader{src: src, builder: source.NewBuilder(src, source.Swift), calls: o.Calls}
	for _, d := range root.Diagnostics {
		if d.Severity == "source.diagnostic.severity.error" && 0 <= d.Offset && d.Offset <= len(src) {
			r.builder.Problem(d.Description, d.Offset)
		}
	}
	r.nodes(root.Substructure, nodeContext{chunk: -1, callable: -1, to: len(src)}, 0)
	r.imports()
	return r.builder.File(name), nil
}

// reader turns nodes into chunks.
type reader struct {
	src     []byte
	builder *source.Builder
	calls   bool
	covered []span // of the outermost chunks
}

type span struct{ from, to int }

// nodeContext is the context of a node.
type nodeContext struct {
	chunk, callable int
	inType, local   bool
	from, to        int
	statement       *node // that introduces the elements of an enum
}

// nodes reads the children of a node.
func (r *reader) nodes(nodes []node, in nodeContext, depth int) {
	if depth > maxDepth {
		return
	}
	for i := 0; i < len(nodes); i++ {
		n := &nodes[i]
		if !fits(n.Offset, n.Length, in.from, in.to) {
			continue
		}
		closure := closureOf(n, nodes[i+1:])
		inner := r.node(n, closure, in)
		r.nodes(n.Substructure, inner, depth+1)
		if closure != nil && i+1 < len(nodes) && closure == &nodes[i+1] {
			r.nodes(closure.Substructure, inner, depth+1)
			i++
		}
	}
}

// closureOf is the closure that a variable is bound to: some versions report it as
// a part of the variable, others right after it.
func closureOf(n *node, after []node) *node {
	if !strings.HasPrefix(n.Kind, "source.lang.swift.decl.var.") {
		return nil
	}
	is := func(nodes []node) bool {
		return len(nodes) > 0 && nodes[0].Kind == "source.lang.swift.expr.closure" &&
			fits(nodes[0].Offset, nodes[0].Length, n.Offset+1, n.end()) && nodes[0].end() == n.end()
	}
	switch {
	case is(n.Substructure):
		return &n.Substructure[0]
	case is(after):
		return &after[0]
	}
	return nil
}

// node reads one node and returns the context of its children.
func (r *reader) node(n, closure *node, in nodeContext) nodeContext {
	inner := in
	inner.statement = nil
	switch n.Kind {
	case "source.lang.swift.expr.call":
		r.call(n, in)
		return inner
	case "source.lang.swift.decl.enumcase":
		inner.statement = n
		return inner
	}
	kind := kindOf(n, in)
	switch variable := kind.IsValue() && kind != source.EnumCase; {
	case variable && closure != nil:
		kind = source.Lambda
	case variable && in.local, kind == source.Invalid:
		return inner
	case kind == source.Variable && bytes.HasPrefix(r.src[n.Offset:], []byte("let")):
		kind = source.Constant
	}
	c, ok := r.chunk(n, kind, in)
	if !ok {
		return inner
	}
	if kind == source.Lambda && closure.Offset > int(c.Ident) {
		c.Body = int32(closure.Offset)
		if head, found := strings.CutSuffix(strings.TrimSpace(string(r.src[c.Sig:c.Body])), "="); found && len(head) <= source.MaxSignature {
			c.Signature = strings.Join(strings.Fields(head), " ")
		}
	}
	i := r.builder.Add(c)
	if in.chunk < 0 {
		r.covered = append(r.covered, span{int(c.Decl), int(c.End)})
	}
	inner.chunk, inner.from, inner.to = i, int(c.Decl), int(c.End)
	inner.inType = kind.IsType()
	inner.local = !kind.IsType()
	if kind.IsCallable() {
		inner.callable = i
	}
	return inner
}

// chunk makes the chunk of a node; it is false if its positions make no sense.
func (r *reader) chunk(n *node, kind source.Kind, in nodeContext) (source.Chunk, bool) {
	c := source.Chunk{Kind: kind, End: int32(n.end()), Parent: int32(in.chunk)}
	c.Name, c.Labels = split(n.Name, kind)
	decl, sig := r.begin(n, in)
	if s := in.statement; s != nil && len(s.Substructure) > 0 && s.Substructure[0].Offset == n.Offset {
		decl, sig = r.begin(s, in)
	}
	ident := r.ident(n, c.Name)
	if c.Name == "" || ident < sig || ident >= n.end() {
		return c, false
	}
	c.Decl, c.Sig, c.Ident = int32(decl), int32(sig), int32(ident)
	if b := n.BodyOffset; b != nil && fits(*b, n.BodyLength, ident+2, n.end()) && r.src[*b-1] == '{' && !r.requirement(n) {
		c.Body = int32(*b - 1)
	}
	if fits(n.DocOffset, n.DocLength, in.from, decl) {
		if text := bytes.TrimRight(r.src[n.DocOffset:n.DocOffset+n.DocLength], " \t\r\n"); len(text) > 0 {
			c.Start, c.Doc, c.DocEnd = int32(n.DocOffset), int32(n.DocOffset), int32(n.DocOffset+len(text))
		}
	}
	return c, true
}

// begin is where a declaration begins and where its signature does: after the
// attributes that lead it.
func (r *reader) begin(n *node, in nodeContext) (decl, sig int) {
	decl, sig = n.Offset, n.Offset
	for _, a := range n.Attributes {
		if a.Length <= 0 || a.Offset < in.from || a.Offset >= n.Offset {
			continue
		}
		decl = min(decl, a.Offset)
		if r.src[a.Offset] != '@' {
			sig = min(sig, a.Offset)
		}
	}
	return decl, sig
}

// ident is where a name stands, or the keyword that stands for it: old versions
// leave that of a subscript out.
func (r *reader) ident(n *node, name string) int {
	if fits(n.NameOffset, 1, n.Offset, n.end()) {
		if r.src[n.NameOffset] == '`' && n.NameOffset+1 < n.end() {
			return n.NameOffset + 1
		}
		return n.NameOffset
	}
	if at := bytes.Index(r.src[n.Offset:n.end()], []byte(name)); at >= 0 {
		return n.Offset + at
	}
	return n.Offset
}

// requirement reports whether the braces of a property only list required accessors, as in a
// protocol.
func (r *reader) requirement(n *node) bool {
	body := r.src[*n.BodyOffset : *n.BodyOffset+n.BodyLength]
	if n.Kind != "source.lang.swift.decl.var.instance" && n.Kind != "source.lang.swift.decl.var.static" && n.Kind != "source.lang.swift.decl.function.subscript" {
		return false
	}
	fields := bytes.Fields(body)
	for _, word := range fields {
		switch string(word) {
		case "get", "set", "async", "throws", "mutating", "nonmutating":
		default:
			return false
		}
	}
	return len(fields) > 0
}
