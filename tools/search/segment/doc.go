// Package segment keeps a search index in files of its own: an index.Index that is
// fast to make and to ask, small, and in order after a crash.
//
// # Files
//
// A directory has segments, which never change, and a manifest, which names them and
// says which of their files are deleted or have got another time. A change writes
// segments, and then replaces the manifest at once: who opens the index after a crash
// finds what was committed last. Small segments are merged in the background, once
// nobody has written for a second or there are many; what nothing names any more is
// deleted. One process at a time may write, and has the file named lock; others read,
// and follow the manifest.
//
// A segment has, each compressed: the files, what is known of their pieces, the words
// of package token with the pieces that each is in and how often in which field, the
// trigrams of bytes with the files that each is in, and the fingerprints with the
// pieces that have each. Text is not kept. It has a checksum for each 64 KiB, which
// is checked before anything of that is used: what is damaged is told to the log and
// left out, and never answered from.
//
// # Answers
//
// Search is BM25F: how often a word is in each field is divided by the length of the
// field, as much as Query.B says, weighted and added up before it is dampened. Terms
// that cannot bring a piece among the best by themselves are only looked up where
// others are found. A word with "*" stands for the 200 most frequent words that
// begin with it. Scores are the same however the index is divided into segments, but
// for files that are deleted: they count in the averages until they are merged away.
//
// Where Weights or B of a Query are all zero they have defaults, and weigh names
// four times and the words of paths, documentation and signatures twice as much as
// others, about. Otherwise a field whose weight is zero is not searched.
package segment
