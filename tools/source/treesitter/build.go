package treesitter

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// builder converts the matches in one file to chunks.
type builder struct {
	src    []byte
	g      *grammar
	m      matches
	trivia *trivia
	out    *source.Builder
	around []enclosing // the chunks and scopes around the current node, outermost first
}

// enclosing is a chunk that contains others, or a scope.
type enclosing struct {
	end    int32
	kind   source.Kind // Invalid for a scope
	scope  role        // the meaning of a scope
	number int         // the index of the chunk
}

// maxDepth is the maximum nesting depth of chunks and scopes. Deeper nodes are treated as siblings
// at this depth, which bounds the paths and the time of a hostile text.
const maxDepth = 200

// ended reports, at every 1024th iteration of a loop, whether ctx has ended.
func ended(ctx context.Context, i int) bool { return i%1024 == 0 && ctx.Err() != nil }

// build makes the File. Its error is that of ctx, or errTrap.
func build(ctx context.Context, src []byte, g *grammar, f *found, o source.Options) (*source.File, error) {
	b := &builder{src: src, g: g, out: source.NewBuilder(src, g.language)}
	for which, flat := range f.matches {
		if err := readMatches(&b.m, flat, f.code.queries[which].roles, len(src)); err != nil {
			return nil, err
		}
	}
	if g.isAttribute != nil {
		b.m.attributes = slices.DeleteFunc(b.m.attributes, func(a span) bool { return !g.isAttribute(src[a.start:a.end]) })
	}
	b.m.settle()
	b.m.widen(ctx)
	b.trivia = newTrivia(src, b.m.comments)
	callables := b.nest(ctx, b.chunks(ctx))
	b.imports()
	if o.Calls {
		b.calls(ctx, callables)
	}
	if err := ctx.Err(); err != nil { // the matches may be incomplete
		return nil, err
	}
	if f.exceeded {
		b.out.Problem("not all declarations were looked for: the syntax tree is too large", 0)
	}
	for _, p := range f.problems {
		if !inText(p.start, p.end, len(src)) {
			return nil, errTrap
		}
		b.out.Problem(b.message(p), int(p.start))
	}
	b.unclosedComment()
	if f.wrong && len(f.problems) == 0 && g.added != nil {
		b.out.Problem("the text could not be read from here on", b.behindDeclarations())
	}
	return b.out.File(name), nil
}

// unclosedComment reports a comment that has no end. Some grammars read it as the rest of the text.
func (b *builder) unclosedComment() {
	if len(b.m.comments) == 0 || b.g.added == nil {
		return
	}
	last := b.m.comments[len(b.m.comments)-1]
	text := bytes.TrimSpace(b.src[last.start:last.end])
	for _, block := range b.g.added.Syntax.BlockComments {
		if bytes.HasPrefix(text, []byte(block.Open)) && (len(text) < len(block.Open)+len(block.Close) || !bytes.HasSuffix(text, []byte(block.Close))) {
			b.out.Problem("a comment is not closed", int(last.start))
			return
		}
	}
}

// behindDeclarations returns the offset of the first text behind the last declaration.
func (b *builder) behindDeclarations() int {
	end := int32(0)
	for i := range b.m.declarations {
		end = max(end, b.m.declarations[i].end)
	}
	rest := bytes.TrimLeft(b.src[end:], " \t\r\n")
	if len(rest) == 0 {
		return int(end)
	}
	return len(b.src) - len(rest)
}

// imports adds the imports. A dot and an asterisk after a path belong to it.
func (b *builder) imports() {
	all := b.m.imports
	for _, r := range b.m.required {
		if b.g.isRequire(string(b.src[r.word.start:r.word.end])) {
			all = append(all, r.path)
		}
	}
	sortSpans(&all)
	for _, i := range all {
		path := string(b.src[i.start:i.end])
		if bytes.HasPrefix(b.src[i.end:], []byte(".*")) {
			path += ".*"
		}
		if b.g.imported != nil {
			path = b.g.imported(path)
		}
		if path = strings.Trim(path, "\"'`<> \t\r\n"); path != "" {
			b.out.Import(path, int(i.start))
		}
	}
}

// chunks makes a chunk of each declaration, in order of place.
func (b *builder) chunks(ctx context.Context) []source.Chunk {
	chunks := make([]source.Chunk, 0, len(b.m.declarations))
	for i := range b.m.declarations {
		if ended(ctx, i) {
			return nil
		}
		c, ok := b.chunk(&b.m.declarations[i])
		if ok && b.g.adjust != nil {
			ok = b.g.adjust(b.src, &c) && c.Name != "" && c.Kind != source.Invalid
		}
		if ok {
			if doc := b.trivia.before(c.Decl); doc.is() && !b.g.plainComments {
				c.Doc, c.DocEnd = doc.start, doc.end
			}
			chunks = append(chunks, c)
		}
	}
	slices.SortStableFunc(chunks, func(x, y source.Chunk) int {
		return cmp.Or(cmp.Compare(x.Decl, y.Decl), cmp.Compare(y.End, x.End))
	})
	if b.g.joined {
		return b.join(chunks)
	}
	return chunks
}

// join makes one chunk of consecutive functions with one name and only blanks and comments between them. Chunks within a function
// stay behind it.
func (b *builder) join(chunks []source.Chunk) []source.Chunk {
	kept := chunks[:0]
	last := -1 // the index in kept of the function that the next one may continue
	for i := range chunks {
		c := &chunks[i]
		if last >= 0 {
			f := &kept[last]
			if c.Kind == f.Kind && c.Name == f.Name && c.Container == f.Container && b.trivia.skip(f.End) == c.Sig {
				if f.Body == 0 {
					f.Body = c.Body
				}
				f.End = c.End
				continue
			}
		}
		if c.Kind.IsCallable() && (last < 0 || c.Decl >= kept[last].End) {
			last = len(kept)
		}
		kept = append(kept, *c)
	}
	return kept
}

func (b *builder) chunk(d *declaration) (source.Chunk, bool) {
	c := source.Chunk{Kind: d.kind, Decl: d.start, End: d.end, Ident: d.name.start, Parent: -1}
	c.Name = strings.Trim(string(b.src[d.name.start:d.name.end]), "`")
	if d.body.is() {
		c.Body = d.body.start
	}
	if d.container.is() {
		c.Container = string(b.src[d.container.start:d.container.end])
	}
	c.Sig = b.attributesAt(c.Decl, c.Ident, d.attributes)
	c.Decl = b.attributesBefore(c.Decl)
	if b.g.labels != nil && len(d.parameters) > 0 {
		sortSpans(&d.parameters)
		texts := make([][]byte, len(d.parameters))
		for i, p := range d.parameters {
			texts[i] = b.src[p.start:p.end]
		}
		c.Labels = b.g.labels(texts)
	}
	// Grammars with indentation have the end of a block where the next line begins.
	c.End = b.trivia.trim(d.name.end, c.End)
	if c.Name == "" || c.Ident < c.Sig || c.Ident >= c.End {
		return c, false
	}
	if arrow := b.src[max(c.Body, 0):]; bytes.HasPrefix(arrow, []byte("=>")) || bytes.HasPrefix(arrow, []byte("->")) {
		if body := b.trivia.skip(c.Body + 2); int(body) < len(b.src) && b.src[body] == '{' {
			c.Body = body
		}
	}
	if c.Body <= c.Ident || c.Body > c.End {
		c.Body = 0
	}
	return c, true
}

// attributesAt is where the attributes end that begin at a position and go before
// the name.
func (b *builder) attributesAt(at, name int32, own []span) int32 {
	sortSpans(&own)
	for {
		from := at
		for _, all := range [][]span{own, b.m.attributes} {
			i, ok := slices.BinarySearchFunc(all, at, func(a span, at int32) int { return cmp.Compare(a.start, at) })
			if ok && all[i].end < name {
				at = b.trivia.skip(all[i].end)
			}
		}
		if at == from {
			return at
		}
	}
}

// attributesBefore is where the attributes begin that stand on their own before
// a position, with nothing but comments between; the position if there are none.
func (b *builder) attributesBefore(at int32) int32 {
	all := b.m.attributes
	i, _ := slices.BinarySearchFunc(all, at, func(a span, at int32) int { return cmp.Compare(a.start, at) })
	for i--; i >= 0 && all[i].end <= at && b.trivia.skip(all[i].end) == at; i-- {
		at = all[i].start
	}
	return at
}

// nest sets parents and the kinds that depend on them, drops local variables, and adds the
// remaining chunks to the Builder. It returns the callable chunks with their indices.
func (b *builder) nest(ctx context.Context, chunks []source.Chunk) []enclosing {
	var callables []enclosing
	scopes := b.m.scopes
	for i := range chunks {
		if ended(ctx, i) {
			return nil
		}
		c := &chunks[i]
		for ; len(scopes) > 0 && scopes[0].start <= c.Decl; scopes = scopes[1:] {
			if s := scopes[0]; s.end > c.Decl {
				b.leave(s.start, s.end)
				if !b.isBody(s.start) && len(b.around) < maxDepth {
					b.around = append(b.around, enclosing{s.end, source.Invalid, s.role, -1})
				}
			}
		}
		b.leave(c.Decl, c.End)
		parent, scope := b.parent(c)
		if !settleKind(c, parent, scope) || b.named(c, parent) {
			continue
		}
		if parent != nil && b.g.outermost {
			c.Container = ""
		}
		c.Parent = -1
		if parent != nil {
			c.Parent = int32(parent.number)
		}
		number := b.out.Add(*c)
		inner := c.Kind != source.Module || c.Body > 0
		if inner && len(b.around) < maxDepth {
			b.around = append(b.around, enclosing{c.End, c.Kind, 0, number})
		}
		if c.Kind.IsCallable() {
			callables = append(callables, enclosing{c.End, c.Kind, 0, number})
		}
	}
	return callables
}

// isBody reports whether the body of the innermost chunk begins at a position: it is
// that chunk's scope and none of its own.
func (b *builder) isBody(at int32) bool {
	n := len(b.around)
	return n > 0 && b.around[n-1].number >= 0 && b.out.Chunk(b.around[n-1].number).Body == at
}

// leave drops the enclosing nodes that do not contain the range from start to end.
func (b *builder) leave(start, end int32) {
	for n := len(b.around); n > 0; n-- {
		top := b.around[n-1]
		if start < top.end && end <= top.end && !b.same(top, start, end) {
			return
		}
		b.around = b.around[:n-1]
	}
}

// same reports whether a chunk has just this range: two names of one declaration are
// not within each other.
func (b *builder) same(top enclosing, start, end int32) bool {
	if top.number < 0 || top.end != end {
		return false
	}
	c := b.out.Chunk(top.number)
	return c.Decl == start && c.Kind.IsValue()
}

// parent is the innermost chunk around; scope is that of a scope that is nearer.
// A property among the parameters of a constructor belongs to the
// type.
func (b *builder) parent(c *source.Chunk) (chunk *enclosing, scope role) {
	for i := len(b.around) - 1; i >= 0; i-- {
		e := &b.around[i]
		if e.kind == source.Invalid {
			if scope == 0 {
				scope = e.scope
			}
			continue
		}
		if e.kind == source.Initializer && c.Kind == source.Property && scope == 0 {
			if body := b.out.Chunk(e.number).Body; body == 0 || c.Ident < body {
				continue
			}
		}
		return e, scope
	}
	return nil, scope
}

// named reports whether a chunk is the function expression, with a name of its own,
// that is bound to the name around it.
func (b *builder) named(c *source.Chunk, parent *enclosing) bool {
	return c.Kind == source.Function && c.Body > 0 && parent != nil && parent.kind == source.Lambda && b.out.Chunk(parent.number).Body == c.Body
}

// settleKind gives a chunk the kind that its place says; false drops it.
func settleKind(c *source.Chunk, parent *enclosing, scope role) bool {
	value := c.Kind == source.Variable || c.Kind == source.Constant || c.Kind == source.Property
	within := source.Invalid
	if parent != nil {
		within = parent.kind
	}
	switch {
	case scope == roleLocal:
		return !value
	case scope == roleAnonymous:
	case value && (within.IsCallable() || within.IsValue() && within != source.EnumCase):
		return false
	case !within.IsType() && within != source.EnumCase:
		return true
	}
	switch c.Kind {
	case source.Function:
		c.Kind = source.Method
	case source.Variable, source.Constant:
		c.Kind = source.Property
	}
	return true
}

// calls gives every call the innermost callable around it.
func (b *builder) calls(ctx context.Context, callables []enclosing) {
	var around []enclosing
	for i, at := range b.m.calls {
		if ended(ctx, i) {
			return
		}
		for len(callables) > 0 && b.out.Chunk(callables[0].number).Decl <= at.start {
			around = append(around, callables[0])
			callables = callables[1:]
		}
		for len(around) > 0 && around[len(around)-1].end <= at.start {
			around = around[:len(around)-1]
		}
		in := -1
		if len(around) > 0 {
			in = around[len(around)-1].number
		}
		if called := bytes.Trim(b.src[at.start:at.end], "`"); len(called) > 0 && (b.g.isCall == nil || b.g.isCall(string(called))) {
			b.out.Call(string(called), int(at.start), in)
		}
	}
}

// message returns the description of a syntax error for source.Problem.
func (b *builder) message(p problem) string {
	if p.missing != "" {
		return "missing " + p.missing
	}
	text, _, cut := bytes.Cut(bytes.TrimSpace(b.src[p.start:p.end]), []byte("\n"))
	if len(text) > 40 {
		text, cut = text[:40], true
	}
	near := strings.ToValidUTF8(string(bytes.TrimSpace(text)), "")
	if cut {
		near += "…"
	}
	if near == "" {
		return "the syntax is wrong here"
	}
	return "the syntax is wrong at: " + near
}
