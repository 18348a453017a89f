package rootfs

import (
	"os"

	"golang.org/x/sys/unix"
)

// mayAlias reports whether the file system of a directory may open an entry by a name that is not in its listing.
// File systems that compare every byte of a name return false, because a listing is slow in large directories.
func mayAlias(dir *os.Root) bool {
	f, err := dir.Open(".")
	if err != nil {
		return true
	}
	defer f.Close()
	conn, err := f.SyscallConn()
	if err != nil {
		return true
	}
	var stat unix.Statfs_t
	if e := conn.Control(func(fd uintptr) { err = unix.Fstatfs(int(fd), &stat) }); e != nil || err != nil {
		return true
	}
	switch uint32(stat.Type) {
	case unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC, unix.BCACHEFS_SUPER_MAGIC:
		return false
	}
	return true
}
