package rootfs

import "golang.org/x/sys/unix"

// renameNew renames an entry unless there is one of the new name.
func renameNew(from int, old string, into int, name string) error {
	return unix.Renameat2(from, old, into, name, unix.RENAME_NOREPLACE)
}
