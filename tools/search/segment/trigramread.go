package segment

import (
	"encoding/binary"
	"math"
	"sort"
)

// trigramReader finds the files that have a trigram.
type trigramReader struct {
	blob    *blob
	entries []byte
	table   []byte
}

// listPlace is where a list of files is.
type listPlace struct {
	count          int
	offset, length int64
}

func (t *trigramReader) open(b *blob) error {
	t.blob = b
	data, err := b.section(sectionTrigramIndex)
	if err != nil {
		return err
	}
	if len(data) < 4 {
		return b.damage("the index of trigrams is too short")
	}
	rows := uint64(binary.LittleEndian.Uint32(data[len(data)-4:]))
	data = data[:len(data)-4]
	if rows*trigramRow > uint64(len(data)) {
		return b.damage("the index of trigrams is malformed")
	}
	split := len(data) - int(rows)*trigramRow
	t.entries, t.table = data[:split], data[split:]
	return nil
}

func (t *trigramReader) row(i int) (first uint32, entry int, list int64) {
	r := t.table[i*trigramRow:]
	return binary.LittleEndian.Uint32(r), int(binary.LittleEndian.Uint32(r[4:])), int64(binary.LittleEndian.Uint64(r[8:]) & math.MaxInt64)
}

// each calls f for the trigrams from one to another, in order.
func (t *trigramReader) each(from, to uint32, f func(trigram uint32, p listPlace)) error {
	rows := len(t.table) / trigramRow
	i := sort.Search(rows, func(i int) bool {
		first, _, _ := t.row(i)
		return first > from
	})
	for i = max(i-1, 0); i < rows; i++ {
		first, at, offset := t.row(i)
		if first > to {
			return nil
		}
		until := len(t.entries)
		if i+1 < rows {
			_, until, _ = t.row(i + 1)
		}
		if at > until || until > len(t.entries) {
			return t.blob.damage("the index of trigrams is malformed")
		}
		d := decoder{data: t.entries[at:until]}
		p, trigram := listPlace{offset: offset}, first
		for len(d.data) > 0 {
			trigram += uint32(d.number(trigrams))
			p.count, p.length = int(d.number(math.MaxInt32)), d.number(math.MaxInt32)
			if d.bad {
				return t.blob.damage("the index of trigrams is malformed")
			}
			if from <= trigram && trigram <= to {
				f(trigram, p)
			}
			p.offset += p.length
		}
	}
	return nil
}

// find answers where the list of a trigram is; its count is 0 if there is none.
func (t *trigramReader) find(trigram uint32) (found listPlace, err error) {
	err = t.each(trigram, trigram, func(_ uint32, p listPlace) { found = p })
	return found, err
}

// files appends the files of a list.
func (t *trigramReader) files(dst []uint32, p listPlace, files uint32) ([]uint32, error) {
	data, err := t.blob.view(sectionTrigrams, p.offset, p.length)
	if err != nil {
		return dst, err
	}
	dst, ok := readList(dst, data, p.count, files)
	if !ok {
		return dst, t.blob.damage("a list of files is malformed")
	}
	return dst, nil
}
