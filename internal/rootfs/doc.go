// Package rootfs opens, lists and replaces files inside one directory tree. No name and no link leads outside of it.
//
// [Open] returns a [Root]. [Root.Open], [Root.OpenDir] and [Root.Place] follow a path through open handles of
// directories ([os.Root]), one name at a time, and resolve links themselves. They return the final path: the path below
// the root without links. The caller applies its rules to the final path and then acts on the same handle, so a later
// exchange of a directory has no effect. A [Place] is an open directory and a name in it, for changes of the entry. A
// [Dir] lists a directory and opens its entries. On Linux, openat2 first tries to open the path in one call without
// following links; if it succeeds, the given path is the final path.
//
// Only regular files and directories are opened. Other entries are [ErrIrregular], and opening them never blocks.
// [Place.Replace] renames a complete temporary file over the old file, so a reader, a crash or a kill leaves either the
// complete old content or the complete new content.
//
// Limits: mounts inside the root belong to it. A hard link is an ordinary file here; [Links] returns the number of hard
// links of an open file, so that the caller can refuse it.
package rootfs
