package symbols

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// reader turns symbols into chunks.
type reader struct {
	src     []byte
	lang    source.Language
	lines   *textLines
	builder *source.Builder
	added   []added
}

// added is a chunk as it was added.
type added struct {
	kind             source.Kind
	decl, ident, end int
}

// extent is a Symbol in bytes.
type extent struct {
	*Symbol
	start, end, from, to int // of the whole, and of the name
}

// symbolContext is the context of symbols.
type symbolContext struct {
	extent
	chunk         int // -1 outside of all
	inType, local bool
	depth         int
}

func (r *reader) unsure(at int, format string, args ...any) error {
	return &source.UnsureError{Line: r.lines.line(min(max(at, 0), len(r.src))), Reason: fmt.Sprintf("the language server's symbols do not fit the text: "+format, args...)}
}

// read adds a chunk for each symbol that is one.
func (r *reader) read(found []Symbol) error {
	all, err := r.extents(found)
	if err != nil {
		return err
	}
	if code := r.skip(0, len(r.src)); len(all) == 0 && code < len(r.src) {
		return r.unsure(code, "it names none")
	}
	open := []symbolContext{{extent: extent{end: len(r.src)}, chunk: -1}}
	for i, e := range all {
		for len(open) > 1 && open[len(open)-1].end <= e.start || i > 0 && len(open) > 1 && same(open[len(open)-1].extent, e) {
			open = open[:len(open)-1]
		}
		in := open[len(open)-1]
		switch {
		case e.end > in.end:
			return r.unsure(e.start, "%.60q ends behind what it is in", e.Name)
		case in.depth == maxDepth:
			return r.unsure(e.start, "they are nested too deeply")
		}
		inner, err := r.symbol(e, in)
		if err != nil {
			return err
		}
		inner.extent, inner.depth = e, in.depth+1
		open = append(open, inner)
	}
	return nil
}

// same reports whether two symbols belong to one declaration, such as "var a, b".
func same(a, b extent) bool { return a.start == b.start && a.end == b.end }

// extents converts the ranges of symbols to offsets and sorts enclosing symbols before enclosed
// ones.
func (r *reader) extents(found []Symbol) ([]extent, error) {
	for i, at := range r.lines.starts[1:] {
		if at-r.lines.starts[i] > maxLine {
			return nil, r.unsure(at-1, "the line is too long")
		}
	}
	if last := r.lines.starts[len(r.lines.starts)-1]; len(r.src)-last > maxLine {
		return nil, r.unsure(last, "the line is too long")
	}
	all := make([]extent, 0, len(found))
	for i := range found {
		s := &found[i]
		e := extent{Symbol: s}
		ok := true
		for _, p := range []struct {
			at *int
			of Position
		}{{&e.start, s.Range.Start}, {&e.end, s.Range.End}, {&e.from, s.Selection.Start}, {&e.to, s.Selection.End}} {
			at, there := r.lines.offset(p.of)
			*p.at, ok = at, ok && there
		}
		if !ok || e.start > e.from || e.from > e.to || e.to > e.end {
			return nil, r.unsure(min(e.start, len(r.src)), "%.60q is where there is no text", s.Name)
		}
		if e.start = r.skip(e.start, e.end); e.start < e.end && s.Name != "" { // an empty range is a comment, such as a mark
			all = append(all, e)
		}
	}
	slices.SortStableFunc(all, func(a, b extent) int { return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end)) })
	return all, nil
}

// symbol adds the chunk of a symbol and returns the context of its children.
func (r *reader) symbol(e extent, in symbolContext) (symbolContext, error) {
	inner := symbolContext{chunk: in.chunk, inType: in.inType, local: in.local}
	sig := r.attributes(e.start, e.end)
	kind := kindOf(e.Symbol, r.lang, r.keyword(sig, e.end), in.inType)
	bare, labels := split(e.Name, kind)
	c := source.Chunk{Kind: kind, Decl: int32(e.start), Sig: int32(sig), End: int32(e.end), Parent: int32(in.chunk), Labels: labels}
	if receiver, method, ok := strings.Cut(e.Name, ")."); ok && r.lang == source.Go {
		bare, c.Container, c.Labels = method, strings.TrimLeft(receiver, "(*"), ""
	}
	if kind == source.Invalid || kind.IsValue() && kind != source.EnumCase && in.local || strings.ContainsAny(bare, " <") {
		return inner, nil // local or unnamed symbols are no chunks
	}
	ident, ok := r.ident(e, &bare, sig)
	if !ok {
		return inner, r.unsure(e.start, "there is no %.60q", e.Name)
	}
	c.Name, c.Ident = bare, int32(ident)
	if sig > ident {
		c.Sig = c.Decl
	}
	if body, lambda := r.body(ident+len(bare), e.end, kind); body > 0 {
		if c.Body = int32(body); lambda {
			c.Kind = source.Lambda
			if head, ok := strings.CutSuffix(strings.TrimSpace(string(r.src[c.Sig:body])), "="); ok && len(head) <= source.MaxSignature {
				c.Signature = strings.Join(strings.Fields(head), " ")
			}
		}
	}
	if doc, end := r.documentation(e.start); end > 0 {
		c.Start, c.Doc, c.DocEnd = int32(doc), int32(doc), int32(end)
	}
	inner.chunk = r.builder.Add(c)
	r.added = append(r.added, added{c.Kind, e.start, ident, e.end})
	inner.inType = c.Kind.IsType() || c.Kind == source.Object
	inner.local = !inner.inType && c.Kind != source.Module
	return inner, nil
}

// ident finds the name of a symbol at its place, or the last part of the name.
func (r *reader) ident(e extent, bare *string, sig int) (int, bool) {
	at := e.from
	if at < e.end && r.src[at] == '`' {
		at++
	}
	last := (*bare)[strings.LastIndexAny(*bare, ".:")+1:]
	for _, written := range []string{*bare, last} {
		if written != "" && bytes.HasPrefix(r.src[at:e.end], []byte(written)) {
			*bare = written
			return at, true
		}
	}
	// Some name the whole declaration as the place of its name.
	if e.from > sig {
		return 0, false
	}
	head := r.src[sig:min(e.end, sig+4*source.MaxSignature)]
	for _, word := range []string{*bare, last} {
		for from := 0; word != ""; {
			n := bytes.Index(head[from:], []byte(word))
			if n < 0 {
				break
			}
			from += n + len(word)
			if before := from - len(word) - 1; (before < 0 || !isWord(head[before])) && (from == len(head) || !isWord(head[from]) || !isWord(word[0])) {
				*bare = word
				return sig + from - len(word), true
			}
		}
	}
	return 0, false
}

// rest adds the imports and calls that another parser has found.
func (r *reader) rest(f *source.File, calls bool) {
	begins := []int{0}
	for at, c := range r.src {
		if c == '\n' {
			begins = append(begins, at+1)
		}
	}
	begin := func(line int32) int { return begins[min(max(int(line)-1, 0), len(begins)-1)] }
	for _, i := range f.Imports {
		r.builder.Import(i.Path, begin(i.Line))
	}
	for _, p := range f.Problems {
		r.builder.Problem(p.Message, begin(p.Line))
	}
	if !calls {
		return
	}
	byName := make(map[int]int, len(r.added))
	for i, a := range r.added {
		byName[a.ident] = i
	}
	for _, c := range f.Calls {
		at, in := begin(c.Line), -1
		if c.Chunk >= 0 {
			var ok bool
			if in, ok = byName[int(f.Chunks[c.Chunk].Ident)]; !ok {
				in = -1
			} else if at = max(at, r.added[in].decl); !r.added[in].kind.IsCallable() {
				in = -1 // the Builder finds properties by their place
			}
		}
		if in < 0 {
			in = r.callable(at)
		}
		r.builder.Call(c.Name, at, in)
	}
}

// callable is the innermost function around a position, or -1.
func (r *reader) callable(at int) int {
	in := -1
	for i, a := range r.added {
		if a.decl <= at && at < a.end && a.kind.IsCallable() {
			in = i
		}
	}
	return in
}
