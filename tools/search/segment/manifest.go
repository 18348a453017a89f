package segment

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
	"time"
)

// manifestMagic begins the manifest; its last byte is the version of the format.
const manifestMagic = "dgidx\x00\x00\x01"

// manifest lists the segments of an index, with their deleted files and changed
// modification times. It ends with a checksum.
type manifest struct {
	generation, next uint64
	changed          time.Time
	segments         []manifestSegment
}

// manifestSegment is a segment in a manifest.
type manifestSegment struct {
	number  uint64
	size    int64            // in bytes
	sum     uint32           // checksum of the trailer, which has those of all pages
	files   uint32           // number of files
	dead    []uint32         // numbers of removed and replaced files
	touched map[uint32]stamp // changed sizes and modification times, by number of the file
}

func (s *state) manifest() []byte {
	d := []byte(manifestMagic)
	d = binary.AppendUvarint(d, s.generation)
	d = binary.AppendUvarint(d, s.next)
	d = appendTime(d, s.changed)
	d = binary.AppendUvarint(d, uint64(len(s.live)))
	for _, l := range s.live {
		d = binary.AppendUvarint(d, l.number)
		d = binary.AppendUvarint(d, uint64(l.size))
		d = binary.AppendUvarint(d, uint64(l.sum))
		d = binary.AppendUvarint(d, uint64(len(l.rows)))
		dead := l.dead.list()
		d = binary.AppendUvarint(d, uint64(len(dead)))
		d = appendText(d, appendList(nil, dead, uint32(len(l.rows))))
		d = binary.AppendUvarint(d, uint64(len(l.touched)))
		last := uint32(0)
		for _, file := range sortedKeys(l.touched) {
			t := l.touched[file]
			d = binary.AppendUvarint(d, uint64(file-last))
			d = binary.AppendVarint(d, t.size)
			d = binary.AppendVarint(d, t.seconds)
			d = binary.AppendUvarint(d, uint64(t.nanos))
			last = file
		}
	}
	return binary.LittleEndian.AppendUint32(d, crc32.Checksum(d, castagnoli))
}

func sortedKeys(m map[uint32]stamp) []uint32 {
	keys := make([]uint32, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// readManifest decodes a manifest, or describes its damage in what.
func readManifest(data []byte) (m manifest, what string) {
	n := len(data) - 4
	switch {
	case n < len(manifestMagic):
		return m, "it is too short"
	case string(data[:len(manifestMagic)]) != manifestMagic:
		return m, "it is not of this version of the format"
	case crc32.Checksum(data[:n], castagnoli) != binary.LittleEndian.Uint32(data[n:]):
		return m, "its checksum is wrong"
	}
	d := decoder{data: data[len(manifestMagic):n]}
	m.generation, m.next = d.uvarint(), d.uvarint()
	seconds, nanos := d.time()
	m.changed = time.Unix(seconds, int64(nanos))
	for range d.number(uint64(len(d.data))) {
		m.segments = append(m.segments, d.manifestSegment())
	}
	if d.bad || len(d.data) > 0 {
		return manifest{}, "it is malformed"
	}
	return m, ""
}

func (d *decoder) manifestSegment() manifestSegment {
	s := manifestSegment{
		number: d.uvarint(), size: d.number(math.MaxInt64), sum: uint32(d.number(math.MaxUint32)),
		files: uint32(d.number(math.MaxInt32)), touched: make(map[uint32]stamp),
	}
	dead := d.number(uint64(s.files))
	list, ok := readList(nil, d.text(), int(dead), s.files)
	if !ok {
		d.fail()
	}
	s.dead = list
	file := uint64(0)
	for range d.number(uint64(len(d.data))) {
		file += d.uvarint()
		t := stamp{size: d.varint()}
		t.seconds, t.nanos = d.time()
		if file >= uint64(s.files) {
			d.fail()
		}
		if d.bad {
			break
		}
		s.touched[uint32(file)] = t
	}
	return s
}

// apply returns the live segment for an open one, or nil if they do not match.
func (m *manifestSegment) apply(s *segment) *live {
	if len(s.rows) != int(m.files) {
		return nil
	}
	c := changing(&live{segment: s})
	for _, file := range m.dead {
		c.remove(file)
	}
	for file, t := range m.touched {
		c.touch(file, t)
	}
	return c.live
}
