package segment

import (
	"encoding/binary"
	"math"
	"slices"
	"sort"
)

// trigrams is the number of possible trigrams of bytes.
const trigrams = 1 << 24

// folded maps a byte to its lower case, for ASCII letters only.
var folded = func() (t [256]uint32) {
	for b := range t {
		t[b] = uint32(b)
		if 'A' <= b && b <= 'Z' {
			t[b] += 'a' - 'A'
		}
	}
	return t
}()

// trigramSet collects the trigrams of one text.
type trigramSet struct {
	seen []uint64 // one bit per trigram; all zero between texts
	list []uint32
}

// of returns the distinct trigrams of a text without regard to ASCII case, in any order.
// The result is valid until the next call. Two zero bytes follow the text, so that each
// byte begins a trigram, and texts of one or two bytes can be found by the trigrams that
// they begin.
func (s *trigramSet) of(text []byte) []uint32 {
	if s.seen == nil {
		s.seen = make([]uint64, trigrams/64)
	}
	s.list = s.list[:0]
	t := uint32(0)
	for _, b := range text[:min(len(text), 2)] {
		t = t<<8 | folded[b]
	}
	for part := range slices.Chunk(text[min(len(text), 2):], 4<<10) {
		t = s.part(t, part)
	}
	if len(text) > 1 {
		s.add(t << 8 & (trigrams - 1))
	}
	if len(text) > 0 {
		s.add(t << 16 & (trigrams - 1))
	}
	for _, t := range s.list {
		s.seen[t/64] = 0
	}
	return s.list
}

// part adds the trigrams that end in a part of a text, and returns the last one; before is
// the trigram that ends before the part. It writes each trigram to the list, but advances
// only for new ones, because a branch would be mispredicted too often.
func (s *trigramSet) part(before uint32, text []byte) uint32 {
	n := len(s.list)
	s.list = slices.Grow(s.list, len(text))
	list := s.list[:n+len(text)]
	seen := (*[trigrams / 64]uint64)(s.seen)
	t := before
	for _, b := range text {
		t = (t<<8 | folded[b]) & (trigrams - 1)
		word := &seen[t/64]
		was := *word
		*word = was | 1<<(t%64)
		list[n] = t
		n += int(^was >> (t % 64) & 1)
	}
	s.list = list[:n]
	return t
}

func (s *trigramSet) add(t uint32) {
	if bit := uint64(1) << (t % 64); s.seen[t/64]&bit == 0 {
		s.seen[t/64] |= bit
		s.list = append(s.list, t)
	}
}

// trigramTable collects the trigrams of files that are added one after the other.
type trigramTable struct {
	list []uint32 // of all files
	runs []trigramRun

	files []uint32 // files of each
}

// trigramRun is a file and the end of its trigrams in the list.
type trigramRun struct {
	file uint32
	end  int
}

// Trigrams are sorted by their upper half, then by their lower half, which is stored
// together with the number of the file.
const (
	trigramHalf = 12
	// maxFiles is the maximum number of files in a trigramTable.
	maxFiles = 1 << (32 - trigramHalf)
)

func (t *trigramTable) bytes() int64 { return int64(len(t.list)) * 4 }

// reset removes the trigrams and keeps the allocated memory.
func (t *trigramTable) reset() { t.list, t.runs = t.list[:0], t.runs[:0] }

// add adds the distinct trigrams of a file. File numbers must ascend and be below maxFiles.
func (t *trigramTable) add(list []uint32, file uint32) {
	t.list = append(t.list, list...)
	t.runs = append(t.runs, trigramRun{file, len(t.list)})
}

// each calls f for every trigram in order, with its files. f must not keep the slice.
func (t *trigramTable) each(f func(trigram uint32, files []uint32)) {
	const halves = 1 << trigramHalf
	var ends [halves]int
	for _, v := range t.list {
		ends[v>>trigramHalf]++
	}
	sum := 0
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	sorted := make([]uint32, len(t.list))
	from := 0
	for _, r := range t.runs {
		for _, v := range t.list[from:r.end] {
			at := &ends[v>>trigramHalf]
			sorted[*at] = v<<(32-trigramHalf) | r.file
			*at++
		}
		from = r.end
	}
	from = 0
	for upper, end := range ends {
		t.part(uint32(upper)<<trigramHalf, sorted[from:end], f)
		from = end
	}
}

// part is each for the trigrams with one upper half. list contains the lower halves with
// their files, in the order of the files.
func (t *trigramTable) part(upper uint32, list []uint32, f func(trigram uint32, files []uint32)) {
	if len(list) == 0 {
		return
	}
	var ends [1 << trigramHalf]uint32
	for _, v := range list {
		ends[v>>(32-trigramHalf)]++
	}
	sum := uint32(0)
	for i, n := range ends {
		ends[i] = sum
		sum += n
	}
	t.files = slices.Grow(t.files[:0], len(list))[:len(list)]
	for _, v := range list {
		at := &ends[v>>(32-trigramHalf)]
		t.files[*at] = v & (maxFiles - 1)
		*at++
	}
	from := uint32(0)
	for lower, end := range ends {
		if from < end {
			f(upper|uint32(lower), t.files[from:end])
		}
		from = end
	}
}

// trigramReader finds the files that contain a trigram.
type trigramReader struct {
	blob    *blob
	entries []byte
	table   []byte
}

// listPlace is the location of a list of files.
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

// each calls f for the trigrams in a range, in order.
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

// find returns the location of a trigram's list; its count is 0 for an unknown trigram.
func (t *trigramReader) find(trigram uint32) (found listPlace, err error) {
	err = t.each(trigram, trigram, func(_ uint32, p listPlace) { found = p })
	return found, err
}

// files appends the files of a list to dst.
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
