// Package treesitter finds declarations with the grammars of tree-sitter,
// compiled to WebAssembly and run by wazero: exact where a scanner is unsure, and
// without cgo.
//
// A grammar is compiled to machine code when it is first used, which takes up to
// some seconds, or less than a tenth of one if Options.CacheDir has it from
// before. What a language's declarations are is said by a query,
// queries/<language>.scm, whose captures bear the names of the kinds of chunks.
//
// A text is read within the linear memory of an instance of the grammar, of which
// the parser holds a bounded number. A text that takes more memory or time than a
// source file can need costs its instance, and its Parse is an error; nothing
// else is touched by it.
//
// wazero compiles for amd64 and arm64 alone; elsewhere [Parser.Languages] is
// empty.
package treesitter
