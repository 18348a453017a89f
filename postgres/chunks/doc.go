// Package chunks keeps the index of package chunking/index, and the graph of package
// chunking/graph, in a PostgreSQL database that many servers share.
//
// The servers of a project load the chunks that any of them has saved, and parse changed
// files. One server at a time changes a project, in a transaction. A repeated change has no
// further effect.
package chunks
