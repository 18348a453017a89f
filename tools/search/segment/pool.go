package segment

import "encoding/binary"

// Sizes of the parts of a pool, in bytes.
const (
	chunkBits = 16             // bits of an offset in a chunk
	chunkSize = 1 << chunkBits // unit of allocation
	firstPart = 8              // first part of a list
	largest   = 512            // limit of the size of a part
	linkSize  = 4              // address of the next part
)

// pool stores many growing byte lists. A list is a chain of parts of increasing size;
// each part ends with the address of the next.
type pool struct {
	chunks [][]byte
	n      int    // used chunks
	used   uint32 // used bytes of the last chunk
}

// chain is a list in a pool. The zero value is empty.
type chain struct {
	head, at, limit uint32 // addresses of the first part, of the next byte, and of the end of the part
	size            uint16 // size of the part
}

func (p *pool) bytes() int64 { return int64(p.n) * chunkSize }

// reset removes the lists and keeps the allocated memory.
func (p *pool) reset() { p.n, p.used = 0, 0 }

// part returns the address of a new part.
func (p *pool) part(size uint16) uint32 {
	if p.n == 0 || p.used+uint32(size) > chunkSize {
		if p.n == len(p.chunks) {
			p.chunks = append(p.chunks, make([]byte, chunkSize))
		}
		p.n++
		p.used = 0
	}
	at := uint32(p.n-1)<<chunkBits | p.used
	p.used += uint32(size)
	return at
}

func (p *pool) link(at uint32) []byte { return p.chunks[at>>chunkBits][at&(chunkSize-1):] }

// add appends a byte to a chain.
func (p *pool) add(c *chain, b byte) {
	if c.at == c.limit {
		p.grow(c)
	}
	p.chunks[c.at>>chunkBits][c.at&(chunkSize-1)] = b
	c.at++
}

// ahead reads the position of the next byte of a chain into the processor cache.
func (p *pool) ahead(c *chain) byte {
	if c.at == c.limit {
		return 0
	}
	return p.chunks[c.at>>chunkBits][c.at&(chunkSize-1)]
}

func (p *pool) grow(c *chain) {
	size := min(max(c.size*2, firstPart), largest)
	next := p.part(size)
	if c.size == 0 {
		c.head = next
	} else {
		binary.LittleEndian.PutUint32(p.link(c.limit), next)
	}
	c.at, c.limit, c.size = next, next+uint32(size)-linkSize, size
}

// addUvarint appends a number in the varint format of encoding/binary.
func (p *pool) addUvarint(c *chain, v uint32) {
	for ; v >= 0x80; v >>= 7 {
		p.add(c, byte(v)|0x80)
	}
	p.add(c, byte(v))
}

// walk reads a chain from its start.
type walk struct {
	p    *pool
	part []byte // rest of the part, with the address of the next
	size uint16 // size of the part
}

func (p *pool) walk(c *chain) walk {
	w := walk{p: p, size: firstPart}
	if c.size > 0 {
		w.part = p.link(c.head)[:firstPart]
	}
	return w
}

// next reads a byte. The chain must not be at its end.
func (w *walk) next() byte {
	if len(w.part) == linkSize {
		w.follow()
	}
	b := w.part[0]
	w.part = w.part[1:]
	return b
}

func (w *walk) follow() {
	w.size = min(w.size*2, largest)
	w.part = w.p.link(binary.LittleEndian.Uint32(w.part))[:w.size]
}

func (w *walk) uvarint() uint32 {
	v := uint32(0)
	for shift := 0; ; shift += 7 {
		b := w.next()
		v |= uint32(b&0x7F) << shift
		if b < 0x80 {
			return v
		}
	}
}
