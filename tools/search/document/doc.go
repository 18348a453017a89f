// Package document cuts files into the pieces that a search finds: code into its
// declarations, documents into their sections, everything else into parts of a
// bounded size.
//
// [Cut] takes the content of one file and answers with what an index is told of it.
//
// Code is read by the parsers of package parse. Each function, method and type is a
// piece, without what is a piece within it; a function or type within a function is
// one from 10 lines on, a method without a body from 8. Small constants, variables,
// macros and prototypes that stand together are one piece, whose Name is theirs joined
// by ", ". The only function in an entry of a table ('sort': { fn: function … }) has the
// name of the entry. What is left of a file is a piece of the kind "file", with the
// documentation of the file. Comments right in front of something belong to it.
//
// Sections of Markdown, reStructuredText, AsciiDoc, Org, LaTeX, manual pages and HTML
// are pieces of the kind "section", named by their heading, as are tables of TOML and
// the outermost keys of long YAML. In languages that no parser knows, declarations are
// found by how their lines begin. Of files that a person hardly wrote
// (data, minified code) the first 128 KiB are pieces. A PDF file is binary.
//
// A piece with more than 200 lines or 16 KiB of its own is cut into several with the
// same name; sections from 120 lines on, plain text from 80.
package document
