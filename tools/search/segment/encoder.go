package segment

import (
	"encoding/binary"
	"io"
	"math/bits"

	"github.com/dougu-go/dougu/tools/search/index"
)

// fileRecord is the metadata of a file without its pieces.
type fileRecord struct {
	index.Known
	verbatim bool
}

// column is the metadata of a piece that is kept in memory.
type column struct {
	kind    uint16
	prints  uint16              // number of fingerprints
	lengths [index.Fields]uint8 // length codes of the numbers of words
}

const columnSize = 4 + int(index.Fields)

// lengthCode encodes a number of words in one byte: exactly up to 16, then with a
// precision of one eighth.
func lengthCode(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	e := bits.Len32(n) - 4
	return uint8(16 + (e-1)*8 + int(n>>e) - 8)
}

// lengthOf returns the smallest number with a code.
func lengthOf(code uint8) uint32 {
	if code < 16 {
		return uint32(code)
	}
	return uint32(8+(code-16)%8) << ((code-16)/8 + 1)
}

// encoder writes a segment: files in the order of their numbers, then words, trigrams
// and fingerprints in ascending order.
type encoder struct {
	out            *pageWriter
	files, pieces  uint32
	languages      names
	versions       names
	kinds          names
	fileData       []byte
	columns        []byte
	sums           [index.Fields]uint64 // sums of the lengths of all pieces
	words          wordEncoder
	trigrams       trigramEncoder
	prints         printEncoder
	current        section
	postings, list []byte
}

func newEncoder(w io.Writer) *encoder {
	e := &encoder{out: newPageWriter(w), current: sectionPieces}
	e.out.begin(sectionPieces)
	return e
}

// stage starts the next section.
func (e *encoder) stage(s section) {
	for e.current < s {
		e.out.end(e.current)
		e.current++
		e.out.begin(e.current)
	}
}

// file writes a file. block is the output of appendPieces; kinds are the names that the
// columns refer to.
func (e *encoder) file(f *fileRecord, block []byte, columns []column, kinds []string) {
	e.out.write(block)
	e.files++
	e.pieces += uint32(len(columns))
	d := appendText(e.fileData, f.Path)
	d = append(d, f.Hash[:]...)
	d = binary.AppendVarint(d, f.Size)
	d = appendTime(d, f.ModTime)
	d = binary.AppendUvarint(d, uint64(e.languages.id(f.Language)))
	d = binary.AppendUvarint(d, uint64(e.versions.id(f.Version)))
	flags := uint64(0)
	if f.verbatim {
		flags = 1
	}
	d = binary.AppendUvarint(d, flags)
	d = binary.AppendUvarint(d, uint64(len(columns)))
	e.fileData = binary.AppendUvarint(d, uint64(len(block)))
	for i := range columns {
		c := &columns[i]
		e.columns = binary.LittleEndian.AppendUint16(e.columns, uint16(e.kinds.id(kinds[c.kind])))
		e.columns = binary.LittleEndian.AppendUint16(e.columns, c.prints)
		e.columns = append(e.columns, c.lengths[:]...)
		for f, code := range c.lengths {
			e.sums[f] += uint64(lengthOf(code))
		}
	}
}

func (e *encoder) word(word []byte, list []posting) {
	e.stage(sectionPostings)
	e.postings = appendPostings(e.postings[:0], list, e.pieces)
	e.out.write(e.postings)
	e.words.add(word, len(list), len(e.postings))
}

func (e *encoder) trigram(trigram uint32, files []uint32) {
	e.stage(sectionTrigrams)
	e.list = appendList(e.list[:0], files, e.files)
	e.out.write(e.list)
	e.trigrams.add(trigram, len(files), len(e.list))
}

func (e *encoder) print(print uint32, pieces []uint32) {
	e.stage(sectionPrints)
	if e.prints.add(print, pieces, e.pieces) {
		e.out.write(e.prints.block())
	}
}

// finish completes the segment and returns its size and checksum.
func (e *encoder) finish() (int64, uint32, error) {
	e.stage(sectionPrints)
	e.out.write(e.prints.block())
	e.stage(sectionCommon)
	e.out.write(e.prints.common)
	e.out.end(sectionCommon)
	e.out.section(sectionWords, e.words.data())
	e.out.section(sectionWordIndex, e.words.index)
	e.out.section(sectionTrigramIndex, e.trigrams.data())
	e.out.section(sectionPrintIndex, e.prints.index)
	e.out.section(sectionFiles, e.fileData)
	e.out.section(sectionColumns, e.columns)
	meta := binary.AppendUvarint(nil, uint64(e.files))
	meta = binary.AppendUvarint(meta, uint64(e.pieces))
	meta = e.languages.append(meta)
	meta = e.versions.append(meta)
	meta = e.kinds.append(meta)
	for _, sum := range e.sums {
		meta = binary.AppendUvarint(meta, sum)
	}
	e.out.section(sectionMeta, meta)
	return e.out.finish()
}

// wordEncoder writes words in blocks. Each word omits the prefix that it shares with
// the previous one, and is followed by number and length of its postings.
type wordEncoder struct {
	blocks, index []byte
	begin         int    // offset of the block
	postings      int    // bytes of the block's postings
	n             int    // words so far
	last          []byte // the previous word
}

// wordsInBlock is the number of words per entry of the word index.
const wordsInBlock = 32

func (e *wordEncoder) add(word []byte, count, length int) {
	shared := 0
	if e.n%wordsInBlock == 0 {
		e.close()
		e.index = appendText(e.index, word)
	} else {
		for shared < len(word) && shared < len(e.last) && word[shared] == e.last[shared] {
			shared++
		}
	}
	e.n++
	e.blocks = append(e.blocks, byte(min(shared, 15)<<4|min(len(word)-shared, 15)))
	if shared >= 15 {
		e.blocks = binary.AppendUvarint(e.blocks, uint64(shared-15))
	}
	if len(word)-shared >= 15 {
		e.blocks = binary.AppendUvarint(e.blocks, uint64(len(word)-shared-15))
	}
	e.blocks = append(e.blocks, word[shared:]...)
	e.blocks = binary.AppendUvarint(e.blocks, uint64(count))
	e.blocks = binary.AppendUvarint(e.blocks, uint64(length))
	e.postings += length
	e.last = append(e.last[:0], word...)
}

// close completes the index entry of a block.
func (e *wordEncoder) close() {
	if e.n > 0 {
		e.index = binary.AppendUvarint(e.index, uint64(len(e.blocks)-e.begin))
		e.index = binary.AppendUvarint(e.index, uint64(e.postings))
	}
	e.begin, e.postings = len(e.blocks), 0
}

func (e *wordEncoder) data() []byte {
	e.close()
	return e.blocks
}

// trigramEncoder writes the existing trigrams, each with the number of its files and the
// length of their list, and a table of entry points.
type trigramEncoder struct {
	entries, table []byte
	n              int    // trigrams so far
	last           uint32 // the previous trigram
	lists          uint64 // bytes of all lists
}

// trigramsInBlock is the number of trigrams per row of the table.
const trigramsInBlock = 64

// trigramRow is the size of a row in bytes: the first trigram, the offset of its entry and
// the offset of its list.
const trigramRow = 4 + 4 + 8

func (e *trigramEncoder) add(trigram uint32, count, length int) {
	if e.n%trigramsInBlock == 0 {
		e.table = binary.LittleEndian.AppendUint32(e.table, trigram)
		e.table = binary.LittleEndian.AppendUint32(e.table, uint32(len(e.entries)))
		e.table = binary.LittleEndian.AppendUint64(e.table, e.lists)
		e.last = trigram
	}
	e.n++
	e.entries = binary.AppendUvarint(e.entries, uint64(trigram-e.last))
	e.entries = binary.AppendUvarint(e.entries, uint64(count))
	e.entries = binary.AppendUvarint(e.entries, uint64(length))
	e.last = trigram
	e.lists += uint64(length)
}

// data returns the entries, the table, and the number of its rows.
func (e *trigramEncoder) data() []byte {
	rows := len(e.table) / trigramRow
	return binary.LittleEndian.AppendUint32(append(e.entries, e.table...), uint32(rows))
}

// printEncoder writes fingerprints in blocks, each with the pieces that contain it.
type printEncoder struct {
	keys   []uint32
	counts []uint32
	pieces []uint32 // of all prints, one after the other
	limit  uint32

	common, index []byte
	written       uint32
	bits          bitWriter
}

const (
	printsInBlock = 128
	// manyPieces is the number of pieces from which a list is stored outside the block, so
	// that a reader of the following prints need not read it.
	manyPieces = 24
	printRow   = 8 // first print and offset of the block
)

// add adds a fingerprint. It returns true if the block is full.
func (e *printEncoder) add(print uint32, pieces []uint32, limit uint32) bool {
	e.limit = limit
	e.keys = append(e.keys, print)
	e.counts = append(e.counts, uint32(len(pieces)))
	e.pieces = append(e.pieces, pieces...)
	return len(e.keys) == printsInBlock
}

// block returns the encoded fingerprints, or nothing if none were added.
func (e *printEncoder) block() []byte {
	if len(e.keys) == 0 {
		return nil
	}
	e.index = binary.LittleEndian.AppendUint32(e.index, e.keys[0])
	e.index = binary.LittleEndian.AppendUint32(e.index, e.written)
	span := e.keys[len(e.keys)-1] - e.keys[0]
	k := riceBits(span, uint32(len(e.keys)))
	w := bitWriter{buf: e.bits.buf[:0]}
	w.put(uint64(k), 5)
	w.put(uint64(len(e.keys)), 8)
	last := e.keys[0]
	pieces := e.pieces
	for i, key := range e.keys {
		w.rice(key-last, k)
		last = key
		list := pieces[:e.counts[i]]
		pieces = pieces[e.counts[i]:]
		w.gamma(min(uint32(len(list)), manyPieces))
		if len(list) < manyPieces {
			w.list(list, e.limit)
			continue
		}
		from := len(e.common)
		e.common = appendList(e.common, list, e.limit)
		w.put(uint64(len(list)), 32)
		w.put(uint64(from), 32)
		w.put(uint64(len(e.common)-from), 32)
	}
	w.align()
	e.bits = w
	e.written += uint32(len(w.buf))
	e.keys, e.counts, e.pieces = e.keys[:0], e.counts[:0], e.pieces[:0]
	return w.buf
}

// printReader reads a block: one print after the other, with its pieces.
type printReader struct {
	r            bitReader
	k            uint       // parameter of the Rice code of the differences between prints
	left         int        // prints that were not read yet
	last         uint32     // the last print
	limit        uint32     // number of pieces in the segment
	pieces       []uint32   // pieces of the last print
	sharedPieces sharedList // location of the pieces if there are many; count is 0 otherwise
	bad          bool       // the data is invalid
}

// sharedList is the location of a list of pieces outside its block.
type sharedList struct {
	count          int
	offset, length int64
}

func (p *printReader) open(block []byte, first, limit uint32) {
	p.r = bitReader{data: block}
	p.r.fill()
	p.k = uint(p.r.take(5))
	p.left = int(p.r.take(8))
	p.last, p.limit, p.bad = first, limit, false
}

// next reads a print. Its pieces are in pieces, or in the list far if far.count is not 0.
// It returns false at the end of the block and for invalid data, which sets bad.
func (p *printReader) next() (uint32, bool) {
	if p.left == 0 || p.bad {
		return 0, false
	}
	p.left--
	delta := p.r.rice(p.k)
	sum, carry := bits.Add32(p.last, delta, 0)
	p.last = sum
	count := p.r.gamma()
	p.sharedPieces, p.pieces = sharedList{}, p.pieces[:0]
	switch {
	case count < manyPieces:
		var ok bool
		p.pieces, ok = p.r.list(p.pieces, int(count), p.limit)
		p.bad = !ok
	default:
		p.r.fill()
		p.sharedPieces.count = int(p.r.take(32))
		p.r.fill()
		p.sharedPieces.offset = int64(p.r.take(32))
		p.r.fill()
		p.sharedPieces.length = int64(p.r.take(32))
	}
	p.bad = p.bad || carry != 0 || count > manyPieces || p.r.overrun()
	return p.last, !p.bad
}
