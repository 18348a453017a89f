package segment

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
)

// wordTable collects the words of pieces that are added one after the other.
type wordTable struct {
	pool  *pool
	slots []uint64 // upper half: hash; lower half: number of an entry plus 1; 0 for an empty slot
	pages [][]wordEntry
	n     int    // number of entries
	text  []byte // words that are too long for an entry
	order []wordKey
	list  []posting

	entries []*wordEntry // entries that are prefetched
	ahead   uint64       // result of prefetched reads, unused
}

// inEntry is the maximum length of a word that is stored in its entry, in bytes. The entry
// then fills one cache line.
const inEntry = 35

type wordEntry struct {
	chain chain
	text  uint32 // offset in wordTable.text of a long word
	count uint32 // number of postings
	last  uint32 // piece of the last posting, plus 1
	size  uint8
	short [inEntry]byte // the word, or its beginning
}

const (
	wordEntrySize = 64 + 32 // bytes, with its slots
	wordsInPage   = 1 << 10
)

func (t *wordTable) bytes() int64 { return int64(t.n)*wordEntrySize + int64(len(t.text)) }

// reset removes the words and keeps the allocated memory.
func (t *wordTable) reset() {
	clear(t.slots)
	t.n, t.text = 0, t.text[:0]
}

// add adds the words of a piece. Piece numbers must ascend.
func (t *wordTable) add(words *pieceWords, piece uint32) {
	for (t.n+len(words.list))*2 >= len(t.slots) {
		t.grow()
	}
	t.prefetch(words)
	for i := range words.list {
		w := &words.list[i]
		t.post(t.entry(words.word(w), w.hash>>32), piece, &w.tf)
	}
}

// prefetch reads the memory for the most frequent words. A processor performs many
// independent reads concurrently.
func (t *wordTable) prefetch(words *pieceWords) {
	mask := uint64(len(t.slots) - 1)
	sum := uint64(0)
	for i := range words.list {
		sum += t.slots[words.list[i].hash>>32&mask]
	}
	for i := range words.list {
		hash := words.list[i].hash >> 32
		if slot := t.slots[hash&mask]; slot>>32 == hash && slot != 0 {
			t.entries = append(t.entries, t.at(int(uint32(slot)-1)))
		}
	}
	for _, e := range t.entries {
		sum += uint64(t.pool.ahead(&e.chain))
	}
	t.entries = t.entries[:0]
	t.ahead = sum
}

func (t *wordTable) at(i int) *wordEntry { return &t.pages[i/wordsInPage][i%wordsInPage] }

func (t *wordTable) entry(word []byte, hash uint64) *wordEntry {
	mask := uint64(len(t.slots) - 1)
	for at := hash & mask; ; at = (at + 1) & mask {
		slot := t.slots[at]
		if slot == 0 {
			t.slots[at] = hash<<32 | uint64(t.n+1)
			return t.create(word)
		}
		if slot>>32 != hash {
			continue
		}
		if e := t.at(int(uint32(slot) - 1)); int(e.size) == len(word) && bytes.Equal(t.word(e), word) {
			return e
		}
	}
}

func (t *wordTable) create(word []byte) *wordEntry {
	if t.n == len(t.pages)*wordsInPage {
		t.pages = append(t.pages, make([]wordEntry, wordsInPage))
	}
	e := t.at(t.n)
	t.n++
	*e = wordEntry{size: uint8(len(word)), text: uint32(len(t.text))}
	if copy(e.short[:], word) < len(word) {
		t.text = append(t.text, word...)
	}
	return e
}

func (t *wordTable) word(e *wordEntry) []byte {
	if e.size <= inEntry {
		return e.short[:e.size]
	}
	return t.text[e.text : e.text+uint32(e.size)]
}

func (t *wordTable) grow() {
	old := t.slots
	t.slots = make([]uint64, max(2*len(old), 1<<12))
	mask := uint64(len(t.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		at := slot >> 32 & mask
		for t.slots[at] != 0 {
			at = (at + 1) & mask
		}
		t.slots[at] = slot
	}
}

// post appends a posting to the chain of an entry: the gap with a flag for a single
// occurrence in the body, otherwise also the mask and the frequencies.
func (t *wordTable) post(e *wordEntry, piece uint32, tf *[index.Fields]uint8) {
	gap := piece - e.last
	e.last = piece + 1
	e.count++
	if *tf == [index.Fields]uint8{index.Body: 1} {
		t.pool.addUvarint(&e.chain, gap<<1|1)
		return
	}
	t.pool.addUvarint(&e.chain, gap<<1)
	mask := byte(0)
	for field, n := range tf {
		if n > 0 {
			mask |= 1 << field
		}
	}
	t.pool.add(&e.chain, mask)
	for _, n := range tf {
		if n > 0 {
			t.pool.add(&e.chain, n)
		}
	}
}

// wordKey is a word to be sorted: its first bytes as a number of the same order, and the
// number of its entry.
type wordKey struct {
	prefix uint64
	entry  int
}

// each calls f for every word in order, with its postings. f must not keep the slices.
func (t *wordTable) each(f func(word []byte, list []posting)) {
	t.order = slices.Grow(t.order[:0], t.n)
	for i := range t.n {
		t.order = append(t.order, wordKey{binary.BigEndian.Uint64(t.at(i).short[:]), i})
	}
	slices.SortFunc(t.order, func(a, b wordKey) int {
		if a.prefix != b.prefix {
			return cmp.Compare(a.prefix, b.prefix)
		}
		return bytes.Compare(t.word(t.at(a.entry)), t.word(t.at(b.entry)))
	})
	for _, k := range t.order {
		e := t.at(k.entry)
		t.list = t.postings(t.list[:0], e)
		f(t.word(e), t.list)
	}
}

func (t *wordTable) postings(list []posting, e *wordEntry) []posting {
	w := t.pool.walk(&e.chain)
	piece := uint32(0)
	for range e.count {
		v := w.uvarint()
		piece += v >> 1
		p := posting{piece: piece, tf: 1 << (8 * index.Body)}
		piece++
		if v&1 == 0 {
			p.tf = 0
			for m := uint32(w.next()); m != 0; m &= m - 1 {
				p.tf |= frequencies(w.next()) << (8 * bits.TrailingZeros32(m))
			}
		}
		list = append(list, p)
	}
	return list
}
