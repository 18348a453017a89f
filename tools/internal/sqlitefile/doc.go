// Package sqlitefile opens SQLite databases in files that several processes share. Only the owner can read the file.
//
// [Open] retries while other processes use the database, [Writer] and [Reader] open connections. [Schema] adds migrations, and
// replaces a damaged database by a new one. Without a Schema the caller handles damage.
package sqlitefile
