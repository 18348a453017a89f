package edit

import "strings"

// Step says what was ignored to find a place. Exact is nothing; others can come together, as in Escapes|Indentation.
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

// steps has the name of each step, and what it ignores.
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

// Ignored says in words what was ignored, such as "trailing white space", and is empty for Exact.
func (s Step) Ignored() string {
	var parts []string
	for _, step := range steps {
		if s&step.step != 0 {
			parts = append(parts, step.ignored)
		}
	}
	return strings.Join(parts, " and ")
}
