// Package index keeps the index of package search in a PostgreSQL database that many
// servers share: Open answers an index.Index that finds and ranks exactly as that of
// package segment, since it is that one, with its segments in the database.
//
// # What is where
//
// A segment never changes. The database has each in pages of 64 KiB, and for each
// project the manifest, which names the segments that make up the index. A server
// reads the segments it does not have, once, keeps them in memory as far as
// segment.Options.Memory goes, and reads pages of others when they are needed. Words
// and trigrams are ours: PostgreSQL's own full text knows no rarity of words, and
// splits neither names nor Japanese; pg_trgm folds case and skips what is no letter,
// so that it could not tell what a text contains byte by byte.
//
// # Many servers
//
// One server at a time writes, for as long as its Writer is open; the lock is an
// advisory lock, held by the connection that writes, so that it is free when that
// ends for whatever reason, and who has lost it can commit nothing. Others wait for
// Options.Wait and are told who writes. Readers are never blocked. What one server
// commits is found by the others within a fifth of a second. While the database
// cannot be reached searches are answered from what was read before.
//
// A commit is one transaction, which PostgreSQL has on disk before it is
// acknowledged. Segments that are not named any more are deleted ten minutes later.
package index
