// Package chunks keeps the index of package chunking/index, and the graph of package
// chunking/graph, in a PostgreSQL database that many servers share.
//
// The servers of a project find what any of them has saved, and parse what has
// changed. Changes are made by one server at a time, all together or not at all; a
// change that is made twice is as if it were made once.
package chunks
