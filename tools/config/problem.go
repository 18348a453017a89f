package config

import (
	"fmt"
	"strings"

	"github.com/hashicorp/go-multierror"
)

// Problem is one thing that is wrong with one source of settings.
type Problem struct {
	// Source names the file, "environment variable X" or "flag -x".
	Source string
	// Position is the place in a file.
	Position Position
	// Key is the path of the setting, with the index of an element of a list as in
	// "tools.allowedTools[2]"; empty for the source as a whole.
	Key string
	// Received is the received value, shortened and masked; empty if it gives no information.
	Received string
	// Message describes the error or the allowed values, and the most similar valid name.
	Message string
	// Unusable is true if nothing in the file is used.
	Unusable bool
	// Consequence describes the value that is used instead.
	Consequence string
}

// Error implements error, on one line.
func (p *Problem) Error() string {
	var s strings.Builder
	s.WriteString(p.Source)
	if p.Position.Line > 0 {
		fmt.Fprintf(&s, ":%d:%d", p.Position.Line, p.Position.Column)
	}
	for _, part := range []string{p.Key, p.Received} {
		if part != "" {
			s.WriteString(": " + part)
		}
	}
	s.WriteString(": " + p.Message)
	if p.Consequence != "" {
		s.WriteString("; " + p.Consequence)
	}
	return s.String()
}

// mostProblems is how many problems of one source are named.
const mostProblems = 100

// problems are the problems of one source. Above a limit they are only counted, so that a hostile file does not fill the log.
type problems struct {
	list []*Problem
	more int
}

func (ps *problems) full() bool { return len(ps.list) >= mostProblems }

func (ps *problems) add(p *Problem) {
	if ps.full() {
		ps.more++
		return
	}
	ps.list = append(ps.list, p)
}

// all are the problems, with how many were not named.
func (ps *problems) all() []*Problem {
	if ps.more == 0 {
		return ps.list
	}
	last := &Problem{Source: ps.list[0].Source, Message: fmt.Sprintf("%d further problems are not named", ps.more)}
	return append(ps.list[:len(ps.list):len(ps.list)], last)
}

// joined are problems as one error, or nil: a *multierror.Error of *Problem.
func joined(list []*Problem) error {
	all := &multierror.Error{ErrorFormat: func(errs []error) string {
		lines := make([]string, len(errs))
		for i, err := range errs {
			lines[i] = err.Error()
		}
		return strings.Join(lines, "\n")
	}}
	for _, p := range list {
		all.Errors = append(all.Errors, p)
	}
	return all.ErrorOrNil()
}
