// Package sqlite keeps the index of package index, and the graph of package graph, in
// one SQLite database.
//
// [Open] returns a [DB]; [DB.Store] and [DB.Graph] are its views. The database is a
// cache of the source files: a damaged one, or one of another version, is recreated.
// Keep it in a directory that only this user can write. A database inside the project
// could come from its authors.
package sqlite
