package treesitter

import (
	"cmp"
	"embed"
	"slices"

	"github.com/dougu-go/dougu/tools/source"
)

// files has the compiled grammars and the queries.
//
//go:embed grammars/*.wasm.gz queries/*.scm
var files embed.FS

// grammar describes one language. The compiled grammar is grammars/<language>.wasm.gz. The query is
// queries/<language>.scm, or the file named by the field query.
type grammar struct {
	language source.Language
	query    source.Language // if the query is that of another language
	file     string          // the name of the files, if it is not that of the language

	// added describes a language that package source does not know. Its field Language is not set.
	added *source.Definition

	// mask returns a text of the same length that the grammar reads in place of src, with blanks for what it cannot read. It does
	// not change src. Offsets and names of chunks are those of src.
	mask func(src []byte) []byte

	// isAttribute reports whether the text of an @attribute capture describes what follows it. nil stands for true.
	isAttribute func(text []byte) bool

	// isCall reports whether a called name is a function and not syntax of the language. nil stands for true.
	isCall func(name string) bool

	// joined says that consecutive functions with one name, with only blanks and comments between them, are one chunk: the
	// signature and the equations of a function.
	joined bool

	// requires are the names that @require may have; nil stands for "require".
	requires []string

	// labels makes Chunk.Labels of the texts of the @parameters captures, in the
	// order of their place. It is called for chunks that have some; nil leaves the
	// labels empty.
	labels func(parameters [][]byte) string

	// adjust corrects a chunk where a query is not expressive enough; false drops the chunk. Kind,
	// Name, Labels, Decl, Sig, Ident, Body and End are set, and Container only if a capture set it.
	// Nesting is not known yet.
	adjust func(src []byte, c *source.Chunk) bool

	// plainComments says that comments are no documentation.
	plainComments bool

	// outermost says that a captured container counts only where no chunk is
	// around.
	outermost bool

	// imported is the path in the text of an @import capture that holds more than
	// the path; "" if nothing is imported there. nil takes the text as it is.
	imported func(text string) string
}

// name returns the name of the compiled grammar without its ending.
func (g *grammar) name() string { return cmp.Or(g.file, string(g.language)) }

// queryName returns the name of the query without its ending.
func (g *grammar) queryName() string { return cmp.Or(string(g.query), g.name()) }

// isRequire reports whether a function with this name imports the file that its argument names.
func (g *grammar) isRequire(name string) bool {
	if g.requires == nil {
		return name == "require"
	}
	return slices.Contains(g.requires, name)
}

// masked returns the text that the grammar reads in place of src. It has the same length.
func (g *grammar) masked(src []byte) []byte {
	if g.mask == nil {
		return src
	}
	if masked := g.mask(src); len(masked) == len(src) {
		return masked
	}
	return src
}

// grammars lists all languages.
func grammars() []grammar {
	return []grammar{
		swiftGrammar(), kotlinGrammar(), goGrammar(), typescriptGrammar(), tsxGrammar(), javascriptGrammar(), pythonGrammar(), javaGrammar(),
		rustGrammar(), cGrammar(), cppGrammar(), csharpGrammar(), rubyGrammar(), phpGrammar(), scalaGrammar(),
		objcGrammar(), dartGrammar(), luaGrammar(), bashGrammar(), sqlGrammar(), elixirGrammar(), zigGrammar(), haskellGrammar(), ocamlGrammar(),
		ocamlInterfaceGrammar(), juliaGrammar(), perlGrammar(), hclGrammar(), cssGrammar(), htmlGrammar(), markdownGrammar(), jsonGrammar(),
		yamlGrammar(), tomlGrammar(),
	}
}

// The captures of a query.
//
// A declaration's node is captured under the name of its kind (@function,
// @class, …; source.Kind), its name as @name; without both a pattern declares
// nothing. A @function directly in a type becomes a method, a @variable or
// @constant a property; a value in a callable chunk or within a value is local
// and dropped. Two names under one node by one pattern are two chunks; if
// several patterns match a node, the last one in the file counts, so the general
// patterns come first.
//
//	@body        the beginning of the body: its node, or the "=" or "=>" before it; a body
//	             behind the declaration's node belongs to the declaration
//	@container   the type that a declaration outside of it belongs to
//	@outer       a wider node that is the range of the declaration; if several
//	             share it, the first begins with it and the others keep their own.
//	             In a pattern with @inner and no kind: the range of the declaration there
//	@attribute   in a pattern of its own: left out of the signature of the
//	             declaration that begins with it, or part of the one right after it;
//	             in a declaration's pattern the same for that one
//	@parameters  the argument of grammar.labels
//	@local       a node whose values are local though no chunk (a block, a closure)
//	@anonymous   a node that is a type without a name, as the body of an object
//	             expression: functions in it become methods, values properties
//	@require     with @import: a name that must be "require", or one of grammar.requires
//	@import      the path of an import, whose quotes are stripped
//	@call        the name of the called function, in a pattern of its own
//	@comment     a comment; documentation is found from all of them
//
// Predicates (#eq? …) are not evaluated.
