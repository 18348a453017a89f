// Package pattern tells what regular expressions cost that come from elsewhere.
package pattern

import (
	"errors"
	"regexp/syntax"
)

// maxCost is the most that one expression may cost, maxSteps the most that one
// match may take.
const (
	maxCost  = 10_000
	maxSteps = 1 << 28
)

// MaxTotal is the most that the expressions of one schema may cost together.
const MaxTotal = 200_000

var errTooLarge = errors.New("is too large")

// Cost estimates the steps of the program that an expression becomes: counted
// repetitions make it much longer than its text. It is an error if the
// expression is not in RE2 syntax, or costs too much to be compiled.
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

// Affordable reports whether a text of the given length may be matched against
// an expression of the given cost: every byte may take as many steps.
func Affordable(cost, length int) bool { return length <= maxSteps/max(cost, 1) }
