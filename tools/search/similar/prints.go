package similar

import (
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/source"
)

// MinTokens is the minimum number of tokens of code with fingerprints. Shorter code
// resembles too much other code.
const MinTokens = 20

// Parameters of the fingerprints. A shape consists of tokens with equal names, so that it
// survives renaming. A naming consists of tokens with their texts, to prefer pieces with
// equal names among the many with the same shape. Of each window of consecutive sequences,
// the one with the smallest hash is a fingerprint. Texts with a common sequence of
// shapeTokens+shapeWindow-1 tokens therefore have a common fingerprint.
const (
	shapeTokens, shapeWindow   = 8, 6
	namingTokens, namingWindow = 4, 12
)

// namingBit is set in fingerprints of namings.
const namingBit = 1

// Prints returns the fingerprints of code, ascending and without duplicates; nil if it has
// fewer than MinTokens tokens. lang is a language name of package source; general rules
// apply to other languages.
func Prints(code []byte, lang string) []uint32 {
	return prints(lex(nil, code, newDialect(lang, nil)), MinTokens)
}

// WithPrints sets the fingerprints of the pieces of a text and returns the pieces.
// Fingerprints of a function cover all of it; those of types and files cover only their
// own text. Values have none. parsers define the syntax of languages that they add; nil
// defines none.
func WithPrints(pieces []index.Piece, text []byte, lang string, parsers *source.Parsers) []index.Piece {
	d := newDialect(lang, parsers)
	var tokens []token
	for i := range pieces {
		p := &pieces[i]
		kind, _ := source.KindNamed(p.Kind)
		if kind.IsCallable() || kind.IsType() || p.Kind == "file" {
			tokens = pieceTokens(tokens[:0], text, p, d)
			p.Prints = prints(tokens, MinTokens)
		}
	}
	return pieces
}

// pieceTokens appends the tokens of a piece that are compared.
func pieceTokens(tokens []token, text []byte, p *index.Piece, d dialect) []token {
	if kind, ok := source.KindNamed(p.Kind); ok && kind.IsCallable() || len(p.Own) == 0 {
		return lexSpan(tokens, text, p.Range, d)
	}
	for _, own := range p.Own {
		tokens = lexSpan(tokens, text, own, d)
	}
	return tokens
}

// lexSpan appends the tokens of a part of a text, with offsets in the text.
func lexSpan(tokens []token, text []byte, s index.Span, d dialect) []token {
	start := min(max(int(s.Start), 0), len(text))
	end := min(max(int(s.End), start), len(text))
	from := len(tokens)
	tokens = lex(tokens, text[start:end], d)
	for i := from; i < len(tokens); i++ {
		tokens[i].start += int32(start)
		tokens[i].end += int32(start)
	}
	return tokens
}

// prints returns the fingerprints of tokens; nil for fewer than least tokens.
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

// shapeOf returns a token without its text, and namingOf with it.
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

// mix returns a hash of x, in which each bit depends on all bits of x.
func mix(x uint64) uint64 {
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	x ^= x >> 32
	x *= 0xD6E8FEB86659FD93
	return x ^ x>>32
}

// winnow appends the smallest hash of every window, each position once; of equal hashes the
// last.
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
