package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"unicode"

	"github.com/dougu-go/dougu/tools/search/index"
)

// bm25 is a plain implementation of BM25.
type bm25 struct {
	tree     *tree
	words    wordsOf
	pieces   []result
	lengths  []int32
	mean     float64
	postings map[string][]posting
}

// wordsOf returns the words of a text or query.
type wordsOf func(text string) func(yield func(string) bool)

type posting struct{ piece, count int32 }

// The usual constants.
const (
	plainK1 = 1.2
	plainB  = 0.75
)

// openBM25 returns a function that indexes the pieces of a tree by their words.
func openBM25(words wordsOf) func(context.Context, *bench, *tree) (searcher, error) {
	return func(ctx context.Context, _ *bench, t *tree) (searcher, error) { return newBM25(ctx, t, words) }
}

func newBM25(ctx context.Context, t *tree, words wordsOf) (*bm25, error) {
	s := &bm25{tree: t, words: words, postings: map[string][]posting{}}
	total := 0
	for _, name := range t.names {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		f := t.files[name]
		for i := range f.Pieces {
			id := int32(len(s.pieces))
			s.pieces = append(s.pieces, result{name, &f.Pieces[i]})
			length := 0
			for word := range words(pieceText(f, &f.Pieces[i])) {
				length++
				list := s.postings[word]
				if n := len(list); n > 0 && list[n-1].piece == id {
					list[n-1].count++
					continue
				}
				s.postings[strings.Clone(word)] = append(list, posting{id, 1})
			}
			s.lengths = append(s.lengths, int32(length))
			total += length
		}
	}
	s.mean = float64(total) / float64(max(len(s.pieces), 1))
	return s, nil
}

// pieceText returns the searchable text of a piece with one field: its path and its text.
func pieceText(f *index.File, p *index.Piece) string {
	var b strings.Builder
	b.WriteString(f.Path)
	for _, own := range p.Own {
		b.WriteByte('\n')
		b.Write(f.Text[own.Start:own.End])
	}
	return b.String()
}

func (s *bm25) search(_ context.Context, query string) ([]result, error) {
	scores := map[int32]float64{}
	for word := range s.words(query) {
		list := s.postings[word]
		n, all := float64(len(list)), float64(len(s.pieces))
		idf := math.Log(1 + (all-n+0.5)/(n+0.5))
		for _, p := range list {
			count := float64(p.count)
			length := 1 - plainB + plainB*float64(s.lengths[p.piece])/s.mean
			scores[p.piece] += idf * count * (plainK1 + 1) / (count + plainK1*length)
		}
	}
	ids := make([]int32, 0, len(scores))
	for id := range scores {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b int32) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	found := make([]result, 0, wanted)
	for _, id := range ids[:min(len(ids), wanted)] {
		found = append(found, s.pieces[id])
	}
	return found, nil
}

func (s *bm25) close() error { return nil }

// plainWords returns the words of a text as a standard tokenizer does: runs of letters, digits and underscores in lower case, and
// each Han or Hiragana character alone.
func plainWords(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := -1
		flush := func(end int) bool {
			if start < 0 {
				return true
			}
			word := text[start:end]
			start = -1
			return yield(strings.ToLower(word))
		}
		for i, r := range text {
			switch {
			case unicode.In(r, unicode.Han, unicode.Hiragana):
				if !flush(i) || !yield(string(r)) {
					return
				}
			case r == '_' || r == 'ー' || unicode.IsLetter(r) || unicode.IsDigit(r):
				if start < 0 {
					start = i
				}
			default:
				if !flush(i) {
					return
				}
			}
		}
		flush(len(text))
	}
}
