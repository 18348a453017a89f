// Package uses finds the uses of a declaration without a compiler.
//
// A [Finder] reads the texts of a [Project], and resolves each name that equals the name
// of the declaration: by imports, scopes, receivers and the types of variables, fields
// and results. It needs no build, no installed toolchain and no code outside the project.
//
// [Finder.Find] returns each use with its [Certainty]. A Resolved use means the
// declaration. A Possible use means a method that the declaration implements or
// overrides, or a variable that holds it, so the call may reach it. An Unresolved use has the same name, and the
// Finder does not know its target. Names with another target are only counted.
//
// Imports and exports can rename a declaration; Find follows the other names. It does not
// follow calls of a function value and calls by a string, and [Result] counts both.
//
// Types of code outside the project are unknown, except some generic functions of Go's
// standard library. All work is limited, so hostile texts cannot hang a Finder.
package uses
