// Package treesitter finds declarations with the grammars of tree-sitter, compiled to WebAssembly
// and run by wazero. A grammar covers all of a language, so it decides texts about which an outline
// scanner is unsure. Languages without a scanner, like Lua and Dart, are read by a grammar alone;
// Parser.Definitions describes their files. The package needs no cgo.
//
// [New] returns a [Parser], which implements source.Parser and source.Checker. The first use of a
// grammar compiles it to machine code. That takes up to some seconds, or less than 0.1 s if
// Options.CacheDir holds the result of an earlier run. A query, queries/<language>.scm, defines the
// declarations of a language; its captures are named after the kinds of chunks.
//
// A text is parsed in the linear memory of an instance of the grammar. The parser holds a bounded
// number of instances. If a text needs more memory or time than the limits, its instance is
// discarded and its Parse returns an error; other texts are not affected.
//
// wazero compiles for amd64 and arm64 only. On other architectures [Parser.Languages] is empty.
package treesitter
