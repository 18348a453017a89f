package segment

import (
	"encoding/binary"
	"math"
	"sort"
	"strings"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// segment is an immutable part of the index: files with their pieces, words, trigrams
// and fingerprints.
type segment struct {
	number    uint64
	size      int64  // bytes
	sum       uint32 // checksum of the trailer
	blob      *blob
	closed    func()
	refs      int // number of states; guarded by Index.mu
	kinds     []string
	languages []string
	versions  []string
	sums      [index.Fields]uint64 // sums of the lengths of all pieces
	rows      []row
	byPath    []uint32 // numbers of files, sorted by path
	columns   []byte
	pieces    uint32
	words     wordReader
	trigrams  trigramReader
	prints    []byte // rows of the index of fingerprints
}

// row is the metadata of a file that stays in memory.
type row struct {
	path     string
	hash     [32]byte
	size     int64
	seconds  int64 // modification time
	nanos    int32
	language uint32
	version  uint32
	verbatim bool
	first    uint32 // number of its first piece
	count    uint32 // number of its pieces
	block    int64  // offset of the metadata of its pieces
	length   int64  // length of that metadata
}

func (r *row) modified() time.Time { return time.Unix(r.seconds, int64(r.nanos)) }

func (s *segment) known(r *row) index.Known {
	return index.Known{
		Path: r.path, Hash: r.hash, Size: r.size, ModTime: r.modified(),
		Language: s.languages[r.language], Version: s.versions[r.version], Pieces: int(r.count),
	}
}

func appendTime(dst []byte, t time.Time) []byte {
	dst = binary.AppendVarint(dst, t.Unix())
	return binary.AppendUvarint(dst, uint64(t.Nanosecond()))
}

func (d *decoder) time() (seconds int64, nanos int32) {
	seconds = d.varint()
	return seconds, int32(d.number(999_999_999))
}

// openSegment opens a segment and loads its resident parts.
func openSegment(b *blob) (*segment, error) {
	s := &segment{blob: b}
	files, err := s.openMeta()
	if err != nil {
		return nil, err
	}
	if err := s.openFiles(files); err != nil {
		return nil, err
	}
	if s.columns, err = b.section(sectionColumns); err != nil {
		return nil, err
	}
	if int64(len(s.columns)) != int64(s.pieces)*int64(columnSize) {
		return nil, b.damage("the columns of pieces have the wrong length")
	}
	for i := range s.pieces {
		if int(s.kind(i)) >= len(s.kinds) {
			return nil, b.damage("a piece is of an unknown kind")
		}
	}
	if s.prints, err = b.section(sectionPrintIndex); err != nil {
		return nil, err
	}
	if len(s.prints)%printRow != 0 {
		return nil, b.damage("the index of prints has the wrong length")
	}
	if err := s.words.open(b); err != nil {
		return nil, err
	}
	return s, s.trigrams.open(b)
}

func (s *segment) openMeta() (files int64, err error) {
	data, err := s.blob.section(sectionMeta)
	if err != nil {
		return 0, err
	}
	d := decoder{data: data}
	files = d.number(uint64(s.blob.trailer.places[sectionFiles].length))
	s.pieces = uint32(d.number(math.MaxInt32))
	s.languages, s.versions, s.kinds = d.names(), d.names(), d.names()
	for i := range s.sums {
		s.sums[i] = uint64(d.number(1 << 56))
	}
	if d.bad || len(d.data) > 0 {
		return 0, s.blob.damage("its header is malformed")
	}
	return files, nil
}

func (s *segment) openFiles(files int64) error {
	data, err := s.blob.section(sectionFiles)
	if err != nil {
		return err
	}
	d := decoder{data: data}
	text := string(data) // the paths are substrings
	const least = 38     // bytes of the smallest record
	s.rows = make([]row, 0, min(files, int64(len(data)/least+1)))
	first, block := int64(0), int64(0)
	for range files {
		r := row{first: uint32(first), block: block}
		n := len(d.text())
		r.path = text[len(text)-len(d.data)-n : len(text)-len(d.data)]
		copy(r.hash[:], d.bytes(len(r.hash)))
		r.size = d.varint()
		r.seconds, r.nanos = d.time()
		r.language, r.version = uint32(d.number(math.MaxUint32)), uint32(d.number(math.MaxUint32))
		r.verbatim = d.uvarint()&1 != 0
		r.count = uint32(d.number(uint64(int64(s.pieces) - first)))
		first += int64(r.count)
		r.length = d.number(uint64(s.blob.trailer.places[sectionPieces].length - block))
		block += r.length
		if d.bad || int(r.language) >= len(s.languages) || int(r.version) >= len(s.versions) {
			return s.blob.damage("its record of a file is malformed")
		}
		s.rows = append(s.rows, r)
	}
	if len(d.data) > 0 || first != int64(s.pieces) {
		return s.blob.damage("its files and pieces do not fit")
	}
	s.byPath = make([]uint32, len(s.rows))
	for i := range s.byPath {
		s.byPath[i] = uint32(i)
	}
	sort.Slice(s.byPath, func(i, j int) bool { return s.rows[s.byPath[i]].path < s.rows[s.byPath[j]].path })
	return nil
}

func (s *segment) kind(piece uint32) uint16 {
	return binary.LittleEndian.Uint16(s.columns[int(piece)*columnSize:])
}

func (s *segment) printCount(piece uint32) uint16 {
	return binary.LittleEndian.Uint16(s.columns[int(piece)*columnSize+2:])
}

func (s *segment) lengths(piece uint32) *[index.Fields]uint8 {
	return (*[index.Fields]uint8)(s.columns[int(piece)*columnSize+4:])
}

func (s *segment) column(piece uint32) column {
	return column{kind: s.kind(piece), prints: s.printCount(piece), lengths: *s.lengths(piece)}
}

// find returns the numbers of the files with a path. Several can exist if all but one
// are deleted.
func (s *segment) find(path string) []uint32 {
	from := sort.Search(len(s.byPath), func(i int) bool { return s.rows[s.byPath[i]].path >= path })
	to := from
	for to < len(s.byPath) && s.rows[s.byPath[to]].path == path {
		to++
	}
	return s.byPath[from:to]
}

// fileOf returns the number of the file that contains a piece.
func (s *segment) fileOf(piece uint32) uint32 {
	n := sort.Search(len(s.rows), func(i int) bool { return s.rows[i].first > piece })
	return uint32(n - 1)
}

// block returns the encoded metadata of a file's pieces.
func (s *segment) block(r *row) ([]byte, error) {
	return s.blob.view(sectionPieces, r.block, r.length)
}

// piecesOf reads pieces of a file by their ascending numbers.
func (s *segment) piecesOf(r *row, numbers []uint32) ([]index.Piece, error) {
	block, err := s.block(r)
	if err != nil {
		return nil, err
	}
	list := make([]index.Piece, len(numbers))
	reader := newPieceReader(block)
	at := r.first
	for i, n := range numbers {
		for ; at < n && !reader.d.bad; at++ {
			reader.skip()
		}
		list[i] = reader.next()
		list[i].Kind = s.kinds[s.kind(n)]
		at++
	}
	if reader.d.bad {
		return nil, s.blob.damage("its record of a piece is malformed")
	}
	return list, nil
}

// Flags of a piece record. A flag replaces a member that follows from other members.
const (
	nameInSignature = 1 << iota
	ownIsRange
	hasDoc
)

// appendPieces appends the metadata of a file's pieces except their kinds: the containers,
// and for each piece a record preceded by its length.
func appendPieces(dst []byte, pieces []index.Piece) []byte {
	if len(pieces) == 0 {
		return dst
	}
	var containers names
	containers.id("")
	for i := range pieces {
		containers.id(pieces[i].Container)
	}
	dst = containers.append(dst)
	var record []byte
	for i := range pieces {
		record = appendPiece(record[:0], &pieces[i], containers.id(pieces[i].Container))
		dst = appendText(dst, record)
	}
	return dst
}

func appendPiece(dst []byte, p *index.Piece, container int) []byte {
	flags := uint64(0)
	at := strings.Index(p.Signature, p.Name)
	if at >= 0 {
		flags |= nameInSignature
	}
	if len(p.Own) == 1 && p.Own[0] == p.Range {
		flags |= ownIsRange
	}
	if p.Doc != (index.Span{}) {
		flags |= hasDoc
	}
	dst = binary.AppendUvarint(dst, flags)
	dst = binary.AppendUvarint(dst, uint64(container))
	dst = appendText(dst, p.Signature)
	if at >= 0 {
		dst = binary.AppendUvarint(dst, uint64(at))
		dst = binary.AppendUvarint(dst, uint64(len(p.Name)))
	} else {
		dst = appendText(dst, p.Name)
	}
	dst = appendSpan(dst, p.Range, 0)
	dst = binary.AppendVarint(dst, int64(p.StartLine))
	dst = binary.AppendVarint(dst, int64(p.EndLine)-int64(p.StartLine))
	if flags&hasDoc != 0 {
		dst = appendSpan(dst, p.Doc, p.Range.Start)
	}
	if flags&ownIsRange != 0 {
		return dst
	}
	dst = binary.AppendUvarint(dst, uint64(len(p.Own)))
	last := p.Range.Start
	for _, s := range p.Own {
		dst = appendSpan(dst, s, last)
		last = s.End
	}
	return dst
}

func appendSpan(dst []byte, s index.Span, from int32) []byte {
	dst = binary.AppendVarint(dst, int64(s.Start)-int64(from))
	return binary.AppendVarint(dst, int64(s.End)-int64(s.Start))
}

func (d *decoder) span(from int32) index.Span {
	start := int64(from) + d.varint()
	end := start + d.varint()
	if start < 0 || end < start || end > 1<<31-1 {
		d.fail()
		return index.Span{}
	}
	return index.Span{Start: int32(start), End: int32(end)}
}

// pieceReader reads the pieces of a file, in order.
type pieceReader struct {
	d          decoder
	containers []string
}

func newPieceReader(block []byte) pieceReader {
	r := pieceReader{d: decoder{data: block}}
	if len(block) > 0 {
		r.containers = r.d.names()
	}
	return r
}

// skip skips a piece.
func (r *pieceReader) skip() { r.d.text() }

// next reads a piece without its kind.
func (r *pieceReader) next() (p index.Piece) {
	d := decoder{data: r.d.text()}
	flags := d.uvarint()
	container := d.uvarint()
	p.Signature = string(d.text())
	if flags&nameInSignature != 0 {
		at := d.number(uint64(len(p.Signature)))
		n := d.number(uint64(len(p.Signature)) - uint64(at))
		p.Name = p.Signature[at : at+n]
	} else {
		p.Name = string(d.text())
	}
	p.Range = d.span(0)
	p.StartLine = d.small()
	p.EndLine = p.StartLine + d.small()
	if flags&hasDoc != 0 {
		p.Doc = d.span(p.Range.Start)
	}
	if flags&ownIsRange != 0 {
		p.Own = []index.Span{p.Range}
	} else if n := d.number(uint64(len(d.data)) / 2); n > 0 {
		p.Own = make([]index.Span, n)
		last := p.Range.Start
		for i := range p.Own {
			p.Own[i] = d.span(last)
			last = p.Own[i].End
		}
	}
	if d.bad || len(d.data) > 0 || container >= uint64(len(r.containers)) {
		r.d.fail()
		return index.Piece{}
	}
	p.Container = r.containers[container]
	return p
}
