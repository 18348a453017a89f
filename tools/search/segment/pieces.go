package segment

import (
	"encoding/binary"
	"strings"

	"github.com/dougu-go/dougu/tools/search/index"
)

// What a record of a piece leaves out because it follows from the rest.
const (
	nameInSignature = 1 << iota
	ownIsRange
	hasDoc
)

// appendPieces appends what is known of the pieces of a file, but their kinds: the
// containers, and for each piece a record with its length before it.
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

// skip passes over a piece.
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
