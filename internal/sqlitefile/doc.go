// Package sqlitefile opens databases of SQLite in files that several processes use at
// once and nobody but their owner can read. What is in them, and what becomes of one that
// is damaged, is for those who use it.
package sqlitefile
