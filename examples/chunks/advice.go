package main

import (
	"errors"
	"strings"
)

// explained is an error as a person reads it: in one line, with what to do.
func explained(err error) error {
	if err == nil || errors.As(err, new(*explanation)) {
		return err
	}
	text := err.Error()
	if several, ok := errors.AsType[interface {
		error
		WrappedErrors() []error
	}](err); ok {
		var all []string
		for _, one := range several.WrappedErrors() {
			all = append(all, sentence(one))
		}
		return &explanation{strings.Join(all, " "), err}
	}
	if next := nextStep(err); next != "" {
		text = strings.TrimSuffix(text, ".") + ". " + next
	}
	return &explanation{text, err}
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
	if advice, ok := errors.AsType[interface {
		error
		NextStep() string
	}](err); ok {
		next := advice.NextStep()
		if first, _, _ := strings.Cut(next, " "); first != "" && !strings.Contains(first, "_") { // the name of a tool stays as it is
			next = strings.ToUpper(next[:1]) + next[1:]
		}
		return next
	}
	return ""
}

// explanation is an error that says what to do.
type explanation struct {
	text string
	err  error
}

func (e *explanation) Error() string { return e.text }
func (e *explanation) Unwrap() error { return e.err }
