// Package symbols makes chunks of the symbols that a language server finds in a text (Language
// Server Protocol 3.17, textDocument/documentSymbol).
//
// A [Parser] calls Options.List for the symbols of a text. A server returns the ranges of
// declarations and of their names, without comments, bodies, imports and calls. The Parser finds
// comments, attributes and bodies in the text, and takes imports and calls from another parser. If
// the symbols do not match the text, Parse returns a *source.UnsureError, and the next parser is
// called.
package symbols
