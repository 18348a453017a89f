// Package index defines the interface of a search index: it stores files split into pieces, and finds candidates by words, by
// literal text and by code fingerprints.
//
// [Index] is the interface, [Writer] its transactions, [File] and [Piece] the stored data, [Query], [Likeness] and [Literals]
// the searches. Package segment implements Index with files of its own; a database can implement it as well. Package indextest
// tests implementations. An Index returns candidates with scores; package rank computes the order that is shown.
package index
