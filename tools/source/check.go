package source

import (
	"errors"
	"fmt"
)

// maxLine is greater than the number of lines in any text that is parsed.
const maxLine = MaxSource + 1

// Check validates a File, from a parser or from disk, against a text of size bytes. A nil error
// guarantees that every offset is within the text, in the order that Chunk documents. It also
// guarantees that kinds and indices are valid, and that chunks are sorted and within their parents.
// Check does not compare line numbers with offsets, because that needs the text.
func (f *File) Check(size int64) error {
	switch {
	case size < 0 || size > MaxSource:
		return fmt.Errorf("its size is %d", size)
	case f.Language == "" || f.Parser == "":
		return errors.New("it has no language or no parser")
	case len(f.Problems) > MaxProblems:
		return fmt.Errorf("it has %d problems, at most %d may be named", len(f.Problems), MaxProblems)
	}
	for i := range f.Chunks {
		if err := f.checkChunk(i, size); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	for _, c := range f.Calls {
		if c.Chunk < -1 || int(c.Chunk) >= len(f.Chunks) || c.Line < 1 || c.Line > maxLine {
			return fmt.Errorf("a call in line %d, chunk %d of %d", c.Line, c.Chunk, len(f.Chunks))
		}
	}
	for _, m := range f.Imports {
		if m.Line < 1 || m.Line > maxLine {
			return fmt.Errorf("an import in line %d", m.Line)
		}
	}
	for _, p := range f.Problems {
		if p.Line < 0 || p.Line > maxLine {
			return fmt.Errorf("a problem in line %d", p.Line)
		}
	}
	return nil
}

// checkChunk validates the chunk with index i.
func (f *File) checkChunk(i int, size int64) error {
	c := &f.Chunks[i]
	switch {
	case c.Kind == Invalid || c.Kind >= kinds || c.Name == "":
		return errors.New("no kind or no name")
	case c.Start < 0 || c.Start > c.Decl || c.Decl > c.Sig || c.Sig > c.Ident || c.Ident >= c.End || int64(c.End) > size:
		return fmt.Errorf("start %d, decl %d, sig %d, ident %d, end %d of %d bytes", c.Start, c.Decl, c.Sig, c.Ident, c.End, size)
	case c.DocEnd == 0 && c.Doc != 0, c.DocEnd != 0 && (c.Doc < c.Start || c.Doc >= c.DocEnd || c.DocEnd > c.Sig):
		return fmt.Errorf("documentation from %d to %d, start %d, sig %d", c.Doc, c.DocEnd, c.Start, c.Sig)
	case c.Body != 0 && (c.Body <= c.Ident || c.Body > c.End):
		return fmt.Errorf("body %d, ident %d, end %d", c.Body, c.Ident, c.End)
	case c.StartLine < 1 || c.Line < c.StartLine || c.IdentLine < c.Line || c.EndLine < c.IdentLine || c.EndLine > maxLine:
		return fmt.Errorf("lines %d, %d, %d, %d", c.StartLine, c.Line, c.IdentLine, c.EndLine)
	case c.Parent < -1 || int(c.Parent) >= i:
		return fmt.Errorf("parent %d", c.Parent)
	case i > 0 && f.Chunks[i-1].Decl > c.Decl:
		return errors.New("it stands before the one ahead of it")
	}
	if c.Parent >= 0 {
		if p := &f.Chunks[c.Parent]; c.Decl < p.Decl || c.End > p.End {
			return errors.New("it is not within its parent")
		}
	}
	return nil
}
