package segment

import (
	"bytes"
	"hash/maphash"

	"github.com/dougu-go/dougu/tools/search/index"
)

// pieceWords collects the distinct words of one piece. It fits the processor cache and
// saves repeated lookups in the larger wordTable.
type pieceWords struct {
	seed  maphash.Seed
	slots []uint32    // number of a word plus 1; 0 for an empty slot
	list  []pieceWord // the words, in the order of their first occurrence
	text  []byte      // the texts of the words, one after the other
}

// pieceWord is a word of a piece.
type pieceWord struct {
	hash uint64
	text uint32              // offset in pieceWords.text
	slot uint32              // index in pieceWords.slots
	tf   [index.Fields]uint8 // occurrences in each field, at most 255
	size uint8               // length of the text in bytes
}

func newPieceWords() pieceWords {
	return pieceWords{seed: maphash.MakeSeed(), slots: make([]uint32, 1<<9)}
}

// add records a word of at most 255 bytes in a field.
func (p *pieceWords) add(word []byte, field int) {
	w := p.find(word)
	if w.tf[field] < 255 {
		w.tf[field]++
	}
}

func (p *pieceWords) find(word []byte) *pieceWord {
	hash := maphash.Bytes(p.seed, word)
	mask := uint32(len(p.slots) - 1)
	for at := uint32(hash) & mask; ; at = (at + 1) & mask {
		slot := p.slots[at]
		if slot == 0 {
			return p.create(word, hash, at)
		}
		if w := &p.list[slot-1]; w.hash == hash && bytes.Equal(p.word(w), word) {
			return w
		}
	}
}

func (p *pieceWords) create(word []byte, hash uint64, slot uint32) *pieceWord {
	p.list = append(p.list, pieceWord{hash: hash, text: uint32(len(p.text)), slot: slot, size: uint8(len(word))})
	p.text = append(p.text, word...)
	p.slots[slot] = uint32(len(p.list))
	if len(p.list)*2 > len(p.slots) {
		p.grow()
	}
	return &p.list[len(p.list)-1]
}

func (p *pieceWords) word(w *pieceWord) []byte { return p.text[w.text : w.text+uint32(w.size)] }

func (p *pieceWords) grow() {
	p.slots = make([]uint32, 2*len(p.slots))
	mask := uint32(len(p.slots) - 1)
	for i := range p.list {
		at := uint32(p.list[i].hash) & mask
		for p.slots[at] != 0 {
			at = (at + 1) & mask
		}
		p.slots[at], p.list[i].slot = uint32(i)+1, at
	}
}

// reset removes the words.
func (p *pieceWords) reset() {
	if len(p.list) < len(p.slots)/16 {
		for i := range p.list {
			p.slots[p.list[i].slot] = 0
		}
	} else {
		clear(p.slots)
	}
	p.list, p.text = p.list[:0], p.text[:0]
}
