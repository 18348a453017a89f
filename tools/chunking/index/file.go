package index

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/dougu-go/dougu/tools/source"
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
	// Language, Parser and Problems are the ones of the source.File.
	Language source.Language
	Parser   string
	Problems []source.Problem

	parsed      *source.File // nil if it is to be had from stored
	stored      *stored
	names       names  // of the chunks
	read        int64  // when it was read, in nanoseconds since 1970
	fingerprint uint64 // of the parsers that read it
	start       string // the directory whose analysis found it
	functions   int    // how many chunks are called
	turn        uint64 // puts readings of one file in order; not stored
}

// Describe is the File of a text that was parsed, for what belongs to no Index.
func Describe(path string, src []byte, parsed *source.File) *File {
	f := &File{Path: path, Hash: sha256.Sum256(src), Size: int64(len(src))}
	f.take(parsed)
	f.complete()
	return f
}

// take makes the file that of what a parser found.
func (f *File) take(parsed *source.File) {
	f.Language, f.Parser, f.Problems, f.parsed = parsed.Language, parsed.Parser, parsed.Problems, parsed
}

// racy is how near to its reading a file may have been modified so that a change
// after the reading might leave the same time: the coarsest clocks of file systems
// tick every two seconds.
const racy = 2 * time.Second

// sameAs says that a file of this size and time need not be read again.
func (f *File) sameAs(size int64, modified time.Time) bool {
	return f.Size == size && f.ModTime.Equal(modified) && time.Unix(0, f.read).Sub(modified) > racy
}

// says tells whether another reading of the file has found the same.
func (f *File) says(other *File) bool {
	return f.Path == other.Path && f.Hash == other.Hash && f.Size == other.Size && f.ModTime.Equal(other.ModTime) &&
		f.fingerprint == other.fingerprint && f.start == other.start && f.Language == other.Language && f.Parser == other.Parser &&
		slices.Equal(f.Problems, other.Problems) && bytes.Equal(f.appendNames(nil), other.appendNames(nil)) && f.sameDetail(other)
}

// sameDetail compares what is not in the names.
func (f *File) sameDetail(other *File) bool {
	mine, err := f.appendDetail(nil)
	others, otherErr := other.appendDetail(nil)
	return err == nil && otherErr == nil && bytes.Equal(mine, others)
}

// ID names a chunk of the file: its path, "#", the path of the chunk within the
// file, and "~2" for the second of the same name, and so on. It stays the same
// when lines move. A package that is called like something in it comes after that.
func (f *File) ID(chunk int) string {
	c := f.Symbol(chunk)
	key := f.names.keys[chunk]
	before := f.names.keys[:chunk]
	if c.Kind == source.Module {
		before = f.names.keys
	}
	same := 1
	for i, k := range before {
		if i == chunk || k<<kindBits != key<<kindBits || f.name(i) != c.Name || f.container(i) != c.Container || f.labels(i) != c.Labels {
			continue
		}
		if k>>kindShift != uint64(source.Module) || c.Kind == source.Module && i < chunk {
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
	if f.parsed != nil && f.Len() != len(f.parsed.Chunks) {
		f.names = namesOf(f.parsed.Chunks)
	}
	f.functions = 0
	for _, k := range f.names.keys {
		if source.Kind(k >> kindShift).Callable() {
			f.functions++
		}
	}
}

// maxPath is more than any path that a Root accepts.
const maxPath = 8 << 10

// check says what cannot be, whoever made it: a parser or a file on disk. Who uses
// a File need not look whether its positions lie within the text.
func (f *File) check() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	return f.parsed.Check(f.Size)
}

func (f *File) checkPath() error {
	if f.Path == "" || len(f.Path) > maxPath {
		return fmt.Errorf("its path has %d bytes", len(f.Path))
	}
	return nil
}

// checkHead is check without what is not in the head of a stored file. Kinds and
// names were looked at when they were read.
func (f *File) checkHead() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	head := source.File{Language: f.Language, Parser: f.Parser, Problems: f.Problems}
	return head.Check(f.Size)
}
