package source

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"
)

// MaxSignature is the length in bytes at which a signature is cut.
const MaxSignature = 600

// Builder gathers what a parser finds in one text, in any order, and makes the
// File of it: it counts lines, writes signatures and containers, and brings the
// chunks into order. All strings of the File are copies: those that a Builder is
// told may lie in the text.
type Builder struct {
	*scratch
	src  []byte
	file *File
}

// scratch is what a Builder needs until it is done, and the next one can use.
type scratch struct {
	chunks []Chunk
	calls  []call
	room   []byte // strings that are not in the text
	kept   []byte // a signature without comments
	lines  lineIndex
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// free gives the scratch to the next Builder, unless it has become large.
func (s *scratch) free() {
	if cap(s.chunks) > 1<<14 || cap(s.calls) > 1<<14 || cap(s.room) > 1<<20 || cap(s.lines.before) > 1<<16 {
		return
	}
	clear(s.chunks)
	clear(s.calls)
	s.chunks, s.calls, s.room, s.lines.src = s.chunks[:0], s.calls[:0], s.room[:0], nil
	scratches.Put(s)
}

// call is a Call by position.
type call struct {
	name string
	at   int
	in   int
}

// NewBuilder starts a File for a text.
func NewBuilder(src []byte, lang Language) *Builder {
	return &Builder{scratch: scratches.Get().(*scratch), src: src, file: &File{Language: lang}}
}

// Add notes a chunk and answers with its number, which later chunks name as
// their Parent. Kind, Name, Decl, Ident and Parent must be set; End may follow
// with Close. What is left out is filled in: Start from Doc and Decl, Sig from
// Decl, Signature from the text between Sig and Body (or End), Container from
// Parent.
func (b *Builder) Add(c Chunk) int {
	b.chunks = append(b.chunks, c)
	return len(b.chunks) - 1
}

// Grow makes room for n more chunks, if a parser knows how many there will be.
func (b *Builder) Grow(n int) { b.chunks = slices.Grow(b.chunks, max(n, 0)) }

// Chunk is the chunk with this number, to change it. It is valid until the next
// Add.
func (b *Builder) Chunk(i int) *Chunk { return &b.chunks[i] }

// Close sets where a chunk ends.
func (b *Builder) Close(i, end int) { b.chunks[i].End = int32(end) }

// Import notes an import that is named at a position.
func (b *Builder) Import(path string, at int) {
	b.file.Imports = append(b.file.Imports, Import{Path: path, Line: int32(at)})
}

// Call notes a call at a position; in is the number of the chunk around it, or -1
// if that is one without calls of its own or none: then a computed property around
// it is found by the position.
func (b *Builder) Call(name string, at, in int) {
	b.calls = append(b.calls, call{name, at, in})
}

// Problem notes that the text could not be read at a position.
func (b *Builder) Problem(message string, at int) {
	if len(b.file.Problems) < MaxProblems {
		b.file.Problems = append(b.file.Problems, Problem{Line: int32(at), Message: message})
	}
}

// File ends the work. The Builder must not be used again.
func (b *Builder) File(parser string) *File {
	f := b.file
	f.Parser = parser
	b.order()
	b.lines.index(b.src)
	b.completeAll()
	for i := range f.Imports {
		f.Imports[i].Line = b.lines.at(f.Imports[i].Line)
	}
	for i := range f.Problems {
		f.Problems[i].Line = b.lines.at(f.Problems[i].Line)
	}
	slices.SortStableFunc(b.calls, func(x, y call) int { return x.at - y.at })
	b.placeCalls()
	if len(b.calls) > 0 {
		f.Calls = make([]Call, len(b.calls))
	}
	for i, c := range b.calls {
		f.Calls[i] = Call{Name: c.name, Line: b.lines.at(int32(c.at)), Chunk: int32(c.in)}
	}
	if len(b.chunks) > 0 {
		f.Chunks = append(make([]Chunk, 0, len(b.chunks)), b.chunks...)
	}
	share(f)
	b.free()
	*b = Builder{}
	return f
}

// completeAll fills in what the chunks lack, and their lines.
func (b *Builder) completeAll() {
	parent, container := int32(-1), "" // of a chunk before: many are the same
	for i := range b.chunks {
		c := &b.chunks[i]
		if b.complete(c); c.Container == "" && c.Parent >= 0 {
			if c.Parent != parent {
				parent, container = c.Parent, b.container(c.Parent)
			}
			c.Container = container
		}
		c.StartLine = b.lines.at(c.Start)
		c.Line = b.lines.later(c.Start, c.StartLine, c.Decl)
		c.IdentLine = b.lines.later(c.Decl, c.Line, c.Ident)
		c.EndLine = b.lines.later(c.Ident, c.IdentLine, max(c.End-1, c.Decl))
	}
}

// inOrder says that a chunk stands before another, or in the same place.
func inOrder(x, y *Chunk) bool { return x.Decl < y.Decl || x.Decl == y.Decl && x.End >= y.End }

// order sorts the chunks by place and mends the numbers that name them.
func (b *Builder) order() {
	chunks := b.chunks
	sorted := true
	for i := 1; i < len(chunks) && sorted; i++ {
		sorted = inOrder(&chunks[i-1], &chunks[i])
	}
	if !sorted {
		b.sort(chunks)
	}
}

func (b *Builder) sort(chunks []Chunk) {
	byPlace := func(x, y *Chunk) int { return cmp.Or(cmp.Compare(x.Decl, y.Decl), cmp.Compare(y.End, x.End)) }
	from := make([]int, len(chunks))
	for i := range from {
		from[i] = i
	}
	slices.SortStableFunc(from, func(x, y int) int { return byPlace(&chunks[x], &chunks[y]) })
	to := make([]int32, len(chunks))
	sorted := make([]Chunk, len(chunks))
	for now, before := range from {
		to[before] = int32(now)
		sorted[now] = chunks[before]
	}
	for i := range sorted {
		if sorted[i].Parent >= 0 {
			sorted[i].Parent = to[sorted[i].Parent]
		}
	}
	for i := range b.calls {
		if b.calls[i].in >= 0 {
			b.calls[i].in = int(to[b.calls[i].in])
		}
	}
	copy(chunks, sorted)
}

// placeCalls finds the computed properties around calls that are in no function.
func (b *Builder) placeCalls() {
	next := 0
	var around []int32 // properties that have begun and may not have ended
	for i := range b.calls {
		c := &b.calls[i]
		for ; next < len(b.chunks) && int(b.chunks[next].Decl) <= c.at; next++ {
			if p := &b.chunks[next]; p.Kind.Value() && p.Body > 0 {
				around = append(around, int32(next))
			}
		}
		for len(around) > 0 && int(b.chunks[around[len(around)-1]].End) <= c.at {
			around = around[:len(around)-1]
		}
		if c.in < 0 && len(around) > 0 {
			c.in = int(around[len(around)-1])
		}
	}
}

// complete fills in what Add may leave out.
func (b *Builder) complete(c *Chunk) {
	if c.End == 0 {
		c.End = int32(len(b.src))
	}
	if c.Sig == 0 {
		c.Sig = c.Decl
	}
	if c.Start == 0 || c.Start > c.Decl {
		c.Start = c.Decl
	}
	if c.DocEnd > 0 && c.Doc < c.Start {
		c.Start = c.Doc
	}
	if c.Signature == "" {
		end := c.End
		if c.Body > c.Sig {
			end = c.Body
		}
		c.Signature = b.signature(b.src[c.Sig:end])
	}
}

// container is the path of the chunks around, of which the nearest has this
// number. Parents come first in order, so theirs are known.
func (b *Builder) container(parent int32) string {
	p := &b.chunks[parent]
	if p.Kind == Extension || p.Container == "" {
		return p.Name
	}
	from := len(b.room)
	b.room = append(append(append(b.room, p.Container...), '.'), p.Name...)
	return view(b.room[from:])
}

// view is a string that lies in bytes: it changes with them.
func view(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// share puts all strings of a file into one, so that an index of many files does
// not hold a million small ones, and nothing of the text.
func share(f *File) {
	total, last := 0, ""
	for i := range f.Chunks {
		c := &f.Chunks[i]
		total += len(c.Name) + len(c.Labels) + len(c.Signature)
		if c.Container != last {
			last = c.Container
			total += len(last)
		}
	}
	for i := range f.Imports {
		total += len(f.Imports[i].Path)
	}
	for i := range f.Calls {
		total += len(f.Calls[i].Name)
	}
	text, container := make(shared, 0, total), ""
	last = ""
	for i := range f.Chunks {
		c := &f.Chunks[i]
		text.put(&c.Name)
		text.put(&c.Labels)
		text.put(&c.Signature)
		if c.Container != last {
			container = c.Container
			text.put(&container)
			last = container
		}
		c.Container = container
	}
	for i := range f.Imports {
		text.put(&f.Imports[i].Path)
	}
	for i := range f.Calls {
		text.put(&f.Calls[i].Name)
	}
}

// shared is room for strings, which is not written to again.
type shared []byte

// put moves a string there.
func (t *shared) put(s *string) {
	from := len(*t)
	*t = append(*t, *s...)
	*s = view((*t)[from:])
}
