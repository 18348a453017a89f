// Package syntaxcheck lets the editor tools look at the syntax of code with the parsers of package parse.
package syntaxcheck

import (
	"context"
	"errors"
	"fmt"

	"github.com/dougu-go/dougu/tools/editor/adapter"
	"github.com/dougu-go/dougu/tools/editor/syntax"
	"github.com/dougu-go/dougu/tools/source"
	"github.com/dougu-go/dougu/tools/source/builtin"
)

// Grammars implements syntax.Parser with go/parser and the grammars of tree-sitter.
type Grammars struct{ parsers *source.Parsers }

var _ syntax.Parser = (*Grammars)(nil)

// New makes Grammars. cacheDir is where compiled grammars are kept; empty keeps none. Close releases them.
func New(cacheDir string) *Grammars {
	return &Grammars{builtin.Parsers(builtin.Options{CacheDir: cacheDir, Precise: true})}
}

// Close releases the grammars.
func (g *Grammars) Close() error { return g.parsers.Close() }

// Knows implements syntax.Parser.
func (g *Grammars) Knows(path string) bool {
	lang, ok := g.parsers.LanguageOf(path, nil)
	return ok && g.parsers.Supports(lang)
}

// Parse implements syntax.Parser. The problems that a grammar of tree-sitter finds are doubtful: the language may be newer than
// the grammar, and a preprocessor can turn text that it refuses into code.
func (g *Grammars) Parse(ctx context.Context, path, text string) ([]syntax.Problem, string, error) {
	src := []byte(text)
	lang, ok := g.parsers.LanguageOf(path, src)
	if !ok {
		return nil, "", adapter.ErrUnsupported
	}
	file, err := g.parsers.Parse(ctx, src, lang, source.Options{})
	switch {
	case errors.Is(err, source.ErrLanguage):
		return nil, "", adapter.ErrUnsupported
	case err != nil:
		return nil, "", fmt.Errorf("its syntax could not be looked at: %w", err)
	}
	problems := make([]syntax.Problem, len(file.Problems))
	for i, p := range file.Problems {
		problems[i] = syntax.Problem{Line: int(p.Line), Message: p.Message, Doubtful: lang != source.Go}
	}
	return problems, file.Parser, nil
}
