package segment

import (
	"bytes"
	"math"
	"sort"
)

// wordReader finds the postings of words in a segment.
type wordReader struct {
	blob   *blob
	firsts []string // first word of each block
	blocks []int64  // start of each block, and the end of the last
	lists  []int64  // start of the postings of each block, and the end of the last
}

// wordPlace is the location of the postings of a word.
type wordPlace struct {
	count          int
	offset, length int64
}

func (w *wordReader) open(b *blob) error {
	w.blob = b
	data, err := b.section(sectionWordIndex)
	if err != nil {
		return err
	}
	d := decoder{data: data}
	var block, list int64
	for len(d.data) > 0 {
		w.firsts = append(w.firsts, string(d.text()))
		w.blocks = append(w.blocks, block)
		w.lists = append(w.lists, list)
		block += d.number(math.MaxInt32)
		list += d.number(math.MaxInt32)
	}
	w.blocks, w.lists = append(w.blocks, block), append(w.lists, list)
	if d.bad || block != b.trailer.places[sectionWords].length || list != b.trailer.places[sectionPostings].length {
		return b.damage("the index of words is malformed")
	}
	return nil
}

// wordWalk iterates over the words in order.
type wordWalk struct {
	w     *wordReader
	block int
	d     decoder
	word  []byte
	place wordPlace
	err   error
}

// from returns an iterator that starts before a word.
func (w *wordReader) from(word string) wordWalk {
	block := sort.Search(len(w.firsts), func(i int) bool { return w.firsts[i] > word })
	return wordWalk{w: w, block: max(block-1, 0)}
}

// next reads a word. It returns false at the end or after an error in err.
func (k *wordWalk) next() bool {
	if len(k.d.data) == 0 {
		if k.err != nil || k.block >= len(k.w.firsts) {
			return false
		}
		from := k.w.blocks[k.block]
		data, err := k.w.blob.view(sectionWords, from, k.w.blocks[k.block+1]-from)
		if err != nil {
			k.err = err
			return false
		}
		k.d = decoder{data: data}
		k.word, k.place = k.word[:0], wordPlace{offset: k.w.lists[k.block]}
		k.block++
	}
	return k.entry()
}

func (k *wordWalk) entry() bool {
	sizes := k.d.bytes(1)
	if sizes == nil {
		return k.fail()
	}
	shared, rest := int64(sizes[0]>>4), int64(sizes[0]&15)
	if shared == 15 {
		shared += k.d.number(math.MaxInt32)
	}
	if rest == 15 {
		rest += k.d.number(math.MaxInt32)
	}
	if shared > int64(len(k.word)) {
		return k.fail()
	}
	k.word = append(k.word[:shared], k.d.bytes(int(rest))...)
	k.place.offset += k.place.length
	k.place.count = int(k.d.number(math.MaxInt32))
	k.place.length = k.d.number(math.MaxInt32)
	if k.d.bad {
		return k.fail()
	}
	return true
}

func (k *wordWalk) fail() bool {
	k.err = k.w.blob.damage("the list of words is malformed")
	k.d.data = nil
	return false
}

// lookup finds a word.
func (w *wordReader) lookup(word string) (wordPlace, bool, error) {
	k := w.from(word)
	for n := 0; n < wordsInBlock && k.next(); n++ {
		if c := bytes.Compare(k.word, []byte(word)); c >= 0 {
			return k.place, c == 0, nil
		}
	}
	return wordPlace{}, false, k.err
}

// list returns the encoded postings at a location.
func (w *wordReader) list(p wordPlace) ([]byte, error) {
	return w.blob.view(sectionPostings, p.offset, p.length)
}
