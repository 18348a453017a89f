// Package document splits files into pieces, the units that a search index stores and finds: code into declarations, documents
// into sections, other text into parts of limited size.
//
// [Cut] takes the content of one file and returns an [index.File] with its pieces. It has no state and is safe for concurrent
// use.
//
// Code is parsed by the parsers of package source. Each function, method and type is a piece, without the pieces nested in it.
// A nested function or type is a separate piece from 10 lines on, a method without a body from 8 lines. Adjacent small
// constants, variables, macros and prototypes form one piece, named by their names joined with ", ". The only function in an
// entry of a table ('sort': { fn: function … }) is named by the key of the entry. The rest of a file is a piece of kind "file"
// with the file's documentation. Comments directly above a declaration belong to it.
//
// Sections of Markdown, reStructuredText, AsciiDoc, Org, LaTeX, manual pages and HTML are pieces of kind "section", named by
// their headings; so are tables of TOML and top-level keys of long YAML files. In languages without a parser, declarations are
// recognized by the first words of unindented lines. Data files and minified code are indexed up to 128 KiB. PDF files are
// binary.
//
// A piece with more than 200 lines or 16 KiB of own text is split into several pieces with the same name; sections from 120
// lines on, plain text from 80.
package document
