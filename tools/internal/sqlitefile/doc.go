// Package sqlitefile opens databases of SQLite in files that several processes use at
// once and nobody but their owner can read. What is in them is for those who use it, and
// so is what becomes of one that is damaged, unless it has a [Schema].
package sqlitefile
