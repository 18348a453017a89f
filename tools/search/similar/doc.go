// Package similar finds code that resembles other code despite different names, layout
// and comments.
//
// Code is converted to tokens in which all identifiers are equal, as are all numbers
// and all strings. A selection of token sequences, made by content alone, gives the
// fingerprints ([Prints]) that an index stores for each piece. [Find] gets pieces with
// common fingerprints from the index, and [Compare] aligns their tokens. The score is
// from 0 to 1 and has the same meaning in all languages.
package similar
