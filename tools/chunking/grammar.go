package chunking

import (
	"context"

	"github.com/dougu-go/dougu/tools/internal/syntaxdiff"
	"github.com/dougu-go/dougu/tools/source"
)

// checkGrammar refuses a change that brings a syntax error into the file; see Chunks.checkSyntax.
func (r *replacing) checkGrammar(ctx context.Context, found chunk) (err error) {
	change := syntaxdiff.Change{Before: found.src, After: r.src}
	if c := found.get(); c.Kind.IsCallable() {
		change.Start, change.End = int(c.Start), int(c.End)
	}
	r.checkedBy, r.unchecked, r.newErrors, err = r.chunks.checkSyntax(ctx, r.lang, change, r.args.AllowErrors)
	return err
}

// checkSyntax refuses a new content of a file with a syntax error that the old content does not have. With allowErrors, newErrors are
// these errors instead. checkedBy is the parser that has read the whole change. unchecked is the reason why an error can be missing.
func (c *Chunks) checkSyntax(ctx context.Context, lang source.Language, change syntaxdiff.Change, allowErrors bool) (checkedBy, unchecked string, newErrors []source.Problem, err error) {
	r, err := syntaxdiff.Compare(ctx, c.options.Parsers, lang, change)
	if err != nil {
		return "", "", nil, err
	}
	if len(r.Added) > 0 && !allowErrors {
		next := "Correct that place in the new code, or set allowErrors. Nothing was changed."
		return "", "", nil, problem(codeDoesNotParse, next+grammarAdvice(lang), "with the new code the file no longer parses: %s", syntaxdiff.Format(r.Added[0]))
	}
	return r.Parser, r.Unchecked, r.Added, nil
}

// grammarAdvice returns the reason why a grammar can refuse correct code. Only the parser of Go supports every version of its language.
func grammarAdvice(lang source.Language) string {
	if lang == source.Go {
		return ""
	}
	return " A grammar can refuse a macro and syntax that is newer than it."
}
