// Package segment implements index.Index with files in a directory, or in a [Store] that servers on several
// machines share.
//
// # Files
//
// A directory contains immutable segments and a manifest. The manifest names the
// segments and records deleted files and changed modification times. A commit writes
// segments and then replaces the manifest atomically, so a crash loses only uncommitted
// changes. Small segments are merged in the background when no writer was active for a
// second, or when there are many. One process at a time may write; it holds the file
// named lock. Others read and follow the manifest.
//
// A segment contains, compressed: files, metadata of pieces, words with postings,
// trigrams with files, and fingerprints with pieces. It does not contain the text. Each
// page of 64 KiB has a checksum that is verified before use. Damaged data is logged and
// dropped, and never used for results.
//
// # Search
//
// Scores are BM25F. The frequency of a word in a field is divided by the normalized
// field length (Query.B), weighted, summed over the fields and saturated. Some terms
// score too low to bring a piece into the results by themselves. Such terms are read only
// for the pieces that other terms found. A word that ends in "*" stands for the 200 most frequent words with that
// prefix. Scores do not depend on the division into segments, except that deleted files
// count in the averages until a merge removes them.
//
// If Weights or B of a Query are all zero, defaults apply. The default weights are
// about four for names and two for words of paths, documentation and signatures,
// relative to other text. If weights are given, a field with weight zero is not
// searched.
package segment
