package segment

import "math"

// appendList appends ascending, distinct numbers below limit.
func appendList(dst []byte, list []uint32, limit uint32) []byte {
	w := bitWriter{buf: dst}
	w.list(list, limit)
	w.align()
	return w.buf
}

func (w *bitWriter) list(list []uint32, limit uint32) {
	k := riceBits(limit, uint32(len(list)))
	last := int64(-1)
	for _, v := range list {
		w.rice(uint32(int64(v)-last-1), k)
		last = int64(v)
	}
}

// readList reads count numbers below limit into dst. It returns false for invalid data.
func readList(dst []uint32, data []byte, count int, limit uint32) ([]uint32, bool) {
	r := bitReader{data: data}
	return r.list(dst, count, limit)
}

func (r *bitReader) list(dst []uint32, count int, limit uint32) ([]uint32, bool) {
	if count < 0 || uint64(count) > uint64(limit) || limit > math.MaxInt32 {
		return dst, false
	}
	k := riceBits(limit, uint32(count))
	last := int64(-1)
	for range count {
		last += int64(r.rice(k)) + 1
		if last >= int64(limit) || r.overrun() {
			return dst, false
		}
		dst = append(dst, uint32(last))
	}
	return dst, true
}
