// Package chunking is a tool set with which a model reads and changes single functions
// instead of entire files.
//
// [Chunks] is the set. Its tools list the functions of a file, find and return one
// function, change it, search the symbols of a project, and draw a map of the project
// within a budget of tokens. Changes are edits within a chunk, whole functions, and
// chunks that are inserted, deleted, moved or renamed, and code that
// matches a pattern in its own syntax: each is checked by parsers before
// it is written, to all files or to none. Package tools/source and its parsers find the declarations
// in more than thirty languages; package index keeps them up to date.
//
// A chunk has an ID that does not depend on line numbers, for example
// Sources/Stack.swift#Stack.push(_:). It consists of the path of the file, "#", and the
// qualified name of the declaration. The tools also accept a signature or a part of the
// name if it identifies one chunk. Otherwise the error lists the candidates.
//
// Results contain the current content of the file. A chunk that moved since it was
// indexed is found again, and the result says so.
package chunking
