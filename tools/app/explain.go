package app

import (
	"errors"
	"strings"
)

// Explain is an error as a person reads it, with what to do: in one line, or of
// several in one line each.
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

func sentence(err error) string {
	text := strings.TrimSuffix(err.Error(), ".") + "."
	if next := nextStep(err); next != "" {
		text += " " + next
	}
	return text
}

// nextStep is what an error recommends, or empty.
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
