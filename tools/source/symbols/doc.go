// Package symbols makes chunks of the symbols that a language server finds in a
// text (Language Server Protocol 3.17, textDocument/documentSymbol).
//
// A server names declarations with their extent and with the place of their name,
// and says nothing of comments, bodies, imports and calls. Where a comment, an
// attribute or a body is, the text tells; imports and calls are those of another
// parser. Symbols that do not fit the text give the word to the next parser.
package symbols
