package segment

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
)

// magic begins and ends a segment; its last byte is the version of the format.
const magic = "dgseg\x00\x00\x01"

// The sections of a segment, in the order in which they are written.
type section int

const (
	sectionPieces       section = iota // metadata of pieces, by file
	sectionPostings                    // lists of postings, by word
	sectionTrigrams                    // lists of files, by trigram
	sectionPrints                      // blocks of fingerprints with their pieces
	sectionCommon                      // lists of pieces of frequent fingerprints
	sectionWords                       // blocks of words
	sectionWordIndex                   // the first word of each block
	sectionTrigramIndex                // entry points of sectionTrigrams
	sectionPrintIndex                  // the first print of each block
	sectionFiles                       // metadata of files
	sectionColumns                     // kind, lengths and number of prints of each piece
	sectionMeta                        // numbers, names of kinds and languages, sums
	sections                           // number of sections
)

// pageSize is the number of bytes that share a checksum.
const pageSize = 64 << 10

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A segment ends with a trailer and a footer. The trailer contains the offset and length of
// each section and the checksum of each page. The footer contains the offset, length and
// checksum of the trailer, and magic.
const (
	footerSize = 8 + 4 + 4 + len(magic)
	placeSize  = 16
)

// place is the location of a section.
type place struct{ offset, length int64 }

// pageWriter writes the pages of a segment with their checksums.
type pageWriter struct {
	w      *bufio.Writer
	at     int64           // bytes written so far
	sum    uint32          // checksum of the incomplete page
	sums   []uint32        // checksums of the complete pages
	places [sections]place // sections written so far
	err    error           // the first error; later writes do nothing
}

func newPageWriter(w io.Writer) *pageWriter {
	p := &pageWriter{w: bufio.NewWriterSize(w, pageSize)}
	p.write([]byte(magic))
	return p
}

// write appends data. An error is returned by finish.
func (p *pageWriter) write(data []byte) {
	for len(data) > 0 && p.err == nil {
		n := min(len(data), int(pageSize-p.at%pageSize))
		p.sum = crc32.Update(p.sum, castagnoli, data[:n])
		_, p.err = p.w.Write(data[:n])
		p.at += int64(n)
		if p.at%pageSize == 0 {
			p.sums = append(p.sums, p.sum)
			p.sum = 0
		}
		data = data[n:]
	}
}

// begin starts a section.
func (p *pageWriter) begin(s section) { p.places[s].offset = p.at }

// end completes a section.
func (p *pageWriter) end(s section) { p.places[s].length = p.at - p.places[s].offset }

func (p *pageWriter) section(s section, data []byte) {
	p.begin(s)
	p.write(data)
	p.end(s)
}

// finish writes the trailer. It returns the size of the segment and the checksum of the
// trailer, which covers the checksums of all pages.
func (p *pageWriter) finish() (size int64, sum uint32, err error) {
	if p.at%pageSize != 0 {
		p.sums = append(p.sums, p.sum)
	}
	var trailer []byte
	for _, s := range p.places {
		trailer = binary.LittleEndian.AppendUint64(trailer, uint64(s.offset))
		trailer = binary.LittleEndian.AppendUint64(trailer, uint64(s.length))
	}
	for _, sum := range p.sums {
		trailer = binary.LittleEndian.AppendUint32(trailer, sum)
	}
	begin := p.at
	sum = crc32.Checksum(trailer, castagnoli)
	trailer = binary.LittleEndian.AppendUint64(trailer, uint64(begin))
	trailer = binary.LittleEndian.AppendUint32(trailer, uint32(len(trailer)-8))
	trailer = binary.LittleEndian.AppendUint32(trailer, sum)
	trailer = append(trailer, magic...)
	if p.err == nil {
		_, p.err = p.w.Write(trailer)
	}
	if p.err == nil {
		p.err = p.w.Flush()
	}
	return begin + int64(len(trailer)), sum, p.err
}

// Damage is the error for damaged data of an index.
type Damage struct {
	// Name is the name of the damaged file. Description is the kind of damage.
	Name, Description string
}

func (d *Damage) Error() string {
	return fmt.Sprintf("the file %s of the search index is damaged: %s", d.Name, d.Description)
}

// trailer is the decoded end of a segment: locations of sections and checksums of
// pages.
type trailer struct {
	places [sections]place
	sums   []uint32
	end    int64 // end of the pages
}

// readTrailer reads the trailer of a segment of size bytes. what describes the damage if
// the trailer is invalid or has another checksum than want.
func readTrailer(r io.ReaderAt, size int64, want uint32) (t trailer, what string, err error) {
	if size < int64(len(magic)+footerSize) {
		return t, "it is too short", nil
	}
	foot := make([]byte, footerSize)
	if _, err := r.ReadAt(foot, size-int64(footerSize)); err != nil {
		return t, "", err
	}
	begin, length := binary.LittleEndian.Uint64(foot), binary.LittleEndian.Uint32(foot[8:])
	sum := binary.LittleEndian.Uint32(foot[12:])
	switch {
	case string(foot[16:]) != magic:
		return t, "its end is not that of a segment of this version", nil
	case sum != want:
		return t, "it is not the segment that the manifest names", nil
	case begin > uint64(size) || begin+uint64(length)+uint64(footerSize) != uint64(size):
		return t, "its parts do not add up to its size", nil
	}
	data := make([]byte, length)
	if _, err := r.ReadAt(data, int64(begin)); err != nil {
		return t, "", err
	}
	if crc32.Checksum(data, castagnoli) != sum {
		return t, "the checksum of its trailer is wrong", nil
	}
	t.end = int64(begin)
	pages := (t.end + pageSize - 1) / pageSize
	if int64(len(data)) != int64(sections)*placeSize+pages*4 {
		return t, "its trailer has the wrong length", nil
	}
	for i := range t.places {
		offset, length := binary.LittleEndian.Uint64(data), binary.LittleEndian.Uint64(data[8:])
		if offset > begin || length > begin-offset {
			return t, "a section lies outside", nil
		}
		t.places[i] = place{int64(offset), int64(length)}
		data = data[placeSize:]
	}
	for range pages {
		t.sums = append(t.sums, binary.LittleEndian.Uint32(data))
		data = data[4:]
	}
	return t, "", nil
}
