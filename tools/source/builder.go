package source

import (
	"cmp"
	"slices"
	"sync"
	"unsafe"

	"github.com/dougu-go/dougu/internal/truncate"
)

// MaxSignature is the length in bytes at which a signature is cut.
const MaxSignature = 600

// Builder collects the declarations of one text, in any order, and makes a File of them. It counts
// lines, derives signatures and containers, and sorts the chunks. The strings passed to a Builder
// may point into the text; the File contains copies. A Builder is for one goroutine and one File.
type Builder struct {
	*scratch
	src  []byte
	file *File
}

// scratch holds the buffers of a Builder. File returns them to a pool.
type scratch struct {
	chunks []Chunk
	calls  []call
	room   []byte // backing memory of derived strings
	kept   []byte // a signature without comments
	lines  lineIndex
}

// scratches is the pool of buffers that builders share.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// free returns the buffers to the pool, unless they have grown large.
func (s *scratch) free() {
	if cap(s.chunks) > 1<<14 || cap(s.calls) > 1<<14 || cap(s.room) > 1<<20 || cap(s.lines.before) > 1<<16 {
		return
	}
	clear(s.chunks)
	clear(s.calls)
	s.chunks, s.calls, s.room, s.lines.src = s.chunks[:0], s.calls[:0], s.room[:0], nil
	scratches.Put(s)
}

// call is a Call before its line is counted.
type call struct {
	name string
	at   int // the offset
	in   int // the index of the chunk around the call, or -1
}

// NewBuilder starts a File for a text. The text must not change until File returns.
func NewBuilder(src []byte, lang Language) *Builder {
	return &Builder{scratch: scratches.Get().(*scratch), src: src, file: &File{Language: lang}}
}

// Add adds a chunk and returns its index, which later chunks use as their Parent. Kind, Name, Decl,
// Ident and Parent must be set; End may be set later with Close. File derives the missing fields:
// Start from Doc and Decl, Sig from Decl, Signature from the text between Sig and Body (or End),
// Container from Parent.
func (b *Builder) Add(c Chunk) int {
	b.chunks = append(b.chunks, c)
	return len(b.chunks) - 1
}

// Grow reserves memory for n more chunks.
func (b *Builder) Grow(n int) { b.chunks = slices.Grow(b.chunks, max(n, 0)) }

// Chunk returns the chunk with index i, for changes. The pointer is valid until the next Add.
func (b *Builder) Chunk(i int) *Chunk { return &b.chunks[i] }

// Close sets the End of chunk i.
func (b *Builder) Close(i, end int) { b.chunks[i].End = int32(end) }

// Import adds an import that the text names at offset at.
func (b *Builder) Import(path string, at int) {
	b.file.Imports = append(b.file.Imports, Import{Path: path, Line: int32(at)})
}

// Call adds a call at offset at. in is the index of the innermost callable chunk, or -1 if there is
// none. With -1, File searches for a computed property around the offset.
func (b *Builder) Call(name string, at, in int) {
	b.calls = append(b.calls, call{name, at, in})
}

// maxMessage is the length of the longest message of a problem, in bytes: a message may quote a word of the text.
const maxMessage = 300

// Problem adds a part of the text, at offset at, that could not be parsed. Problems beyond
// MaxProblems are dropped, and a long message is cut.
func (b *Builder) Problem(message string, at int) {
	if len(b.file.Problems) < MaxProblems {
		b.file.Problems = append(b.file.Problems, Problem{Line: int32(at), Message: truncate.Cut(message, maxMessage)})
	}
}

// File returns the File with the name of its parser. The Builder must not be used afterwards.
func (b *Builder) File(parser string) *File {
	f := b.file
	f.Parser = parser
	b.order()
	b.lines.reset(b.src)
	b.completeAll()
	for i := range f.Imports {
		f.Imports[i].Line = b.lines.line(f.Imports[i].Line)
	}
	for i := range f.Problems {
		f.Problems[i].Line = b.lines.line(f.Problems[i].Line)
	}
	slices.SortStableFunc(b.calls, func(x, y call) int { return x.at - y.at })
	b.placeCalls()
	if len(b.calls) > 0 {
		f.Calls = make([]Call, len(b.calls))
	}
	for i, c := range b.calls {
		f.Calls[i] = Call{Name: c.name, Line: b.lines.line(int32(c.at)), Chunk: int32(c.in)}
	}
	if len(b.chunks) > 0 {
		f.Chunks = append(make([]Chunk, 0, len(b.chunks)), b.chunks...)
	}
	packStrings(f)
	b.free()
	*b = Builder{}
	return f
}

// completeAll sets the missing fields and the lines of all chunks.
func (b *Builder) completeAll() {
	parent, container := int32(-1), "" // of the previous chunk: neighbours often have the same
	for i := range b.chunks {
		c := &b.chunks[i]
		if b.complete(c); c.Container == "" && c.Parent >= 0 {
			if c.Parent != parent {
				parent, container = c.Parent, b.container(c.Parent)
			}
			c.Container = container
		}
		c.StartLine = b.lines.line(c.Start)
		c.Line = b.lines.lineAfter(c.Start, c.StartLine, c.Decl)
		c.IdentLine = b.lines.lineAfter(c.Decl, c.Line, c.Ident)
		c.EndLine = b.lines.lineAfter(c.Ident, c.IdentLine, max(c.End-1, c.Decl))
	}
}

// inOrder reports whether x may stand before y: it begins earlier, or at the same offset and ends
// no earlier.
func inOrder(x, y *Chunk) bool { return x.Decl < y.Decl || x.Decl == y.Decl && x.End >= y.End }

// order sorts the chunks by offset and updates the indices that refer to them.
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

// sort sorts chunks and renumbers Chunk.Parent and the chunks of calls.
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

// placeCalls finds the computed property around each call that has no callable chunk.
func (b *Builder) placeCalls() {
	next := 0
	var around []int32 // properties that begin before the call and may end after it
	for i := range b.calls {
		c := &b.calls[i]
		for ; next < len(b.chunks) && int(b.chunks[next].Decl) <= c.at; next++ {
			if p := &b.chunks[next]; p.Kind.IsValue() && p.Body > 0 {
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

// complete sets the fields that Add lets the caller omit.
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

// container returns the path of the chunk parent and its containers. Parents precede their
// children, so the parent's own container is already set.
func (b *Builder) container(parent int32) string {
	p := &b.chunks[parent]
	if p.Kind == Extension || p.Container == "" {
		return p.Name
	}
	from := len(b.room)
	b.room = append(append(append(b.room, p.Container...), '.'), p.Name...)
	return unsafeString(b.room[from:])
}

// unsafeString returns a string that shares the memory of b and changes with it.
func unsafeString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }

// packStrings copies all strings of a file into one allocation. An index of many files then holds
// few small objects and no memory of the source texts.
func packStrings(f *File) {
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
	text, container := make(stringPack, 0, total), ""
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

// stringPack is memory for strings. Written bytes do not change.
type stringPack []byte

// put copies a string into the memory and replaces it by the copy.
func (t *stringPack) put(s *string) {
	from := len(*t)
	*t = append(*t, *s...)
	*s = unsafeString((*t)[from:])
}
