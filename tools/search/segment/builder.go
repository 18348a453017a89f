package segment

import (
	"fmt"
	"io"
	"math"
	"path"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// Limits of a File.
const (
	maxPath   = 32 << 10 // bytes
	maxPieces = 1 << 22
	maxPrints = math.MaxUint16 // per piece; further prints are ignored
	maxNames  = math.MaxUint16 // distinct kinds of pieces in a segment
)

// builder collects files in memory until they are written as a segment. It is not safe
// for concurrent use.
type builder struct {
	pool     pool
	current  pieceWords
	words    wordTable
	trigrams trigramTable
	set      trigramSet
	scanner  token.Scanner
	names    token.Scanner // splits names into words, including single letters
	files    []builtFile
	columns  []column
	kinds    names
	prints   []uint64 // print in the upper half, piece in the lower half
	blocks   []byte
	paths    []pathWord // words of the current path
	lengths  [index.Fields]uint32
}

type builtFile struct {
	fileRecord
	block, blockEnd int
	pieces          int
}

func newBuilder() *builder {
	b := &builder{current: newPieceWords()}
	b.words.pool = &b.pool
	b.names.Singles = true
	return b
}

// reset removes the files and keeps the allocated memory.
func (b *builder) reset() {
	b.pool.reset()
	b.words.reset()
	b.trigrams.reset()
	clear(b.files)
	b.files, b.columns, b.kinds, b.prints, b.blocks = b.files[:0], b.columns[:0], names{}, b.prints[:0], b.blocks[:0]
}

// bytes returns the approximate memory of the collected files.
func (b *builder) bytes() int64 {
	return b.pool.bytes() + b.words.bytes() + b.trigrams.bytes() + int64(len(b.columns))*int64(columnSize) +
		int64(len(b.prints))*8 + int64(len(b.blocks)) + int64(len(b.files))*250
}

// full reports whether the builder reached the limit of bytes or of files.
func (b *builder) full(most int64) bool { return b.bytes() >= most || len(b.files) == maxFiles }

// check returns an error if a file exceeds a limit or is invalid.
func check(f *index.File) error {
	text := int64(len(f.Text))
	switch {
	case f.Path == "" || len(f.Path) > maxPath:
		return fmt.Errorf("indexing %.100q: the path must have 1 to %d bytes", f.Path, maxPath)
	case text > math.MaxInt32:
		return fmt.Errorf("indexing %q: the text has %d bytes; at most %d are taken", f.Path, text, math.MaxInt32)
	case len(f.Pieces) > maxPieces:
		return fmt.Errorf("indexing %q: it has %d pieces; at most %d are taken", f.Path, len(f.Pieces), maxPieces)
	}
	within := func(s index.Span) bool { return 0 <= s.Start && s.Start <= s.End && int64(s.End) <= text }
	for i := range f.Pieces {
		p := &f.Pieces[i]
		if !within(p.Range) || !within(p.Doc) || slices.ContainsFunc(p.Own, func(s index.Span) bool { return !within(s) }) {
			return fmt.Errorf("indexing %q: a span of piece %d (%.100q) lies outside the text", f.Path, i, p.Name)
		}
	}
	return nil
}

// add adds a checked file and returns its number.
func (b *builder) add(f *index.File) uint32 {
	number := uint32(len(b.files))
	record := builtFile{block: len(b.blocks), pieces: len(f.Pieces)}
	record.Known = index.Known{Path: f.Path, Hash: f.Hash, Size: f.Size, ModTime: f.ModTime, Language: f.Language, Version: f.Version}
	record.verbatim = f.Verbatim
	b.blocks = appendPieces(b.blocks, f.Pieces)
	record.blockEnd = len(b.blocks)
	b.files = append(b.files, record)
	b.preparePath(f.Path)
	for i := range f.Pieces {
		b.piece(f.Text, &f.Pieces[i])
	}
	if f.Verbatim {
		b.trigrams.add(b.set.of(f.Text), number)
	}
	return number
}

// pathWord is a word of the current path, which is added to all pieces of the file.
type pathWord struct {
	size uint8
	text [token.MaxWord]byte
}

func (b *builder) preparePath(name string) {
	b.paths = b.paths[:0]
	for w := range b.scanner.Words([]byte(path.Clean(name))) {
		p := pathWord{size: uint8(len(w.Text))}
		copy(p.text[:], w.Text)
		b.paths = append(b.paths, p)
	}
}

func (b *builder) piece(text []byte, p *index.Piece) {
	number := uint32(len(b.columns))
	b.lengths = [index.Fields]uint32{}
	b.current.reset()
	b.field(&b.names, index.Name, []byte(p.Name))
	b.field(&b.names, index.Name, []byte(p.Container))
	b.field(&b.scanner, index.Signature, []byte(p.Signature))
	b.field(&b.scanner, index.Doc, text[p.Doc.Start:p.Doc.End])
	for _, s := range p.Own {
		// The documentation may be in the middle of the text.
		before, after := s, s
		before.End = max(min(s.End, p.Doc.Start), s.Start)
		after.Start = min(max(s.Start, p.Doc.End), s.End)
		if p.Doc.Start == p.Doc.End {
			before, after = s, index.Span{}
		}
		b.field(&b.scanner, index.Body, text[before.Start:before.End])
		b.field(&b.scanner, index.Body, text[after.Start:after.End])
	}
	for i := range b.paths {
		b.current.add(b.paths[i].text[:b.paths[i].size], int(index.Path))
	}
	b.words.add(&b.current, number)
	b.lengths[index.Path] = uint32(len(b.paths))
	prints := ascending(p.Prints)
	prints = prints[:min(len(prints), maxPrints)]
	for _, print := range prints {
		b.prints = append(b.prints, uint64(print)<<32|uint64(number))
	}
	c := column{kind: uint16(min(b.kinds.id(p.Kind), maxNames)), prints: uint16(len(prints))}
	for f, n := range b.lengths {
		c.lengths[f] = lengthCode(n)
	}
	b.columns = append(b.columns, c)
}

// ascending returns the list sorted and without duplicates. It is fast for a sorted
// list.
func ascending(list []uint32) []uint32 {
	for i := 1; i < len(list); i++ {
		if list[i-1] >= list[i] {
			list = slices.Clone(list)
			slices.Sort(list)
			return slices.Compact(list)
		}
	}
	return list
}

func (b *builder) field(s *token.Scanner, field index.Field, text []byte) {
	n := uint32(0)
	for w := range s.Words(text) {
		b.current.add(w.Text, int(field))
		n++
	}
	b.lengths[field] += n
}

// write writes a segment.
func (b *builder) write(w io.Writer) (int64, uint32, error) {
	e := newEncoder(w)
	columns := b.columns
	for i := range b.files {
		f := &b.files[i]
		e.file(&f.fileRecord, b.blocks[f.block:f.blockEnd], columns[:f.pieces], b.kinds.list)
		columns = columns[f.pieces:]
	}
	b.words.each(e.word)
	b.trigrams.each(e.trigram)
	sortPrints(b.prints)
	var pieces []uint32
	for i := 0; i < len(b.prints); {
		print := uint32(b.prints[i] >> 32)
		pieces = pieces[:0]
		for ; i < len(b.prints) && uint32(b.prints[i]>>32) == print; i++ {
			pieces = append(pieces, uint32(b.prints[i]))
		}
		e.print(print, pieces)
	}
	return e.finish()
}

// sortPrints sorts a list by the upper half of its numbers, with a radix sort of two
// bytes per pass. The list is already sorted by the lower half.
func sortPrints(list []uint64) {
	if len(list) < 1<<14 {
		slices.Sort(list)
		return
	}
	from, to := list, make([]uint64, len(list))
	for shift := 32; shift < 64; shift += 16 {
		var starts [1 << 16]uint32
		for _, v := range from {
			starts[v>>shift&0xFFFF]++
		}
		sum := uint32(0)
		for i, n := range starts {
			starts[i] = sum
			sum += n
		}
		for _, v := range from {
			digit := v >> shift & 0xFFFF
			to[starts[digit]] = v
			starts[digit]++
		}
		from, to = to, from
	}
}
