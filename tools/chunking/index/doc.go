// Package index keeps the chunks of the source files of a [security.Root] up to date,
// in memory and on disk. A chunk is one declaration of a source file, for example a
// function or a type, with its position and signature.
//
// An [Index] holds one [File] for each indexed source file. [Index.Analyze] walks a
// directory by the rules of the Root and of .gitignore and parses changed files.
// [Index.Update] does the same for a few paths, and [Index.Watch] calls it when files
// change. [Index.ReadFile] reads one file now and returns the bytes that the result
// describes.
//
// An [Index.Snapshot] never changes. [Snapshot.Search] finds chunks by name in it. The
// data for searches is in memory; [File.Parsed] reads the rest of a stored file on
// demand.
//
// A file counts as unchanged if its size and modification time equal the recorded ones.
// If the recorded time is within two seconds of the reading, a later change could have
// the same time, so the content is hashed.
//
// A [Store] keeps the index between runs. It is a cache: the source files can always
// replace it, so it does not flush to disk, and all loaded data is checked. See
// [NewJSONStore].
package index
