// Package sourcekitten parses Swift with SourceKitten, an external program that uses the compiler's
// own SourceKit (https://github.com/jpsim/SourceKitten).
//
// It is for machines with a Swift toolchain, if the compiler is to decide about declarations. A
// [Parser] starts SourceKitten once for each text, which takes several tenths of a second a file.
// The result lacks accessors and the declarations of operators.
package sourcekitten
