package chunking

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// checkGrammar refuses a change that brings a syntax error into the file. The scanners that list declarations do not see errors
// in bodies, so it asks the parse.Checker of the language. Errors that the file had before count as little as code that the
// grammar does not know. Where nothing was checked, r.unchecked says why.
func (r *replacing) checkGrammar(ctx context.Context, old []byte) error {
	parsers := r.chunks.options.Parsers
	now, by, err := parsers.Check(ctx, r.src, r.lang)
	if err == nil && len(now) == 0 {
		r.checkedBy = by
		return nil
	}
	var before []parse.Problem
	if err == nil {
		before, _, err = parsers.Check(ctx, old, r.lang)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, parse.ErrUnchecked):
		r.unchecked = err.Error()
		return nil
	case err != nil:
		r.unchecked = firstLine(err.Error())
		return nil
	}
	first, isNew := firstNew(r.src, now, old, before)
	switch {
	case len(before) >= parse.MaxProblems:
		r.unchecked = "the file had " + number(len(before)) + " syntax errors or more before"
	case isNew:
		return problem(codeDoesNotParse, "Correct that place in newCode. Nothing was changed."+macroAdvice(r.lang), "with newCode the file does not parse any more: %s", sayProblem(first))
	default:
		r.checkedBy = by
		r.unchecked = "the syntax error that the file had before (" + sayProblem(now[0]) + ") and the code that belongs to it"
	}
	return nil
}

// firstNew is the first problem of a text that its earlier version has not: one in a line that reads otherwise.
func firstNew(src []byte, now []parse.Problem, old []byte, before []parse.Problem) (first parse.Problem, ok bool) {
	known := problemLines(old, before)
	lines := problemLines(src, now)
	for i, line := range lines {
		at := slices.Index(known, line)
		if at < 0 {
			return now[i], true
		}
		known = slices.Delete(known, at, at+1)
	}
	return parse.Problem{}, false
}

// problemLines are the texts of the lines of problems, without indentation; "" for an unknown line.
func problemLines(src []byte, problems []parse.Problem) []string {
	all := bytes.Split(src, []byte("\n"))
	lines := make([]string, len(problems))
	for i, p := range problems {
		if p.Line > 0 && int(p.Line) <= len(all) {
			lines[i] = strings.TrimSpace(string(all[p.Line-1]))
		}
	}
	return lines
}

func sayProblem(p parse.Problem) string {
	if p.Line < 1 {
		return p.Message
	}
	return "line " + number(p.Line) + ": " + p.Message
}

// macroAdvice is a further step for languages in which a macro can turn text that a grammar refuses into code.
func macroAdvice(lang parse.Language) string {
	if lang != parse.C && lang != parse.CPP {
		return ""
	}
	return " If a macro makes it correct, write it with a tool that edits text by line or by exact match."
}
