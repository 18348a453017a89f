package command

import (
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// maxBraces bounds the words that one word with braces becomes.
const maxBraces = 256

// braces expands a word with {a,b} and {1..9} to the words that it stands for.
func (r *reader) braces(word *syntax.Word) [][]syntax.WordPart {
	found := false
	for _, part := range word.Parts {
		if lit, ok := part.(*syntax.Lit); ok && strings.Contains(lit.Value, "{") {
			found = true
		}
	}
	if !found {
		return [][]syntax.WordPart{word.Parts}
	}
	copied := &syntax.Word{Parts: append([]syntax.WordPart(nil), word.Parts...)}
	if !syntax.SplitBraces(copied) {
		return [][]syntax.WordPart{word.Parts}
	}
	return r.unbraced(copied.Parts)
}

// unbraced is every combination of the alternatives in the parts.
func (r *reader) unbraced(parts []syntax.WordPart) [][]syntax.WordPart {
	all := [][]syntax.WordPart{nil}
	for _, part := range parts {
		brace, ok := part.(*syntax.BraceExp)
		if !ok {
			for i := range all {
				all[i] = append(all[i], part)
			}
			continue
		}
		var choices [][]syntax.WordPart
		if brace.Sequence {
			choices = sequence(brace)
		} else {
			for _, element := range brace.Elems {
				r.deeper(func() { choices = append(choices, r.unbraced(element.Parts)...) })
			}
		}
		if len(all)*len(choices) > maxBraces {
			r.tooMuch("braces make too many words")
			return nil
		}
		next := make([][]syntax.WordPart, 0, len(all)*len(choices))
		for _, before := range all {
			for _, choice := range choices {
				next = append(next, append(before[:len(before):len(before)], choice...))
			}
		}
		all = next
	}
	return all
}

// sequence is the elements of {from..to}. A long one of numbers stands for a number that is not known.
func sequence(brace *syntax.BraceExp) [][]syntax.WordPart {
	from, to, step := brace.Elems[0].Lit(), "", 1
	if len(brace.Elems) > 1 {
		to = brace.Elems[1].Lit()
	}
	if len(brace.Elems) > 2 {
		step, _ = strconv.Atoi(brace.Elems[2].Lit())
	}
	a, errA := strconv.Atoi(from)
	b, errB := strconv.Atoi(to)
	letters := errA != nil || errB != nil
	if letters && len(from) == 1 && len(to) == 1 {
		a, b = int(from[0]), int(to[0])
	}
	step = max(step, -step, 1)
	if a > b {
		step = -step
	}
	if (b-a)/step > 60 || (b-a)/step < 0 {
		return [][]syntax.WordPart{{&syntax.Lit{Value: inner}}}
	}
	var all [][]syntax.WordPart
	for n := a; (step > 0 && n <= b) || (step < 0 && n >= b); n += step {
		text := strconv.Itoa(n)
		if letters {
			text = string(rune(n))
		}
		all = append(all, []syntax.WordPart{&syntax.SglQuoted{Value: text}})
	}
	return all
}
