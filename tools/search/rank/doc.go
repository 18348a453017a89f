// Package rank says what to ask an index for a query as people and models write it,
// and puts what the index found in the order in which it is shown.
//
// [Parse] reads a query: names of code and their parts, words, runs of Japanese or
// Chinese, phrases in quotes, paths; and what is wanted, a definition, a file, an
// explanation, or whatever fits. [Query.Index] is the question for an index.Index,
// which answers with candidates by BM25F. [Order] looks at these again for what words
// do not tell: whether a piece is the definition of what the query names, how much of
// the query it has, what its heading, file and directory are called, and whether it
// is a test, an example or somebody else's code, which are shown later unless the
// query asks for them.
//
// All of it is a function of its arguments, and reads no file.
package rank
