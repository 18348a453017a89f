// Package rank translates queries for a search index and orders the results.
//
// [Parse] reads a query of a person or a model: code names and their parts, words, runs
// of Japanese or Chinese, quoted phrases and paths. It also guesses the intention, for
// example a definition, a file or an explanation. [Query.Index] returns the query for
// an index.Index, which finds candidates by BM25F.
//
// [Order] ranks the candidates by further criteria: whether a piece defines a named
// symbol, the matched part of the query, and the names of heading, file and directory.
// Tests, examples and vendored code rank lower unless the query names them.
//
// All functions depend only on their arguments and read no files.
package rank
