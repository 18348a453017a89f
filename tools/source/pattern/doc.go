// Package pattern finds and rewrites code by patterns that are written in the syntax of its language.
//
// [Compile] makes a [Pattern] of a text like "if err != nil { return $E }". It parses the text with
// the grammar of the language, alone and in the places where code of that language can stand, so a
// pattern may be an expression, a statement, a declaration, a member or a type. $NAME stands for
// one node, $_ for any one node, and $$$NAME or $$$ for any number of siblings. A name that stands
// twice must match equal code.
//
// [Pattern.Find] compares the syntax tree of a text with the pattern. White space, comments and
// trailing separators do not matter; all other tokens do. [ParseTemplate] makes a [Template], which
// writes new code from the captures of a match.
//
// Nothing here is semantic: a name is its text. Patterns and texts may be hostile: the size and
// depth of patterns and the steps of the comparison are limited.
package pattern
