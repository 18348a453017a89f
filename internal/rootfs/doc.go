// Package rootfs opens, lists and replaces files inside one directory tree, whatever the names and the links in it say.
//
// Everything goes through open handles of directories ([os.Root]), never through a path that was checked before. A path is
// followed one name at a time, and a link is read and followed by this package itself, so that every operation knows the
// final path of what it touches: the path without any link, below the root. A caller decides its policy on that path and
// then acts on the same handle. On Linux the entries of an open directory ([Dir]) are opened by its descriptor, one name at a time
// and never through a link. Where the kernel can open a path without following a link in one call (openat2 on Linux),
// that call is used first; its success says that the path given is the final one.
//
// Only regular files and directories are served. A FIFO, a socket, a device or anything else is an error ([ErrIrregular]),
// and opening one never blocks. Content is replaced by renaming a finished temporary file over the old one, so that a reader,
// a crash or a kill sees the whole old content or the whole new one.
//
// What the package does not stop: mounts inside the root, and hard links made by somebody who could read the file anyway.
package rootfs
