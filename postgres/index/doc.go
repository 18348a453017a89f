// Package index keeps the index of package search in a PostgreSQL database that many servers
// share. Open returns a segment.Index whose segments are in the database: it finds and ranks
// exactly as an index in files.
//
// # Storage
//
// A segment never changes. The database has each segment in pages of 64 KiB, and for each
// project a manifest, which names the segments of the index. A server reads each segment
// once, keeps segments in memory up to segment.Options.Memory, and reads pages of the others
// on demand. Words and trigrams are not those of PostgreSQL: its full-text search has no
// rarity of words and splits neither names nor Japanese, and pg_trgm ignores case and
// punctuation, so that it cannot find exact bytes.
//
// # Many servers
//
// One server at a time writes, while its Writer is open. The lock is an advisory lock of the
// writing connection: it is free when the connection ends for any reason, and a server
// without it cannot commit. Other writers wait for Options.Wait; their error names the
// holder. Readers are never blocked. Other servers find a commit within 200 ms. While the
// database is not reachable, searches use the segments that were read before.
//
// A commit is one transaction, which PostgreSQL writes to disk before it acknowledges it.
// Segments without a name in the manifest are deleted ten minutes later.
package index
