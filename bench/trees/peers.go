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

	"github.com/dougu-go/dougu/tools/chunking/parse"
)

// peer reads a language with its grammar as C.
type peer struct {
	language parse.Language
	grammar  *sitter.Language
	query    string // what finds functions and types
}

func peers() []peer {
	const script = `(function_declaration) @f (method_definition) @f (class_declaration) @f (arrow_function) @f`
	return []peer{
		{parse.Go, golang.GetLanguage(), `(function_declaration) @f (method_declaration) @f (type_spec) @f`},
		{parse.Swift, swift.GetLanguage(), `(function_declaration) @f (init_declaration) @f (class_declaration) @f (protocol_declaration) @f`},
		{parse.Kotlin, kotlin.GetLanguage(), `(function_declaration) @f (class_declaration) @f (object_declaration) @f`},
		{parse.Java, java.GetLanguage(), `(method_declaration) @f (constructor_declaration) @f (class_declaration) @f (interface_declaration) @f`},
		{parse.JavaScript, javascript.GetLanguage(), script},
		{parse.TypeScript, typescript.GetLanguage(), script},
		{parse.TSX, tsx.GetLanguage(), script},
		{parse.Python, python.GetLanguage(), `(function_definition) @f (class_definition) @f`},
		{parse.Rust, rust.GetLanguage(), `(function_item) @f (struct_item) @f (enum_item) @f (impl_item) @f`},
		{parse.Ruby, ruby.GetLanguage(), `(method) @f (class) @f (module) @f`},
		{parse.PHP, php.GetLanguage(), `(function_definition) @f (method_declaration) @f (class_declaration) @f`},
		{parse.CPP, cpp.GetLanguage(), `(function_definition) @f (class_specifier) @f (struct_specifier) @f`},
		{parse.C, c.GetLanguage(), `(function_definition) @f (struct_specifier) @f`},
		{parse.CSharp, csharp.GetLanguage(), `(method_declaration) @f (class_declaration) @f (struct_declaration) @f`},
		{parse.Scala, scala.GetLanguage(), `(function_definition) @f (class_definition) @f (object_definition) @f`},
	}
}

// reader is a function that parses a text and visits what the query finds. The
// query is made once, as a program that reads many files would.
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
