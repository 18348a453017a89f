package main

import (
	"context"

	sitter "github.com/smacker/go-tree-sitter"
	"github.com/smacker/go-tree-sitter/c"
	"github.com/smacker/go-tree-sitter/cpp"
	"github.com/smacker/go-tree-sitter/csharp"
	"github.com/smacker/go-tree-sitter/golang"
	"github.com/smacker/go-tree-sitter/java"
	"github.com/smacker/go-tree-sitter/javascript"
	"github.com/smacker/go-tree-sitter/kotlin"
	"github.com/smacker/go-tree-sitter/php"
	"github.com/smacker/go-tree-sitter/python"
	"github.com/smacker/go-tree-sitter/ruby"
	"github.com/smacker/go-tree-sitter/rust"
	"github.com/smacker/go-tree-sitter/scala"
	"github.com/smacker/go-tree-sitter/swift"
	"github.com/smacker/go-tree-sitter/typescript/tsx"
	"github.com/smacker/go-tree-sitter/typescript/typescript"

	"github.com/dougu-go/dougu/tools/source"
)

// peer parses a language with its grammar in C.
type peer struct {
	language source.Language
	grammar  *sitter.Language
	query    string // query for functions and types
}

func peers() []peer {
	const script = `(function_declaration) @f (method_definition) @f (class_declaration) @f (arrow_function) @f`
	return []peer{
		{source.Go, golang.GetLanguage(), `(function_declaration) @f (method_declaration) @f (type_spec) @f`},
		{source.Swift, swift.GetLanguage(), `(function_declaration) @f (init_declaration) @f (class_declaration) @f (protocol_declaration) @f`},
		{source.Kotlin, kotlin.GetLanguage(), `(function_declaration) @f (class_declaration) @f (object_declaration) @f`},
		{source.Java, java.GetLanguage(), `(method_declaration) @f (constructor_declaration) @f (class_declaration) @f (interface_declaration) @f`},
		{source.JavaScript, javascript.GetLanguage(), script},
		{source.TypeScript, typescript.GetLanguage(), script},
		{source.TSX, tsx.GetLanguage(), script},
		{source.Python, python.GetLanguage(), `(function_definition) @f (class_definition) @f`},
		{source.Rust, rust.GetLanguage(), `(function_item) @f (struct_item) @f (enum_item) @f (impl_item) @f`},
		{source.Ruby, ruby.GetLanguage(), `(method) @f (class) @f (module) @f`},
		{source.PHP, php.GetLanguage(), `(function_definition) @f (method_declaration) @f (class_declaration) @f`},
		{source.CPP, cpp.GetLanguage(), `(function_definition) @f (class_specifier) @f (struct_specifier) @f`},
		{source.C, c.GetLanguage(), `(function_definition) @f (struct_specifier) @f`},
		{source.CSharp, csharp.GetLanguage(), `(method_declaration) @f (class_declaration) @f (struct_declaration) @f`},
		{source.Scala, scala.GetLanguage(), `(function_definition) @f (class_definition) @f (object_definition) @f`},
	}
}

// reader returns a function that parses a text and visits the matches of the query. The query is compiled once, as in a program
// that reads many files.
func (p peer) reader(ctx context.Context) (read func(src []byte) error, end func(), err error) {
	parser, cursor := sitter.NewParser(), sitter.NewQueryCursor()
	parser.SetLanguage(p.grammar)
	query, err := sitter.NewQuery([]byte(p.query), p.grammar)
	if err != nil {
		return nil, nil, err
	}
	end = func() { query.Close(); cursor.Close(); parser.Close() }
	return func(src []byte) error {
		tree, err := parser.ParseCtx(ctx, nil, src)
		if err != nil {
			return err
		}
		defer tree.Close()
		cursor.Exec(query, tree.RootNode())
		for {
			match, ok := cursor.NextMatch()
			if !ok {
				return nil
			}
			for _, capture := range match.Captures {
				_ = capture.Node.StartByte()
			}
		}
	}, end, nil
}
