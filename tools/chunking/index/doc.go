// Package index holds the chunks of the source files below the directories of a
// [security.Root], up to date and on disk.
//
// [Index.Analyze] reads a directory: it walks it as the rules of the Root and
// .gitignore say, and parses what has changed since. [Index.Watch] keeps what was
// analysed current, [Index.Fresh] answers for one file with the bytes that the
// answer describes, and [Index.Snapshot] is an unchanging view of all, which can be
// searched by name.
//
// A file counts as unchanged if its size and time of modification are those that
// it had when it was read, unless that time was so near to the reading that a
// later change might bear the same: then its content is hashed.
//
// What searches look at is in memory. The rest of a file that a Store has loaded is
// read when [File.Parsed] is asked for it.
//
// A [Store] keeps the index between runs. What it holds can always be had again
// from the files, so it trades no speed for durability, and nothing that it loads
// is trusted: see [NewJSONStore].
package index
