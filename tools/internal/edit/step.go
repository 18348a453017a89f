package edit

import "strings"

// Step is the set of differences that were ignored to find a match. Exact is the empty set. Steps can be combined, for example
// Escapes|Indentation.
type Step uint8

// The steps. LineEnds is not told beside a later step, nor TrailingSpace beside Indentation and Punctuation.
const (
	LineEnds Step = 1 << iota
	TrailingSpace
	Indentation
	Escapes
	Punctuation
	LineNumbers

	Exact Step = 0
)

// steps has the name of each step and the description of the ignored differences.
var steps = [...]struct {
	step          Step
	name, ignored string
}{
	{LineNumbers, "line-numbers", "line numbers"},
	{Escapes, "escapes", "escapes"},
	{Punctuation, "punctuation", "the kind of punctuation"},
	{Indentation, "indentation", "indentation"},
	{TrailingSpace, "trailing-space", "trailing white space"},
	{LineEnds, "line-ends", "line ends"},
}

// String names the step: exact, line-ends, trailing-space, indentation, escapes, punctuation or line-numbers, or several
// of them joined by a plus sign.
func (s Step) String() string {
	var names []string
	for _, step := range steps {
		if s&step.step != 0 {
			names = append(names, step.name)
		}
	}
	if len(names) == 0 {
		return "exact"
	}
	return strings.Join(names, "+")
}

// Ignored describes the ignored differences, for example "trailing white space". It is "" for Exact.
func (s Step) Ignored() string {
	var parts []string
	for _, step := range steps {
		if s&step.step != 0 {
			parts = append(parts, step.ignored)
		}
	}
	return strings.Join(parts, " and ")
}
