// Package source finds the declarations in source text: functions, methods, types and properties,
// with their documentation, container and exact offsets.
//
// A [Parser] reads the text of one file in one [Language] and returns a [File] of [Chunk] values.
// [Parsers] holds several parsers for each language and calls them in order. It returns the first
// result that a parser is sure of, so a fast scanner runs first and a complete grammar last. A text
// with unmatched brackets is parsed once more with the brackets that its indentation suggests.
//
// Parsers use a [Builder] to make a File: the Builder sorts chunks, counts lines and derives
// signatures and containers. The parsers are in the packages below this one: golang (go/parser),
// outline (fast scanners), treesitter (grammars as WebAssembly) and sourcekitten (an external
// program). Package builtin combines them. Any other implementation of Parser can be used beside
// them; if it adds a language, it is a [Definer] too, and package parsertest tests it.
//
// Offsets are bytes from the start of the text. Line numbers begin with 1, and a line ends with a
// line feed. The encoding of a text must represent ASCII characters by their own bytes: UTF-8,
// Shift-JIS and Latin-1 do, UTF-16 does not. Texts longer than [MaxSource] and binary texts are
// refused.
package source
