package chunking

import (
	"context"

	"github.com/dougu-go/dougu/tools/internal/syntaxdiff"
	"github.com/dougu-go/dougu/tools/source"
)

// checkGrammar refuses a change that brings a syntax error into the file, unless the caller allows errors.
func (r *replacing) checkGrammar(ctx context.Context, found chunk) error {
	change := syntaxdiff.Change{Before: found.src, After: r.text}
	if c := found.get(); c.Kind.IsCallable() {
		change.Start, change.End = int(c.Start), int(c.End)
	}
	compared, err := syntaxdiff.Compare(ctx, r.chunks.options.Parsers, r.lang, change)
	if err != nil {
		return err
	}
	r.checkedBy, r.unchecked, r.newErrors = compared.Parser, compared.Unchecked, compared.Added
	if r.args.AllowErrors {
		return nil
	}
	return newErrors(compared, r.lang, correctOrAllow)
}

// correctOrAllow is the advice of the refusal of a new syntax error.
const correctOrAllow = "Correct that place in the new code, or set allowErrors. Nothing was changed."

// newErrors returns the refusal of a change that adds a syntax error; nil if it adds none. next is the advice of the refusal.
func newErrors(r syntaxdiff.Result, lang source.Language, next string) error {
	if len(r.Added) == 0 {
		return nil
	}
	return problem(codeDoesNotParse, next+grammarAdvice(lang), "with the new code the file no longer parses: %s", syntaxdiff.Format(r.Added[0]))
}

// grammarAdvice returns the reason why a grammar can refuse correct code. Only the parser of Go supports every version of its language.
func grammarAdvice(lang source.Language) string {
	if lang == source.Go {
		return ""
	}
	return " A grammar can refuse a macro and syntax that is newer than it."
}

// newErrorNotes describes the first syntax errors that a change adds. path names the file and ends with a space, or is empty.
func newErrorNotes(path string, errs []ParseError) []string {
	var notes []string
	for _, e := range errs[:min(len(errs), maxCandidates)] {
		notes = append(notes, "[new syntax error, "+path+syntaxdiff.Format(source.Problem(e))+"]")
	}
	return notes
}
