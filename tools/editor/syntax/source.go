package syntax

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/source"
)

// FromSource returns a Parser of all languages of parsers, which the caller closes. Use builtin.Parsers with the option Precise:
// the scanners that it omits find no errors in the bodies of functions. A language that a parser adds is also checked by its
// source.Checker. Problems are doubtful except in Go: a grammar can be older
// than the language, and a preprocessor can turn text that it refuses into code.
func FromSource(parsers *source.Parsers) Parser { return sourceParser{parsers} }

// sourceParser implements Parser with source.Parsers.
type sourceParser struct{ parsers *source.Parsers }

func (p sourceParser) Knows(path string) bool {
	lang, ok := p.parsers.LanguageOf(path, nil)
	return ok && p.parsers.Supports(lang) && !p.parsers.IsData(lang)
}

func (p sourceParser) Parse(ctx context.Context, path, text string) ([]Problem, string, error) {
	src := []byte(text)
	lang, ok := p.parsers.LanguageOf(path, src)
	if !ok || p.parsers.IsData(lang) {
		return nil, "", adapter.ErrUnsupported
	}
	file, err := p.parsers.Parse(ctx, src, lang, source.Options{})
	switch {
	case errors.Is(err, source.ErrLanguage):
		return nil, "", adapter.ErrUnsupported
	case err != nil:
		return nil, "", fmt.Errorf("check the syntax of %s: %w", lang, err)
	}
	found, by := file.Problems, file.Parser
	if _, added := p.parsers.Definition(lang); added && len(found) == 0 {
		checked, checker, err := p.parsers.Check(ctx, src, lang)
		switch {
		case err == nil:
			found, by = checked, checker
		case !errors.Is(err, source.ErrUnchecked):
			return nil, "", fmt.Errorf("check the syntax of %s: %w", lang, err)
		}
	}
	problems := make([]Problem, len(found))
	for i, p := range found {
		problems[i] = Problem{Line: int(p.Line), Message: p.Message, Doubtful: lang != source.Go}
	}
	return problems, by, nil
}
