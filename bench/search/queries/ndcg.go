package queries

import (
	"math"
	"slices"
)

// Answers are the correct results of a query in a repository, as units of a search: pieces of files, or files. A unit may have
// several labels. A label may be in several units and counts for the first one found.
type Answers struct {
	labels []Label
	grades []int
	units  map[string][]int // labels of each unit
}

// NewAnswers returns the answers of a query. units are the units of each label.
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

// Depth is the number of results that count.
const Depth = 10

// NDCG returns the normalized discounted cumulative gain of the first ten units found, best first: the sum of
// (2^grade-1)/log2(rank+1), divided by the sum of the ideal order. A unit that was found before, or whose labels were, has no gain
// but takes a rank.
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

// Grade returns the highest grade of a unit's labels, or 0.
func (a Answers) Grade(unit string) int {
	best := 0
	for _, l := range a.units[unit] {
		best = max(best, a.grades[l])
	}
	return best
}

// take marks the labels of a unit as counted and returns the gain of the best one.
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

// ideal returns the sum for the ideal order: always the unit with the highest gain, and among equal ones the unit with the fewest
// labels.
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

// Missed returns the labels that are not in the first ten units.
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
