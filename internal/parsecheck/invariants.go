package parsecheck

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// Invariants checks what holds for every File, whatever the text was.
func Invariants(src []byte, f *parse.File) error {
	if len(f.Problems) > parse.MaxProblems {
		return fmt.Errorf("%d problems, at most %d may be named", len(f.Problems), parse.MaxProblems)
	}
	line := lines(src)
	for i := range f.Chunks {
		if err := chunk(src, f, i, line); err != nil {
			return fmt.Errorf("chunk %d, %s %s: %w", i, f.Chunks[i].Kind, f.Chunks[i].Path(), err)
		}
	}
	last := int32(1 + bytes.Count(src, []byte("\n")))
	for _, c := range f.Calls {
		switch {
		case c.Name == "" || c.Line < 1 || c.Line > last:
			return fmt.Errorf("call %+v of %d lines", c, last)
		case c.Chunk < -1 || int(c.Chunk) >= len(f.Chunks):
			return fmt.Errorf("call %+v of %d chunks", c, len(f.Chunks))
		case c.Chunk >= 0 && !f.Chunks[c.Chunk].HasCode():
			return fmt.Errorf("call %+v lies in a %s", c, f.Chunks[c.Chunk].Kind)
		}
	}
	for _, i := range f.Imports {
		if i.Path == "" || i.Line < 1 || i.Line > last {
			return fmt.Errorf("import %+v of %d lines", i, last)
		}
	}
	return nil
}

// lines tells the line of a position.
func lines(src []byte) func(at int32) int32 {
	var ends []int32
	for i, c := range src {
		if c == '\n' {
			ends = append(ends, int32(i))
		}
	}
	return func(at int32) int32 {
		n, _ := slices.BinarySearch(ends, at)
		return int32(n + 1)
	}
}

func chunk(src []byte, f *parse.File, i int, line func(at int32) int32) error {
	c := &f.Chunks[i]
	switch {
	case c.Kind == parse.Invalid || c.Name == "":
		return fmt.Errorf("has no kind or no name")
	case c.Start < 0 || c.Start > c.Decl || c.Decl > c.Sig || c.Sig > c.Ident || c.Ident >= c.End || int(c.End) > len(src):
		return fmt.Errorf("start %d, decl %d, sig %d, ident %d, end %d of %d bytes", c.Start, c.Decl, c.Sig, c.Ident, c.End, len(src))
	case c.DocEnd != 0 && (c.Doc < c.Start || c.Doc >= c.DocEnd || c.DocEnd > c.Sig):
		return fmt.Errorf("documentation from %d to %d, start %d, sig %d", c.Doc, c.DocEnd, c.Start, c.Sig)
	case c.Body != 0 && (c.Body <= c.Ident || c.Body > c.End):
		return fmt.Errorf("body %d, ident %d, end %d", c.Body, c.Ident, c.End)
	case c.StartLine != line(c.Start) || c.Line != line(c.Decl) || c.IdentLine != line(c.Ident) || c.EndLine != line(c.End-1):
		return fmt.Errorf("lines %d %d %d %d of %d %d %d %d", c.StartLine, c.Line, c.IdentLine, c.EndLine, c.Start, c.Decl, c.Ident, c.End)
	case len(c.Signature) > parse.MaxSignature+len("…"):
		return fmt.Errorf("its signature has %d bytes", len(c.Signature))
	case c.Parent < -1 || int(c.Parent) >= i:
		return fmt.Errorf("its parent is %d", c.Parent)
	}
	if c.Parent >= 0 {
		if p := &f.Chunks[c.Parent]; c.Decl < p.Decl || c.End > p.End {
			return fmt.Errorf("%d to %d is not within its parent %s, %d to %d", c.Decl, c.End, p.Path(), p.Decl, p.End)
		}
	}
	if i > 0 && f.Chunks[i-1].Decl > c.Decl {
		return fmt.Errorf("comes before the chunk ahead of it")
	}
	return nil
}
