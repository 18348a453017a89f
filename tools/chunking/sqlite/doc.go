// Package sqlite keeps the index of package index, and the graph of package
// graph, in one SQLite database.
//
// Everything in it can be had again from the sources. A database that cannot be
// read, or is of another version, is begun anew. It belongs into a directory that
// nobody else writes to: not into the project, where what it analyses could bring
// a database of its own.
package sqlite
