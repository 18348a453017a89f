package chunking

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// checkGrammar refuses a change that brings a syntax error into the file. The scanners that list declarations do not see errors
// in bodies, so it asks the source.Checker of the language. It ignores errors that the file already had. r.unchecked names the part
// that was not checked, and the reason.
func (r *replacing) checkGrammar(ctx context.Context, old []byte) error {
	parsers := r.chunks.options.Parsers
	after, parserName, err := parsers.Check(ctx, r.src, r.lang)
	if err == nil && len(after) == 0 {
		r.checkedBy = parserName
		return nil
	}
	var before []source.Problem
	if err == nil {
		before, _, err = parsers.Check(ctx, old, r.lang)
	}
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		r.unchecked = firstLine(err.Error())
		return nil
	}
	first, isNew := firstNew(r.src, after, old, before)
	switch {
	case len(before) >= source.MaxProblems:
		r.unchecked = "the file had " + number(len(before)) + " syntax errors or more before"
	case isNew:
		return problem(codeDoesNotParse, "Correct that place in newCode. Nothing was changed."+grammarAdvice(r.lang), "with newCode the file no longer parses: %s", formatProblem(first))
	default:
		r.unchecked = "newCode, as the file had a syntax error before (" + formatProblem(after[0]) + ") that can hide others"
	}
	return nil
}

// firstNew returns the first new problem: the text of its line had no problem before. An
// error that has moved to a line with an equal text, for example "}", counts as old.
func firstNew(src []byte, after []source.Problem, old []byte, before []source.Problem) (first source.Problem, ok bool) {
	known := problemLines(old, before)
	for i, line := range problemLines(src, after) {
		at := slices.Index(known, line)
		if at < 0 {
			return after[i], true
		}
		known = slices.Delete(known, at, at+1)
	}
	return source.Problem{}, false
}

// problemLines returns the texts of the lines of problems, without indentation; "\n" for an unknown line.
func problemLines(src []byte, problems []source.Problem) []string {
	all := bytes.Split(src, []byte("\n"))
	lines := make([]string, len(problems))
	for i, p := range problems {
		lines[i] = "\n"
		if p.Line > 0 && int(p.Line) <= len(all) {
			lines[i] = strings.TrimSpace(string(all[p.Line-1]))
		}
	}
	return lines
}

func formatProblem(p source.Problem) string {
	if p.Line < 1 {
		return p.Message
	}
	return "line " + number(p.Line) + ": " + p.Message
}

// grammarAdvice returns a next step for correct code that the grammar refuses. Only the
// parser of Go supports every version of its language.
func grammarAdvice(lang source.Language) string {
	if lang == source.Go {
		return ""
	}
	return " If a compiler accepts it, the grammar is older than the language or a macro makes it correct: write it with a tool that edits text by line or by exact match."
}
