// Package document splits files into pieces, the units that a search index stores and finds: code into declarations, documents
// into sections, other text into parts of limited size.
//
// [Cut] takes the content of one file and returns an [index.File] with its pieces. It has no state and is safe for concurrent
// use.
//
// Code is parsed by the parsers of package source. Each function, method and type is a piece. A function or type inside of
// another one is a separate piece if it has at least 10 lines, and is then left out of the outer piece. For a method without a body
// (abstract, in an interface) 8 lines are enough. Adjacent small constants, variables, macros and prototypes form one piece, named by
// their names joined with ", ". In a table of functions ('sort': { fn: function … }) an entry with one function is a piece named
// by its key, here sort. The rest of a file is a piece of kind "file"
// with the file's documentation. Comments directly above a declaration belong to it.
//
// Sections of Markdown, reStructuredText, AsciiDoc, Org, LaTeX, manual pages and HTML are pieces of kind "section", named by
// their headings; so are tables of TOML and top-level keys of long YAML files. In languages without a parser, declarations are
// recognized by the first words of unindented lines. Of data files and minified code only the first 128 KiB are indexed; all
// other files are indexed up to Options.MaxText. PDF files are binary.
//
// A piece with more than 200 lines or 16 KiB of own text is split into several pieces with the same name; sections from 120
// lines on, plain text from 80.
package document
