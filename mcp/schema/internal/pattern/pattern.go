// Package pattern estimates the cost of regular expressions from untrusted schemas, before they are
// compiled or matched.
package pattern

import (
	"errors"
	"regexp/syntax"
)

// maxCost limits the cost of one expression. maxSteps limits the steps of one match.
const (
	maxCost  = 10_000
	maxSteps = 1 << 28
)

// MaxTotal limits the cost of all expressions of one schema.
const MaxTotal = 200_000

// errTooLarge is the error of an expression over maxCost.
var errTooLarge = errors.New("is too large")

// Cost estimates the length of the program of an expression. Counted repetitions make it longer
// than the text. Invalid RE2 syntax and a cost over the limit are errors.
func Cost(expression string) (int, error) {
	e, err := syntax.Parse(expression, syntax.Perl)
	if err != nil {
		return 0, err
	}
	cost := costOf(e)
	if cost > maxCost {
		return cost, errTooLarge
	}
	return cost, nil
}

// costOf returns the cost of a parsed expression.
func costOf(e *syntax.Regexp) int {
	cost := 1
	if e.Op == syntax.OpLiteral {
		cost = len(e.Rune)
	}
	for _, sub := range e.Sub {
		cost += costOf(sub)
	}
	if e.Op == syntax.OpRepeat {
		cost *= max(e.Min, e.Max, 1)
	}
	return min(cost, 1<<30)
}

// Affordable reports whether a text of this length may be matched against an expression of this
// cost, which is the maximum number of steps for each byte.
func Affordable(cost, length int) bool { return length <= maxSteps/max(cost, 1) }
