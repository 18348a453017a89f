package segment

import (
	"encoding/binary"
	"sort"
)

func (s *segment) printRow(i int) (first uint32, at int64) {
	r := s.prints[i*printRow:]
	return binary.LittleEndian.Uint32(r), int64(binary.LittleEndian.Uint32(r[4:]))
}

// openPrints begins a block of prints.
func (s *segment) openPrints(p *printReader, i int) error {
	first, at := s.printRow(i)
	until := s.blob.trailer.places[sectionPrints].length
	if (i+1)*printRow < len(s.prints) {
		_, until = s.printRow(i + 1)
	}
	data, err := s.blob.view(sectionPrints, at, until-at)
	if err != nil {
		return err
	}
	p.open(data, first, s.pieces)
	return nil
}

// far appends the pieces of a print that many have.
func (s *segment) far(dst []uint32, f farList) ([]uint32, error) {
	data, err := s.blob.view(sectionCommon, f.offset, f.length)
	if err != nil {
		return dst, err
	}
	dst, ok := readList(dst, data, f.count, s.pieces)
	if !ok {
		return dst, s.blob.damage("a list of pieces is malformed")
	}
	return dst, nil
}

func (s *segment) badPrints() error { return s.blob.damage("a block of prints is malformed") }

// eachPrint calls f with the prints of an ascending list that there are, and the
// pieces that have each, which f must not keep.
func (s *segment) eachPrint(list []uint32, f func(pieces []uint32)) error {
	rows := len(s.prints) / printRow
	var reader printReader
	var far []uint32
	current, ok := -1, false
	var at uint32
	for _, print := range list {
		i := sort.Search(rows, func(i int) bool {
			first, _ := s.printRow(i)
			return first > print
		}) - 1
		if i < 0 {
			continue
		}
		if i != current {
			if err := s.openPrints(&reader, i); err != nil {
				return err
			}
			current = i
			at, ok = reader.next()
		}
		for ok && at < print {
			at, ok = reader.next()
		}
		if reader.bad {
			return s.badPrints()
		}
		if !ok || at != print {
			continue
		}
		pieces := reader.pieces
		if reader.far.count > 0 {
			var err error
			if far, err = s.far(far[:0], reader.far); err != nil {
				return err
			}
			pieces = far
		}
		f(pieces)
	}
	return nil
}
