package queries

import (
	"math"
	"slices"
)

// Answers are what answers a query in a repository, in whatever units a search
// finds: pieces of files, or files. A unit may have several labels, and a label may
// be in several units: it counts for the first one that is found.
type Answers struct {
	labels []Label
	grades []int
	units  map[string][]int // the labels of each unit
}

// NewAnswers takes the units of each label of a query.
func NewAnswers(q *Query, units [][]string) Answers {
	a := Answers{labels: q.Relevant, units: map[string][]int{}}
	for i, l := range q.Relevant {
		a.grades = append(a.grades, l.Grade)
		for _, u := range units[i] {
			if !slices.Contains(a.units[u], i) {
				a.units[u] = append(a.units[u], i)
			}
		}
	}
	return a
}

// Depth is how many of the first results count.
const Depth = 10

// NDCG is the normalised discounted cumulative gain of the first ten units that a
// search found, best first: the sum of 2^grade-1, each divided by the logarithm of
// its rank, as a part of the greatest that there could be. A unit that was found
// before, or whose labels were, counts nothing and takes a place.
func (a Answers) NDCG(found []string) float64 {
	ideal := a.ideal()
	if ideal == 0 {
		return 0
	}
	sum, counted := 0.0, make([]bool, len(a.grades))
	for rank, unit := range found[:min(len(found), Depth)] {
		sum += a.take(unit, counted) / discount(rank)
	}
	return min(sum/ideal, 1)
}

// Grade is the best one of the labels of a unit, or 0.
func (a Answers) Grade(unit string) int {
	best := 0
	for _, l := range a.units[unit] {
		best = max(best, a.grades[l])
	}
	return best
}

// take counts the labels of a unit and returns the gain of the best one.
func (a Answers) take(unit string, counted []bool) float64 {
	best := 0
	for _, l := range a.units[unit] {
		if !counted[l] {
			best = max(best, a.grades[l])
			counted[l] = true
		}
	}
	return math.Exp2(float64(best)) - 1
}

// ideal is the sum for the best order: always the unit with the most to gain next,
// of those the one that uses up the fewest labels.
func (a Answers) ideal() float64 {
	sum, counted := 0.0, make([]bool, len(a.grades))
	for rank := range Depth {
		next, best, uses := "", 0, 0
		for unit, labels := range a.units {
			grade, free := 0, 0
			for _, l := range labels {
				if !counted[l] {
					grade, free = max(grade, a.grades[l]), free+1
				}
			}
			if grade > best || grade == best && grade > 0 && (free < uses || free == uses && unit < next) {
				next, best, uses = unit, grade, free
			}
		}
		if best == 0 {
			break
		}
		sum += a.take(next, counted) / discount(rank)
	}
	return sum
}

func discount(rank int) float64 { return math.Log2(float64(rank) + 2) }

// Missed are the labels that are not in the first ten units.
func (a Answers) Missed(found []string) []Label {
	counted := make([]bool, len(a.grades))
	for _, unit := range found[:min(len(found), Depth)] {
		a.take(unit, counted)
	}
	var missed []Label
	for i, done := range counted {
		if !done {
			missed = append(missed, a.labels[i])
		}
	}
	return missed
}
