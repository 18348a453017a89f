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

// File is the index entry of one source file. It is immutable after it was published
// and safe for concurrent use.
type File struct {
	// Path is the final path of the file, without links, as the Root names it.
	Path string
	// Hash is the SHA-256 of the content that was parsed, as bytes of the file.
	Hash [32]byte
	// Size is the length of that content in bytes.
	Size int64
	// ModTime is the modification time of the file before its content was read.
	ModTime time.Time
	// Language is the language as which the file was parsed.
	Language source.Language
	// Parser is the name and version of the parser that was used.
	Parser string
	// Problems are the parts of the file that could not be parsed, in the order of
	// their lines.
	Problems []source.Problem

	parsed      *source.File // nil if the result must be loaded from stored
	textSize    int64        // length of the Text of the content in bytes
	stored      *stored      // where a Store keeps the detail; nil if the file was parsed in this run
	names       names        // of the chunks
	read        int64        // time of the reading, in nanoseconds since 1970
	fingerprint uint64       // identifies the parser version and options
	start       string       // the directory whose analysis found the file
	functions   int          // number of callable chunks
	turn        uint64       // sequence number of the reading; not stored
	touched     bool         // only the times have changed since the entry was read or saved; not stored
}

// Describe returns the File of a source file with a content, of which parsed is the
// result for its Text. The File belongs to no Index. Its ModTime is zero.
func Describe(path string, content []byte, parsed *source.File) *File {
	f := &File{Path: path, Hash: sha256.Sum256(content), Size: int64(len(content)), textSize: int64(len(Text(content)))}
	f.setParsed(parsed)
	f.complete()
	return f
}

// setParsed stores the result of a parser in the file.
func (f *File) setParsed(parsed *source.File) {
	f.Language, f.Parser, f.Problems, f.parsed = parsed.Language, parsed.Parser, parsed.Problems, parsed
}

// timestampTolerance is the age below which a modification time is not trusted. A file
// that changes within this time after its reading may keep the same time: the coarsest
// file system clocks have steps of two seconds.
const timestampTolerance = 2 * time.Second

// sameAs reports whether a file with this size and modification time is certainly
// unchanged.
func (f *File) sameAs(size int64, modified time.Time) bool {
	return f.Size == size && f.ModTime.Equal(modified) && time.Unix(0, f.read).Sub(modified) > timestampTolerance
}

// equalContent reports whether two readings of a file have the same metadata and the
// same parse result.
func (f *File) equalContent(other *File) bool {
	return f.Path == other.Path && f.Hash == other.Hash && f.Size == other.Size && f.textSize == other.textSize && f.ModTime.Equal(other.ModTime) &&
		f.fingerprint == other.fingerprint && f.start == other.start && f.Language == other.Language && f.Parser == other.Parser &&
		slices.Equal(f.Problems, other.Problems) && bytes.Equal(f.appendNames(nil), other.appendNames(nil)) && f.sameDetail(other)
}

// sameDetail compares positions, signatures, imports and calls. It returns false if one
// of the details cannot be loaded.
func (f *File) sameDetail(other *File) bool {
	mine, err := f.appendDetail(nil)
	others, otherErr := other.appendDetail(nil)
	return err == nil && otherErr == nil && bytes.Equal(mine, others)
}

// ID returns the identifier of a chunk: path, "#", and the qualified name of the chunk.
// Later chunks with the same qualified name get the suffix "~2", "~3" and so on. The ID
// does not depend on line numbers. A package chunk is numbered after all other chunks
// of the same name.
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

// Functions returns the number of callable chunks; see source.Kind.Callable.
func (f *File) Functions() int { return f.functions }

// complete computes the names and the number of functions from the parse result.
func (f *File) complete() {
	if f.parsed != nil && f.Len() != len(f.parsed.Chunks) {
		f.names = namesOf(f.parsed.Chunks)
	}
	f.functions = 0
	for _, k := range f.names.keys {
		if source.Kind(k >> kindShift).IsCallable() {
			f.functions++
		}
	}
}

// maxPath is an upper limit of path lengths in bytes. Every path that a Root accepts is
// shorter.
const maxPath = 8 << 10

// maxTextGrowth is the maximum number of bytes of UTF-8 for one byte of a file.
const maxTextGrowth = 3

// check returns an error if the file is invalid, for example because of a wrong parser
// or a corrupt Store. After it, all positions lie within the text.
func (f *File) check() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	if err := f.checkTextSize(); err != nil {
		return err
	}
	return f.parsed.Check(f.textSize)
}

func (f *File) checkPath() error {
	if f.Path == "" || len(f.Path) > maxPath {
		return fmt.Errorf("its path has %d bytes", len(f.Path))
	}
	return nil
}

func (f *File) checkTextSize() error {
	if f.textSize < 0 || f.textSize > maxTextGrowth*f.Size {
		return fmt.Errorf("its text has %d bytes, its content %d", f.textSize, f.Size)
	}
	return nil
}

// checkHead is check for the head of a stored file. Kinds and names were checked while
// they were decoded.
func (f *File) checkHead() error {
	if err := f.checkPath(); err != nil {
		return err
	}
	if err := f.checkTextSize(); err != nil {
		return err
	}
	head := source.File{Language: f.Language, Parser: f.Parser, Problems: f.Problems}
	return head.Check(f.textSize)
}
