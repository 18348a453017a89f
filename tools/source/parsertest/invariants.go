package parsertest

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// Invariants returns an error if a File lacks a property that holds for every text, also for a broken one: offsets and lines are
// within the text and agree, chunks are ordered and within their parents, names are not empty, calls are in chunks with code.
func Invariants(src []byte, f *source.File) error {
	if err := f.Check(int64(len(src))); err != nil {
		return err
	}
	line := lines(src)
	for i := range f.Chunks {
		if err := fits(&f.Chunks[i], line); err != nil {
			return fmt.Errorf("chunk %d, %s %s: %w", i, f.Chunks[i].Kind, f.Chunks[i].Path(), err)
		}
	}
	last := int32(1 + bytes.Count(src, []byte("\n")))
	for _, c := range f.Calls {
		switch {
		case c.Name == "" || c.Line > last:
			return fmt.Errorf("call %+v of %d lines", c, last)
		case c.Chunk >= 0 && !f.Chunks[c.Chunk].HasCode():
			return fmt.Errorf("call %+v lies in a %s", c, f.Chunks[c.Chunk].Kind)
		}
	}
	for _, i := range f.Imports {
		if i.Path == "" || i.Line > last {
			return fmt.Errorf("import %+v of %d lines", i, last)
		}
	}
	return nil
}

// lines returns the line of an offset.
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

// fits checks that a chunk has the lines of its offsets, and has a signature
// of a bounded length.
func fits(c *source.Chunk, line func(at int32) int32) error {
	switch {
	case c.StartLine != line(c.Start) || c.Line != line(c.Decl) || c.IdentLine != line(c.Ident) || c.EndLine != line(c.End-1):
		return fmt.Errorf("lines %d %d %d %d of %d %d %d %d", c.StartLine, c.Line, c.IdentLine, c.EndLine, c.Start, c.Decl, c.Ident, c.End)
	case len(c.Signature) > source.MaxSignature+len("…"):
		return fmt.Errorf("its signature has %d bytes", len(c.Signature))
	}
	return nil
}
