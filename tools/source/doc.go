// Package source finds the declarations in source text: functions, methods,
// types, properties, with their documentation, their container and their exact
// place.
//
// A [Parser] reads the text of one file in one [Language] and answers with a
// [File] of [Chunk] values. Several parsers may know a language; [Parsers] asks
// them in order and takes the first that is sure of what it read, so that a fast
// scanner goes first and a grammar has the last word. The packages below this
// one hold the parsers: golang (go/parser), outline (scanners written for speed),
// treesitter (grammars as WebAssembly) and sourcekitten (an external program).
// Package builtin puts them together. Anything that implements Parser takes its
// place beside them.
//
// Positions are bytes from the start of the text, lines count from 1 and end
// with a line feed. Parsers work on the bytes as they are in the file: ASCII
// must be itself in its encoding (UTF-8, Shift-JIS, Latin-1, not UTF-16).
package source
