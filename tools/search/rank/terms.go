package rank

import (
	"slices"

	"github.com/dougu-go/dougu/tools/search/index"
	"github.com/dougu-go/dougu/tools/search/token"
)

// maxTerms is how many terms an index tells of which ones a piece has.
const maxTerms = 64

// terms are what an index is asked for, and which of them each unit is.
type terms struct {
	list []index.Term
	of   []unitTerms // by unit
}

// unitTerms are the numbers of terms: one is enough of those in any, all of those in
// parts are needed; those in others mean something like it.
type unitTerms struct{ any, parts, others []int }

// Index is the question for an index: the best pieces that a Filter lets through.
func (q *Query) Index(filter index.Filter, limit int) index.Query {
	return index.Query{
		Terms: slices.Clone(q.terms.list), Filter: filter, Limit: limit,
		Weights: q.tuning.Weights, B: q.tuning.B, K1: q.tuning.K1,
	}
}

func (q *Query) makeTerms() terms {
	t := terms{of: make([]unitTerms, len(q.units))}
	for i := range q.units {
		q.termsOf(&t, i)
	}
	for i := range q.units {
		u := &q.units[i]
		weight := q.tuning.Synonym
		if u.kind == token.Pair {
			weight = q.tuning.Translation
		}
		for _, words := range u.others {
			t.of[i].others = t.put(t.of[i].others, index.Term{Words: words, Weight: u.weight * weight})
		}
	}
	for _, pair := range q.crossing {
		t.add(index.Term{Words: []string{pair}, Weight: q.tuning.Crossing})
	}
	for i := range q.units {
		u := &q.units[i]
		if len(u.joined) == 0 {
			continue
		}
		if at, ok := t.add(index.Term{Words: u.joined, Weight: q.tuning.Joined}); ok {
			t.of[i].any = append(t.of[i].any, at)
			t.of[i+1].any = append(t.of[i+1].any, at)
		}
	}
	return t
}

// termsOf makes the terms of a unit.
func (q *Query) termsOf(t *terms, i int) {
	u, tuning := &q.units[i], &q.tuning
	of := &t.of[i]
	switch {
	case u.kind == token.Pair:
		for _, pair := range u.parts {
			of.parts = t.put(of.parts, index.Term{Words: []string{pair}, Weight: u.weight, Required: u.phrase})
		}
	case u.kind == token.Whole:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight * tuning.Whole, Required: u.phrase})
		for _, part := range u.parts {
			of.parts = t.put(of.parts, index.Term{Words: []string{part}, Weight: u.weight * tuning.Part})
		}
	case len(u.forms) > 0 && tuning.Form > 0:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight * (1 - tuning.Form)})
		of.any = t.put(of.any, index.Term{Words: append([]string{u.whole}, u.forms...), Weight: u.weight * tuning.Form})
	default:
		of.any = t.put(of.any, index.Term{Words: []string{u.whole}, Weight: u.weight, Required: u.phrase})
	}
}

// put adds a term and its number to those of a unit.
func (t *terms) put(numbers []int, term index.Term) []int {
	if at, ok := t.add(term); ok {
		numbers = append(numbers, at)
	}
	return numbers
}

// add adds a term unless it is there or there are too many.
func (t *terms) add(term index.Term) (at int, ok bool) {
	for at := range t.list {
		if slices.Equal(t.list[at].Words, term.Words) {
			t.list[at].Weight = max(t.list[at].Weight, term.Weight)
			t.list[at].Required = t.list[at].Required || term.Required
			return at, true
		}
	}
	if len(t.list) == maxTerms || len(term.Words) == 0 || term.Words[0] == "" {
		return 0, false
	}
	t.list = append(t.list, term)
	return len(t.list) - 1, true
}
