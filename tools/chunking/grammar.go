package chunking

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"github.com/dougu-go/dougu/tools/source"
)

// checkGrammar refuses a change that brings a syntax error into the file; see Chunks.checkSyntax.
func (r *replacing) checkGrammar(ctx context.Context, old []byte) (err error) {
	r.checkedBy, r.unchecked, err = r.chunks.checkSyntax(ctx, old, r.src, r.lang)
	return err
}

// checkSyntax refuses a new content of a file with a syntax error that the old content does not have. The scanners that list
// declarations do not see errors in bodies, so it asks the source.Checker of the language. checkedBy is the parser that found no
// error. unchecked names the part that was not checked, and the reason.
func (c *Chunks) checkSyntax(ctx context.Context, old, src []byte, lang source.Language) (checkedBy, unchecked string, err error) {
	parsers := c.options.Parsers
	after, parserName, err := parsers.Check(ctx, src, lang)
	if err == nil && len(after) == 0 {
		return parserName, "", nil
	}
	var before []source.Problem
	if err == nil {
		before, _, err = parsers.Check(ctx, old, lang)
	}
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "", firstLine(err.Error()), nil
	}
	first, isNew := firstNew(src, after, old, before)
	switch {
	case len(before) >= source.MaxProblems:
		return "", "the file had " + number(len(before)) + " syntax errors or more before", nil
	case isNew:
		return "", "", problem(codeDoesNotParse, "Correct that place in the new code. Nothing was changed."+grammarAdvice(lang), "with the new code the file no longer parses: %s", formatProblem(first))
	}
	return "", "the new code, as the file had a syntax error before (" + formatProblem(after[0]) + ") that can hide others", nil
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
