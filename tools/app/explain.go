package app

import (
	"errors"
	"strings"
)

// Explain formats an error for a person, with the next step that the error recommends
// (method NextStep). Several joined errors become one line each.
func Explain(err error) string {
	if nextStep(err) == "" {
		return err.Error()
	}
	several, ok := errors.AsType[interface {
		error
		WrappedErrors() []error
	}](err)
	if !ok {
		return sentence(err)
	}
	var all []string
	for _, one := range several.WrappedErrors() {
		all = append(all, sentence(one))
	}
	return strings.Join(all, "\n")
}

// sentence formats one error and its next step.
func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".") + "."
	if next := nextStep(err); next != "" {
		text += " " + next
	}
	return text
}

// nextStep returns the recommendation of an error with its first letter capitalized, or "".
// A tool name at the beginning stays unchanged.
func nextStep(err error) string {
	advice, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err)
	if !ok {
		return ""
	}
	next := advice.NextStep()
	if first, _, _ := strings.Cut(next, " "); first != "" && !strings.Contains(first, "_") { // the name of a tool stays as it is
		next = strings.ToUpper(next[:1]) + next[1:]
	}
	return next
}
