// Package index says what a search index holds and answers: which files it
// knows, which of their pieces fit some words, which files may contain a text,
// and which pieces look like some code.
//
// Index is the interface; package segment implements it with files of its own,
// and a database server can stand behind it as well. What it finds are
// candidates: package rank makes the order of them that is shown.
package index
