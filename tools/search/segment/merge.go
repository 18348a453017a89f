package segment

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"time"

	"github.com/dougu-go/dougu/tools/search/index"
)

// tidy starts a merge in the background if it is worthwhile.
func (ix *Index) tidy() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.closed || ix.merging || ix.shared != nil && !ix.shared.merges() || len(choose(ix.current.live)) == 0 {
		return
	}
	ix.merging = true
	ix.tasks.Go(ix.mergeAll)
}

// Conditions for a delay of merges.
const (
	quiet    = time.Second // since the end of the last writer
	manyLive = 24          // number of segments that are merged without a delay
)

// await delays merging until no writer was active for a while. An immediate merge would
// be repeated after the next segments, and would take processor time from the writer.
func (ix *Index) await() {
	for {
		ix.mu.Lock()
		rest := quiet
		if ix.writer == nil {
			rest -= time.Since(ix.wrote)
		}
		now := ix.closed || rest <= 0 || len(ix.current.live) >= manyLive
		ix.mu.Unlock()
		if now {
			return
		}
		select {
		case <-ix.ctx.Done():
			return
		case <-time.After(rest):
		}
	}
}

// mergeAll merges until no merge is worthwhile.
func (ix *Index) mergeAll() {
	for {
		ix.await()
		more, err := ix.mergeOnce()
		if err != nil && ix.ctx.Err() == nil && !errors.Is(err, index.ErrWriting) {
			ix.o.Log.Warn("parts of the search index could not be merged", "error", err)
		}
		if err != nil {
			ix.mu.Lock()
			ix.merging = false
			ix.mu.Unlock()
		}
		if err != nil || !more {
			return
		}
	}
}

// mergeOnce merges the chosen segments. It reports the end if there are none. The error
// is index.ErrWriting while another process writes.
func (ix *Index) mergeOnce() (more bool, err error) {
	if err := ix.writable(ix.ctx); err != nil {
		return false, err
	}
	defer ix.written()
	ix.mu.Lock()
	s := ix.current
	chosen := choose(s.live)
	if ix.closed || len(chosen) == 0 {
		ix.merging = false
		ix.mu.Unlock()
		return false, nil
	}
	s.refs++
	ix.mu.Unlock()
	defer ix.release(s)
	return true, ix.heal(s, ix.merge(chosen))
}

// source is a segment to merge, with the new numbers of its files and pieces.
type source struct {
	*live
	files, pieces []uint32
}

// gone is the new number of a file or piece that is not in the merged segment.
const gone = math.MaxUint32

// merge writes the merged segment and replaces its sources.
func (ix *Index) merge(chosen []*live) error {
	m := merger{ctx: ix.ctx}
	m.number(chosen)
	seg, err := ix.write(m.write)
	if err != nil {
		return fmt.Errorf("merging: %w", err)
	}
	ix.commit.Lock()
	defer ix.commit.Unlock()
	ix.mu.Lock()
	current := ix.current
	ix.mu.Unlock()
	all := make([]*live, 0, len(current.live))
	merged := changing(&live{segment: seg})
	now := make(map[*segment]*live, len(current.live))
	for _, l := range current.live {
		now[l.segment] = l
	}
	for i := range m.sources {
		src := &m.sources[i]
		src.carry(now[src.segment], merged)
		delete(now, src.segment)
	}
	for _, l := range current.live {
		if now[l.segment] != nil {
			all = append(all, l)
		}
	}
	if err := ix.replace(append(all, merged.live), current.generation, current.changed); err != nil {
		ix.closeAll([]*segment{seg})
		return fmt.Errorf("merging: %w", err)
	}
	return nil
}

// carry applies changes made to a source during the merge. now is nil if no state
// contains the source.
func (s *source) carry(now *live, merged *change) {
	for file, number := range s.files {
		if number == gone {
			continue
		}
		if now == nil || now.dead.has(uint32(file)) {
			merged.remove(number)
			continue
		}
		r := now.row(uint32(file))
		merged.touch(number, stamp{r.size, r.seconds, r.nanos})
	}
}

// merger writes a merged segment.
type merger struct {
	ctx     context.Context
	sources []source
}

// number assigns new numbers to files and pieces, one segment after the other, so that
// lists stay sorted.
func (m *merger) number(chosen []*live) {
	file, piece := uint32(0), uint32(0)
	for _, l := range chosen {
		s := source{live: l, files: make([]uint32, len(l.rows)), pieces: make([]uint32, l.pieces)}
		for i := range l.rows {
			r := &l.rows[i]
			dead := l.dead.has(uint32(i))
			s.files[i] = gone
			if !dead {
				s.files[i] = file
				file++
			}
			for p := r.first; p < r.first+r.count; p++ {
				s.pieces[p] = gone
				if !dead {
					s.pieces[p] = piece
					piece++
				}
			}
		}
		m.sources = append(m.sources, s)
	}
}

func (m *merger) write(w io.Writer) (int64, uint32, error) {
	e := newEncoder(w)
	for _, step := range []func(*encoder) error{m.writeFiles, m.writeWords, m.writeTrigrams, m.writePrints} {
		if err := step(e); err != nil {
			return 0, 0, err
		}
	}
	return e.finish()
}

func (m *merger) writeFiles(e *encoder) error {
	var columns []column
	for i := range m.sources {
		s := &m.sources[i]
		for file, number := range s.files {
			if number == gone {
				continue
			}
			if err := m.ctx.Err(); err != nil {
				return err
			}
			r := s.row(uint32(file))
			block, err := s.block(&r)
			if err != nil {
				return err
			}
			columns = columns[:0]
			for p := r.first; p < r.first+r.count; p++ {
				columns = append(columns, s.column(p))
			}
			e.file(&fileRecord{Known: s.known(&r), verbatim: r.verbatim}, block, columns, s.kinds)
		}
	}
	return nil
}

// choose returns the segments to merge: several of about equal size, smallest first, or
// one with many deleted files.
func choose(all []*live) []*live {
	var tiers [maxTier + 1][]*live
	for _, l := range all {
		if t := l.tier(); t <= maxTier {
			tiers[t] = append(tiers[t], l)
		}
	}
	var chosen []*live
	for _, tier := range tiers {
		if chosen = append(chosen, tier...); len(tier) >= mergeAtOnce {
			return chosen
		}
	}
	for _, l := range all {
		if l.size > smallest && l.tier() <= maxTier && (4*l.deadPieces > l.pieces || len(l.touched) > manyTouched && 2*len(l.touched) > len(l.rows)) {
			return []*live{l}
		}
	}
	return nil
}

const (
	mergeAtOnce = 4
	smallest    = 64 << 10 // bytes; smaller segments have tier 0
	maxTier     = 7        // up to 1 GiB; larger segments are not merged
	manyTouched = 1000     // files with changed times, which enlarge the manifest
)

// tier returns the size class of a segment, in powers of four.
func (l *live) tier() int {
	size := l.size
	if l.pieces > 0 {
		size = int64(float64(size) * float64(l.pieces-l.deadPieces) / float64(l.pieces))
	}
	t := 0
	for ; size > smallest; size /= 4 {
		t++
	}
	return t
}

// writeWords writes the words of all sources with the remaining postings.
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

// postings appends the postings of a word with new numbers.
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

// trigramPlace is the location of a trigram in a source.
type trigramPlace struct {
	trigram uint32
	source  int
	place   listPlace
}

func (m *merger) writeTrigrams(e *encoder) error {
	// The trigrams are read in parts, to limit the memory.
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

// renumber appends the new numbers of the remaining entries.
func renumber(dst, list, numbers []uint32) []uint32 {
	for _, old := range list {
		if n := numbers[old]; n != gone {
			dst = append(dst, n)
		}
	}
	return dst
}

// printWalk iterates over the fingerprints of a source.
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
	var pieces, sharedPieces []uint32
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
			if w.reader.sharedPieces.count > 0 {
				var err error
				if sharedPieces, err = w.s.sharedPieces(sharedPieces[:0], w.reader.sharedPieces); err != nil {
					return err
				}
				list = sharedPieces
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
