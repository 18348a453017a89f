package segment

import (
	"encoding/binary"
	"math"
)

// decoder decodes numbers and strings. The first error sets bad; later calls return
// zero values.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) fail() {
	d.bad, d.data = true, nil
}

func (d *decoder) uvarint() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

// number reads a number and fails if it is above limit.
func (d *decoder) number(limit uint64) int64 {
	v := d.uvarint()
	if v > limit {
		d.fail()
		return 0
	}
	return int64(v)
}

func (d *decoder) varint() int64 {
	v, n := binary.Varint(d.data)
	if n <= 0 {
		d.fail()
		return 0
	}
	d.data = d.data[n:]
	return v
}

// small reads a signed 32-bit number.
func (d *decoder) small() int32 {
	v := d.varint()
	if v < math.MinInt32 || v > math.MaxInt32 {
		d.fail()
		return 0
	}
	return int32(v)
}

// bytes reads n bytes. The result shares the memory of the data.
func (d *decoder) bytes(n int) []byte {
	if n < 0 || n > len(d.data) {
		d.fail()
		return nil
	}
	b := d.data[:n:n]
	d.data = d.data[n:]
	return b
}

// text reads a string with a preceding length.
func (d *decoder) text() []byte { return d.bytes(int(d.number(uint64(len(d.data))))) }

func appendText[T string | []byte](dst []byte, text T) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// names maps strings to numbers in the order of their first use.
type names struct {
	list []string
	ids  map[string]int
}

func (n *names) id(name string) int {
	id, ok := n.ids[name]
	if !ok {
		if n.ids == nil {
			n.ids = make(map[string]int)
		}
		id = len(n.list)
		n.ids[name] = id
		n.list = append(n.list, name)
	}
	return id
}

func (n *names) append(dst []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(n.list)))
	for _, name := range n.list {
		dst = appendText(dst, name)
	}
	return dst
}

func (d *decoder) names() []string {
	list := make([]string, d.number(uint64(len(d.data))))
	for i := range list {
		list[i] = string(d.text())
	}
	return list
}
