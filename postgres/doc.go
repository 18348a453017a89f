// Package postgres keeps what several servers share in a PostgreSQL database: the
// index of package search (see postgres/index), and the chunks and the graph of
// package chunking (see postgres/chunks).
//
// A database may have many projects, each with a name of its own, and a project many
// servers. All tables are in one schema of the database, "dougu" unless Options say
// otherwise, which is made when it is missing and brought up to date by whichever
// server comes first.
//
// Everything in it can be had again from the sources. PostgreSQL 13 or later is
// needed, no extension is. Locks belong to connections: between a server and the
// database there must be no pooler that gives the same connection to several in turn
// (PgBouncer's transaction mode); its session mode is right.
package postgres
