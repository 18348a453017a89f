package similar

import (
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// MinTokens is the minimum number of tokens of code with fingerprints. Shorter code
// resembles too much other code.
const MinTokens = 20

// A shape is made of the tokens alone, with names all the same, so that it survives
// renaming; a naming is made of tokens with their texts, so that of the many pieces
// of the same shape those are found first that speak of the same. Of so many
// sequences in a row the one with the least hash is a fingerprint: two texts that
// have a sequence of shapeTokens+shapeWindow-1 tokens in common have a fingerprint
// in common.
const (
	shapeTokens, shapeWindow   = 8, 6
	namingTokens, namingWindow = 4, 12
)

// namingBit is set in the fingerprints that come from names.
const namingBit = 1

// Prints are the fingerprints of code, ascending and without duplicates; nil if it
// has fewer than MinTokens tokens. lang is a language as package parse names it;
// others are read by rules that fit most.
func Prints(code []byte, lang string) []uint32 {
	return prints(lex(nil, code, lang), MinTokens)
}

// WithPrints sets the fingerprints of the pieces of a text and returns the pieces.
// Fingerprints of a function cover all of it; those of types and files cover only their
// own text. Values have none.
func WithPrints(pieces []index.Piece, text []byte, lang string) []index.Piece {
	var tokens []token
	for i := range pieces {
		p := &pieces[i]
		kind, _ := source.KindNamed(p.Kind)
		if kind.IsCallable() || kind.IsType() || p.Kind == "file" {
			tokens = pieceTokens(tokens[:0], text, p, lang)
			p.Prints = prints(tokens, MinTokens)
		}
	}
	return pieces
}

// pieceTokens appends the tokens with which a piece is compared.
func pieceTokens(tokens []token, text []byte, p *index.Piece, lang string) []token {
	if kind, ok := source.KindNamed(p.Kind); ok && kind.IsCallable() || len(p.Own) == 0 {
		return lexSpan(tokens, text, p.Range, lang)
	}
	for _, own := range p.Own {
		tokens = lexSpan(tokens, text, own, lang)
	}
	return tokens
}

// lexSpan appends the tokens of a part of a text, with places in the text.
func lexSpan(tokens []token, text []byte, s index.Span, lang string) []token {
	start := min(max(int(s.Start), 0), len(text))
	end := min(max(int(s.End), start), len(text))
	from := len(tokens)
	tokens = lex(tokens, text[start:end], lang)
	for i := from; i < len(tokens); i++ {
		tokens[i].start += int32(start)
		tokens[i].end += int32(start)
	}
	return tokens
}

// prints are the fingerprints of tokens, if there are enough.
func prints(tokens []token, least int) []uint32 {
	if len(tokens) < least || len(tokens) < namingTokens {
		return nil
	}
	chosen := make([]uint32, 0, len(tokens)/2+2)
	hashes := make([]uint32, 0, len(tokens))
	hashes = sequences(hashes, tokens, shapeTokens, shapeOf)
	for i := range hashes {
		hashes[i] &^= namingBit
	}
	chosen = winnow(chosen, hashes, shapeWindow)
	hashes = sequences(hashes[:0], tokens, namingTokens, namingOf)
	for i := range hashes {
		hashes[i] |= namingBit
	}
	chosen = winnow(chosen, hashes, namingWindow)
	slices.Sort(chosen)
	return slices.Compact(chosen)
}

// shapeOf is a token without its text, namingOf with it.
func shapeOf(t *token) uint64  { return uint64(t.code) }
func namingOf(t *token) uint64 { return uint64(t.name)<<16 ^ uint64(t.code) }

// gramTimes is the factor of the rolling hash per token.
const gramTimes = 0x9E3779B97F4A7C15

// sequences appends the hashes of all sequences of n tokens.
func sequences(hashes []uint32, tokens []token, n int, of func(*token) uint64) []uint32 {
	power := uint64(1)
	for range n {
		power *= gramTimes
	}
	var h uint64
	for i := range tokens {
		h = h*gramTimes + mix(of(&tokens[i]))
		if i >= n {
			h -= power * mix(of(&tokens[i-n]))
		}
		if i >= n-1 {
			hashes = append(hashes, uint32(mix(h)>>32))
		}
	}
	return hashes
}

// mix makes every bit of a number depend on every other one.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// winnow appends the least hash of every window of hashes, each place once, and of
// equal ones the last.
func winnow(chosen, hashes []uint32, window int) []uint32 {
	if len(hashes) == 0 {
		return chosen
	}
	last := -1
	for end := min(window, len(hashes)); end <= len(hashes); end++ {
		start := max(end-window, 0)
		switch {
		case last < start:
			last = start
			for i := start + 1; i < end; i++ {
				if hashes[i] <= hashes[last] {
					last = i
				}
			}
		case hashes[end-1] <= hashes[last]:
			last = end - 1
		default:
			continue
		}
		chosen = append(chosen, hashes[last])
	}
	return chosen
}
