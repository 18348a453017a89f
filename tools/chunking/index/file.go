package index

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// File is what the index knows of one source file. It does not change once it was
// handed out, and must not be changed.
type File struct {
	// Path names the file in the calls of the Root: its final path, without links.
	Path string
	// Hash is the SHA-256 of the content that the rest describes.
	Hash [32]byte
	// Size is the length of that content in bytes.
	Size int64
	// ModTime is the time of modification as the system told it before the content
	// was read.
	ModTime time.Time

	*parse.File

	read        int64  // when it was read, in nanoseconds since 1970
	fingerprint uint64 // of the parsers that read it
	start       string // the directory whose analysis found it
	signs       signs  // of the chunks
	functions   int    // how many chunks are called
	turn        uint64 // puts readings of one file in order; not stored
}

// racy is how near to its reading a file may have been modified so that a change
// after the reading might leave the same time: the coarsest clocks of file systems
// tick every two seconds.
const racy = 2 * time.Second

// sameAs says that a file of this size and time need not be read again.
func (f *File) sameAs(size int64, modified time.Time) bool {
	return f.Size == size && f.ModTime.Equal(modified) && time.Unix(0, f.read).Sub(modified) > racy
}

// ID names a chunk of the file: its path, "#", the path of the chunk within the
// file, and "~2" for the second of the same name, and so on. It stays the same
// when lines move. A package that is called like something in it comes after that.
func (f *File) ID(chunk int) string {
	c := &f.Chunks[chunk]
	before := f.Chunks[:chunk]
	if c.Kind == parse.Module {
		before = f.Chunks
	}
	same := 1
	for i := range before {
		b := &before[i]
		if i == chunk || b.Name != c.Name || b.Container != c.Container || b.Labels != c.Labels {
			continue
		}
		if b.Kind != parse.Module || c.Kind == parse.Module && i < chunk {
			same++
		}
	}
	id := f.Path + "#" + c.Path()
	if same > 1 {
		id += "~" + strconv.Itoa(same)
	}
	return id
}

// Functions is the number of chunks that are called.
func (f *File) Functions() int { return f.functions }

// complete fills in what follows from the rest.
func (f *File) complete() {
	if f.signs.keys == nil {
		f.signs = signsOf(f.Chunks)
	}
	f.functions = 0
	for i := range f.Chunks {
		if f.Chunks[i].Kind.Callable() {
			f.functions++
		}
	}
}

// maxLine is more than any line of a text that is parsed, and maxPath more than
// any path that a Root accepts.
const (
	maxLine = parse.MaxSource + 1
	maxPath = 8 << 10
)

// check says what cannot be, whoever made it: a parser or a file on disk. Who uses
// a File need not look whether its positions lie within the text.
func (f *File) check() error {
	switch {
	case f.Path == "" || len(f.Path) > maxPath:
		return fmt.Errorf("its path has %d bytes", len(f.Path))
	case f.Size < 0 || f.Size > parse.MaxSource:
		return fmt.Errorf("its size is %d", f.Size)
	case f.Language == "" || f.Parser == "":
		return errors.New("it has no language or no parser")
	case len(f.Problems) > parse.MaxProblems:
		return fmt.Errorf("it has %d problems", len(f.Problems))
	}
	for i := range f.Chunks {
		if err := f.checkChunk(i); err != nil {
			return fmt.Errorf("chunk %d: %w", i, err)
		}
	}
	for _, c := range f.Calls {
		if c.Chunk < -1 || int(c.Chunk) >= len(f.Chunks) || c.Line < 1 || c.Line > maxLine {
			return fmt.Errorf("a call in line %d, chunk %d", c.Line, c.Chunk)
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

func (f *File) checkChunk(i int) error {
	c := &f.Chunks[i]
	switch {
	case c.Kind == parse.Invalid || c.Kind > parse.Module || c.Name == "":
		return errors.New("no kind or no name")
	case c.Start < 0 || c.Start > c.Decl || c.Decl > c.Sig || c.Sig > c.Ident || c.Ident >= c.End || int64(c.End) > f.Size:
		return fmt.Errorf("start %d, decl %d, sig %d, ident %d, end %d of %d", c.Start, c.Decl, c.Sig, c.Ident, c.End, f.Size)
	case c.DocEnd == 0 && c.Doc != 0, c.DocEnd != 0 && (c.Doc < c.Start || c.Doc >= c.DocEnd || c.DocEnd > c.Sig):
		return fmt.Errorf("documentation from %d to %d", c.Doc, c.DocEnd)
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
