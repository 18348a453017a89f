// Package sourcekitten reads Swift with SourceKitten, an external program that
// asks the compiler's own SourceKit (https://github.com/jpsim/SourceKitten).
//
// It is for machines on which a Swift toolchain is installed anyway and for which
// the compiler shall have the word. SourceKit starts anew for each text, so that a
// file takes a good part of a second. It names what declares something, but no
// accessors and no operators' declarations.
package sourcekitten
