package parse

import (
	"bytes"
	"sort"
	"sync"
)

// lineIndex finds the line of a position.
type lineIndex struct {
	ends []int32 // the positions of the line feeds
	last int     // the line found last, less one: most questions come in order
}

var lineIndexes = sync.Pool{New: func() any { return new(lineIndex) }}

func newLineIndex(src []byte) *lineIndex {
	x := lineIndexes.Get().(*lineIndex)
	x.ends, x.last = x.ends[:0], 0
	for at := 0; ; {
		n := bytes.IndexByte(src[at:], '\n')
		if n < 0 {
			return x
		}
		at += n + 1
		x.ends = append(x.ends, int32(at-1))
	}
}

func (x *lineIndex) free() {
	if cap(x.ends) <= 1<<16 {
		lineIndexes.Put(x)
	}
}

// at is the line, from 1, of the byte at a position.
func (x *lineIndex) at(pos int32) int32 {
	from, to := 0, len(x.ends)
	switch {
	case x.last < to && x.ends[x.last] < pos:
		from = x.last + 1
		if from < to && x.ends[from] >= pos {
			to = from
		}
	case x.last < to:
		to = x.last
	}
	x.last = from + sort.Search(to-from, func(i int) bool { return x.ends[from+i] >= pos })
	return int32(x.last + 1)
}
