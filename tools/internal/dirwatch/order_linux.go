package dirwatch

import "golang.org/x/sys/unix"

// localTypes are the types of file systems that only the kernel of this machine changes.
var localTypes = map[int64]bool{
	unix.EXT4_SUPER_MAGIC: true, unix.XFS_SUPER_MAGIC: true, unix.BTRFS_SUPER_MAGIC: true, unix.F2FS_SUPER_MAGIC: true, unix.TMPFS_MAGIC: true,
	unix.RAMFS_MAGIC: true, unix.OVERLAYFS_SUPER_MAGIC: true, unix.REISERFS_SUPER_MAGIC: true,
	0x2fc12fc1: true, // ZFS
	0xca451a4e: true, // bcachefs
	0x3153464a: true, // JFS
}

// inOrder reports whether the system reports all changes in a directory, in order with those in other such directories.
func inOrder(dir string) bool {
	var fs unix.Statfs_t
	return unix.Statfs(dir, &fs) == nil && localTypes[int64(fs.Type)]
}
