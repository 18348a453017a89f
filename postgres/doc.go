// Package postgres keeps the shared state of several servers in a PostgreSQL database: the
// index of package search (see postgres/index), the chunks and the graph of package chunking
// (see postgres/chunks), and the vectors of embeddings (see postgres/vectors).
//
// A database may have many projects, each with a unique name, and a project many servers.
// All tables are in one schema of the database, by default "dougu". The first server creates
// the schema and migrates it to its version.
//
// All data can be made again from the sources. PostgreSQL 13 or later is required, and no
// extension. Locks belong to connections: a pooler between server and database must not give
// one connection to several clients in turn. PgBouncer therefore needs its session mode.
package postgres
