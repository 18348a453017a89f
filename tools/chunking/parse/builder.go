package parse

import (
	"slices"
	"strings"
	"sync"
)

// MaxSignature is the length in bytes at which a signature is cut.
const MaxSignature = 600

// Builder gathers what a parser finds in one text, in any order, and makes the
// File of it: it counts lines, writes signatures and containers, and brings the
// chunks into order.
type Builder struct {
	src  []byte
	file File
	at   []call // what Import, Call and Problem were told, by position
	text strings.Builder

	grown bool // Chunks has room of its own
}

// scratch holds what chunks are gathered in, until it is known how many there
// are.
var scratch = sync.Pool{New: func() any { return new(make([]Chunk, 0, 64)) }}

// keep puts the chunks into a slice of their own, of just their number.
func (b *Builder) keep() {
	gathered := b.file.Chunks
	if b.grown {
		return
	}
	b.file.Chunks = nil
	if len(gathered) > 0 {
		b.file.Chunks = append(make([]Chunk, 0, len(gathered)), gathered...)
	}
	const most = 1 << 14
	if cap(gathered) <= most {
		clear(gathered)
		gathered = gathered[:0]
		scratch.Put(&gathered)
	}
}

// call is a Call by position.
type call struct {
	name string
	at   int
	in   int
}

// NewBuilder starts a File for a text.
func NewBuilder(src []byte, lang Language) *Builder {
	return &Builder{src: src, file: File{Language: lang, Chunks: *scratch.Get().(*[]Chunk)}}
}

// Add notes a chunk and answers with its number, which later chunks name as
// their Parent. Kind, Name, Decl, Ident and Parent must be set; End may follow
// with Close. What is left out is filled in: Start from Doc and Decl, Sig from
// Decl, Signature from the text between Sig and Body (or End), Container from
// Parent.
func (b *Builder) Add(c Chunk) int {
	b.file.Chunks = append(b.file.Chunks, c)
	return len(b.file.Chunks) - 1
}

// Grow makes room for n more chunks, if a parser knows how many there will be.
func (b *Builder) Grow(n int) {
	if n > 0 && len(b.file.Chunks) == 0 {
		b.file.Chunks, b.grown = make([]Chunk, 0, n), true
	}
}

// Chunk is the chunk with this number, to change it. It is valid until the next
// Add.
func (b *Builder) Chunk(i int) *Chunk { return &b.file.Chunks[i] }

// Close sets where a chunk ends.
func (b *Builder) Close(i, end int) { b.file.Chunks[i].End = int32(end) }

// Import notes an import that is named at a position.
func (b *Builder) Import(path string, at int) {
	b.file.Imports = append(b.file.Imports, Import{Path: path, Line: int32(at)})
}

// Call notes a call at a position; in is the number of the chunk around it, or -1
// if that is one without calls of its own or none: then a computed property around
// it is found by the position.
func (b *Builder) Call(name string, at, in int) {
	b.at = append(b.at, call{name, at, in})
}

// Problem notes that the text could not be read at a position.
func (b *Builder) Problem(message string, at int) {
	if len(b.file.Problems) < MaxProblems {
		b.file.Problems = append(b.file.Problems, Problem{Line: int32(at), Message: message})
	}
}

// File ends the work. The Builder must not be used again.
func (b *Builder) File(parser string) *File {
	b.file.Parser = parser
	b.order()
	lines := newLineIndex(b.src)
	for i := range b.file.Chunks {
		c := &b.file.Chunks[i]
		b.complete(c)
		c.StartLine = lines.at(c.Start)
		c.Line = lines.later(c.Start, c.StartLine, c.Decl)
		c.IdentLine = lines.later(c.Decl, c.Line, c.Ident)
		c.EndLine = lines.later(c.Ident, c.IdentLine, max(c.End-1, c.Decl))
	}
	for i := range b.file.Imports {
		b.file.Imports[i].Line = lines.at(b.file.Imports[i].Line)
	}
	for i := range b.file.Problems {
		b.file.Problems[i].Line = lines.at(b.file.Problems[i].Line)
	}
	slices.SortStableFunc(b.at, func(x, y call) int { return x.at - y.at })
	b.placeCalls()
	for _, c := range b.at {
		b.file.Calls = append(b.file.Calls, Call{Name: c.name, Line: lines.at(int32(c.at)), Chunk: int32(c.in)})
	}
	lines.free()
	b.share()
	b.keep()
	return &b.file
}

// order sorts the chunks by place and mends the numbers that name them.
func (b *Builder) order() {
	chunks := b.file.Chunks
	byPlace := func(x, y Chunk) int {
		if x.Decl != y.Decl {
			return int(x.Decl - y.Decl)
		}
		return int(y.End - x.End)
	}
	if slices.IsSortedFunc(chunks, byPlace) {
		return
	}
	from := make([]int, len(chunks))
	for i := range from {
		from[i] = i
	}
	slices.SortStableFunc(from, func(x, y int) int { return byPlace(chunks[x], chunks[y]) })
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
	for i := range b.at {
		if b.at[i].in >= 0 {
			b.at[i].in = int(to[b.at[i].in])
		}
	}
	copy(chunks, sorted)
}

// placeCalls finds the computed properties around calls that are in no function.
func (b *Builder) placeCalls() {
	next := 0
	var around []int32 // properties that have begun and may not have ended
	for i := range b.at {
		c := &b.at[i]
		for ; next < len(b.file.Chunks) && int(b.file.Chunks[next].Decl) <= c.at; next++ {
			if p := &b.file.Chunks[next]; p.Kind.Value() && p.Body > 0 {
				around = append(around, int32(next))
			}
		}
		for len(around) > 0 && int(b.file.Chunks[around[len(around)-1]].End) <= c.at {
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
	if c.Container == "" && c.Parent >= 0 {
		c.Container = b.container(int(c.Parent))
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
func (b *Builder) container(parent int) string {
	p := &b.file.Chunks[parent]
	if p.Kind == Extension {
		return p.Name
	}
	if p.Container == "" {
		return p.Name
	}
	return p.Container + "." + p.Name
}

// share puts the strings of all chunks into one, so that an index of many files
// does not hold a million small ones.
func (b *Builder) share() {
	total := 0
	for i := range b.file.Chunks {
		c := &b.file.Chunks[i]
		total += len(c.Name) + len(c.Labels) + len(c.Signature)
		if i == 0 || c.Container != b.file.Chunks[i-1].Container {
			total += len(c.Container)
		}
	}
	b.text.Reset()
	b.text.Grow(total)
	last, container := "", ""
	for i := range b.file.Chunks {
		c := &b.file.Chunks[i]
		c.Name, c.Labels, c.Signature = b.put(c.Name), b.put(c.Labels), b.put(c.Signature)
		if c.Container != last {
			last, container = c.Container, b.put(c.Container)
		}
		c.Container = container
	}
}

func (b *Builder) put(s string) string {
	if s == "" {
		return ""
	}
	at := b.text.Len()
	b.text.WriteString(s)
	return b.text.String()[at:]
}
