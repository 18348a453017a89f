package segment

import (
	"bytes"
	"math"
	"slices"
)

// writeWords writes the words of all sources, with the postings of what is left.
func (m *merger) writeWords(e *encoder) error {
	walks := make([]wordWalk, len(m.sources))
	more := make([]bool, len(m.sources))
	for i := range m.sources {
		walks[i] = m.sources[i].words.from("")
		more[i] = walks[i].next()
	}
	var word []byte
	var list []posting
	c := new(cursor)
	for {
		least := -1
		for i := range walks {
			if more[i] && (least < 0 || bytes.Compare(walks[i].word, walks[least].word) < 0) {
				least = i
			}
		}
		if least < 0 {
			break
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
		word, list = append(word[:0], walks[least].word...), list[:0]
		for i := range walks {
			if !more[i] || !bytes.Equal(walks[i].word, word) {
				continue
			}
			var err error
			if list, err = m.sources[i].postings(list, c, walks[i].place); err != nil {
				return err
			}
			more[i] = walks[i].next()
		}
		if len(list) > 0 {
			e.word(word, list)
		}
	}
	for i := range walks {
		if walks[i].err != nil {
			return walks[i].err
		}
	}
	return nil
}

// postings appends those of a word, with the new numbers.
func (s *source) postings(list []posting, c *cursor, p wordPlace) ([]posting, error) {
	data, err := s.words.list(p)
	if err != nil {
		return list, err
	}
	for c.open(data, p.count, s.segment.pieces); c.piece != end; c.next() {
		if number := s.pieces[c.piece]; number != gone {
			list = append(list, posting{number, c.tf()})
		}
	}
	if c.bad {
		return list, s.blob.damage("a list of postings is malformed")
	}
	return list, nil
}

// trigramPlace is a trigram of a source.
type trigramPlace struct {
	trigram uint32
	source  int
	place   listPlace
}

func (m *merger) writeTrigrams(e *encoder) error {
	// One part of the alphabet after the other, so that not all are in memory.
	const part = trigrams / 256
	var places []trigramPlace
	var files, list []uint32
	for from := uint32(0); from < trigrams; from += part {
		places = places[:0]
		for i := range m.sources {
			err := m.sources[i].trigrams.each(from, from+part-1, func(t uint32, p listPlace) {
				places = append(places, trigramPlace{t, i, p})
			})
			if err != nil {
				return err
			}
		}
		slices.SortStableFunc(places, func(a, b trigramPlace) int { return int(a.trigram) - int(b.trigram) })
		for i := 0; i < len(places); {
			t := places[i].trigram
			for files = files[:0]; i < len(places) && places[i].trigram == t; i++ {
				s := &m.sources[places[i].source]
				var err error
				if list, err = s.trigrams.files(list[:0], places[i].place, uint32(len(s.rows))); err != nil {
					return err
				}
				files = renumber(files, list, s.files)
			}
			if len(files) > 0 {
				e.trigram(t, files)
			}
		}
		if err := m.ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// renumber appends the new numbers of what is left.
func renumber(dst, list, numbers []uint32) []uint32 {
	for _, old := range list {
		if n := numbers[old]; n != gone {
			dst = append(dst, n)
		}
	}
	return dst
}

// printWalk goes through all prints of a source.
type printWalk struct {
	s      *source
	row    int
	reader printReader
	print  uint32
	more   bool
}

func (w *printWalk) next() error {
	for {
		if w.print, w.more = w.reader.next(); w.more {
			return nil
		}
		if w.reader.bad {
			return w.s.badPrints()
		}
		if w.row*printRow >= len(w.s.prints) {
			return nil
		}
		if err := w.s.openPrints(&w.reader, w.row); err != nil {
			return err
		}
		w.row++
	}
}

func (m *merger) writePrints(e *encoder) error {
	walks := make([]printWalk, len(m.sources))
	for i := range walks {
		walks[i].s = &m.sources[i]
		if err := walks[i].next(); err != nil {
			return err
		}
	}
	var pieces, far []uint32
	for {
		least, some := uint32(math.MaxUint32), false
		for i := range walks {
			if walks[i].more {
				least, some = min(least, walks[i].print), true
			}
		}
		if !some {
			return nil
		}
		pieces = pieces[:0]
		for i := range walks {
			w := &walks[i]
			if !w.more || w.print != least {
				continue
			}
			list := w.reader.pieces
			if w.reader.far.count > 0 {
				var err error
				if far, err = w.s.far(far[:0], w.reader.far); err != nil {
					return err
				}
				list = far
			}
			pieces = renumber(pieces, list, w.s.pieces)
			if err := w.next(); err != nil {
				return err
			}
		}
		if len(pieces) > 0 {
			e.print(least, pieces)
		}
	}
}
