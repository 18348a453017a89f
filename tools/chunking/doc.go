// Package chunking lets a coding agent read and change one function instead of a
// whole file.
//
// Its tools list the functions of a file, find one by a part of its name or
// signature, answer with exactly its text, replace it, search the symbols of a
// project, and draw a map of it within a budget of tokens. They know fifteen
// languages, Swift and Kotlin first; package parse and those below it find the
// declarations, package index keeps them up to date and on disk.
//
// A chunk has an id that stays the same when lines move: the path of the file,
// "#", and the path of the declaration in it, such as
// Sources/Stack.swift#Stack.push(_:). Where an id is taken, a signature or a part
// of the path is understood as well, as long as it means one chunk; if it means
// several, the error names them.
//
// What is answered is read from the file at that moment. A chunk that has moved
// since it was indexed is found again, and the answer says so.
package chunking
