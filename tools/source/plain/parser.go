// Package plain finds declarations in languages whose syntax is read from a sequence of words, marks and brackets: Protocol Buffers,
// GraphQL schemas and operations, and R.
//
// A text is cut into tokens without comments. Each language reads the declarations from the tokens. An unknown statement is skipped
// to its end. Brackets without a partner and strings without an end are problems.
package plain

import (
	"context"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// The languages of the Parser.
const (
	protobuf source.Language = "proto"
	graphql  source.Language = "graphql"
	rlang    source.Language = "r"
)

// Parser implements source.Parser, source.Checker and source.Definer. The zero value is ready to use.
type Parser struct{}

// Name returns "plain".
func (Parser) Name() string { return "plain" }

// Languages returns the languages that the parser reads.
func (Parser) Languages() []source.Language { return []source.Language{protobuf, graphql, rlang} }

// Definitions implements source.Definer.
func (Parser) Definitions() []source.Definition {
	slashes := []source.Delimiters{{Open: "/*", Close: "*/"}}
	quotes := []source.Delimiters{{Open: `"`, Close: `"`}, {Open: "'", Close: "'"}}
	return []source.Definition{
		{
			Language: protobuf, Aliases: []string{"protobuf"}, Extensions: []string{".proto"},
			Signs: []string{"message ", "syntax = ", "repeated ", "rpc ", "returns (", "package ", " = 1;", "optional ", "service ", "oneof "},
			Syntax: source.Syntax{
				LineComments: []string{"//"}, BlockComments: slashes, Strings: quotes,
				Keywords: []string{"enum", "extend", "import", "map", "message", "oneof", "option", "optional", "package", "repeated", "required", "returns", "rpc", "service", "stream", "syntax"},
			},
		},
		{
			Language: graphql, Aliases: []string{"gql"}, Extensions: []string{".graphql", ".graphqls", ".gql"},
			Signs: []string{"type ", "input ", "scalar ", ": ID", "String!", "]!", "mutation ", "fragment ", "query ", " on "},
			Syntax: source.Syntax{
				LineComments: []string{"#"},
				Strings:      []source.Delimiters{{Open: `"""`, Close: `"""`, Raw: true}, {Open: `"`, Close: `"`}},
				Keywords:     []string{"directive", "enum", "extend", "fragment", "implements", "input", "interface", "mutation", "on", "query", "scalar", "schema", "subscription", "type", "union"},
			},
		},
		{
			Language: rlang, Aliases: []string{"rlang"}, Extensions: []string{".r"}, FileNames: []string{".Rprofile"}, Interpreters: []string{"Rscript"},
			Signs: []string{"<- ", "function(", "library(", "TRUE", "FALSE", "NULL", "%>%", "|> ", "c(", "data.frame"},
			Syntax: source.Syntax{
				LineComments: []string{"#"}, Strings: quotes,
				Keywords: []string{"break", "else", "FALSE", "for", "function", "if", "in", "Inf", "NA", "NaN", "next", "NULL", "repeat", "TRUE", "while"},
			},
		},
	}
}

// Parse implements source.Parser. Its errors are source.ErrLanguage and the error of ctx.
func (p Parser) Parse(ctx context.Context, src []byte, lang source.Language, o source.Options) (*source.File, error) {
	if !slices.Contains(p.Languages(), lang) {
		return nil, source.ErrLanguage
	}
	r := &reader{src: src, lang: lang, calls: o.Calls, out: source.NewBuilder(src, lang)}
	r.tokenize()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	switch lang {
	case protobuf:
		r.protobuf(len(r.tokens), -1, 0)
	case graphql:
		r.graphql()
	case rlang:
		r.rfile()
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return r.out.File(p.Name()), nil
}

// Check implements source.Checker: it finds brackets without a partner and strings without an end.
func (p Parser) Check(ctx context.Context, src []byte, lang source.Language) ([]source.Problem, error) {
	file, err := p.Parse(ctx, src, lang, source.Options{})
	if err != nil {
		return nil, err
	}
	return file.Problems, nil
}

// maxDepth is the number of declarations around a declaration. Deeper ones are not listed.
const maxDepth = 100
