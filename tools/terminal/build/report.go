package build

import (
	"strings"
	"unicode/utf8"
)

const (
	// maxEach bounds how many errors and how many warnings are kept.
	maxEach = 500
	// maxMessage bounds a message, in bytes.
	maxMessage = 2000
	// maxName bounds the names of files and codes, in bytes.
	maxName = 1024
)

// report collects the problems of a build.
type report struct {
	names   *names
	system  System
	entries []*entry
	counts  map[Severity]int
	seen    map[Problem]*entry
	omitted int
	tests   testCount

	last *entry // notes belong to it; never nil
}

type entry struct {
	Problem
	consequence bool // the problem only reports another failure
	repeated    bool // the lines that follow are repeated too
}

func newReport(s System, dir, root string, exists func(string) bool) *report {
	return &report{
		system: s, names: newNames(dir, root, exists),
		counts: map[Severity]int{}, seen: map[Problem]*entry{}, last: &entry{repeated: true},
	}
}

// add files a problem.
func (r *report) add(p Problem, consequence bool) {
	p.Message = clean(p.Message, maxMessage)
	p.Code = clean(p.Code, 200)
	p.File = clean(r.names.of(p.File), maxName)
	p.Line, p.Column, p.EndLine, p.EndColumn = max(p.Line, 0), max(p.Column, 0), max(p.EndLine, 0), max(p.EndColumn, 0)
	if p.Severity == "" {
		p.Severity = Error
	}
	e := &entry{Problem: p, consequence: consequence}
	key := p
	key.Source = ""
	switch known := r.seen[key]; {
	case p.Message == "" && p.Code == "":
		e.repeated = true
	case known != nil:
		e.repeated = true
		known.consequence = known.consequence && consequence
	case r.counts[p.Severity] >= maxEach:
		e.repeated = true
		r.omitted++
	default:
		r.counts[p.Severity]++
		r.seen[key] = e
		r.entries = append(r.entries, e)
	}
	r.last = e
}

// located says whether a problem with a code and a place is known.
func (r *report) located(code string) bool {
	for _, e := range r.entries {
		if e.Code == code && e.File != "" {
			return true
		}
	}
	return false
}

// note puts a line to the last problem.
func (r *report) note(text string) {
	if e := r.last; !e.repeated {
		e.Message = clean(extend(e.Message, text), maxMessage)
	}
}

// extend adds a line to a message that may have one more.
func extend(message, text string) string {
	text = strings.TrimRight(text, " \t")
	if text == "" || len(message) >= maxMessage {
		return message
	}
	if message == "" {
		return strings.TrimSpace(text)
	}
	return message + "\n" + text[:min(len(text), maxMessage)]
}

// clean makes a foreign text fit to be shown: valid, bounded, without controls.
func clean(text string, most int) string {
	text = cut(strings.TrimSpace(text), most)
	if !strings.ContainsFunc(text, unfit) {
		return text
	}
	text = strings.Map(func(r rune) rune {
		if r != utf8.RuneError && unfit(r) {
			return -1
		}
		return r // Map writes U+FFFD for invalid UTF-8, which is longer
	}, text)
	return cut(strings.TrimSpace(text), most)
}

// cut shortens a text between characters.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	return text[:most] + "…"
}

func unfit(r rune) bool {
	return r < 0x20 && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 || r == utf8.RuneError
}

func (r *report) problems() []Problem {
	known := false
	for _, e := range r.entries {
		known = known || !e.consequence && e.Severity == Error
	}
	all := make([]Problem, 0, len(r.entries))
	for _, e := range r.entries {
		if !known || !e.consequence {
			all = append(all, e.Problem)
		}
	}
	return all
}
