//go:build unix

package descriptor

import (
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// firstFile is the first descriptor behind the standard streams.
const firstFile = 3

// maxUnlistedFiles bounds the descriptors that are marked where they cannot be listed.
const maxUnlistedFiles = 1 << 16

// markOpenFiles marks all files that a directory lists by their descriptors. Without the directory, it tries all descriptors.
func markOpenFiles(dir string) {
	names, err := listFiles(dir)
	for _, name := range names {
		if fd, err := strconv.Atoi(name); err == nil && fd >= firstFile {
			unix.CloseOnExec(fd)
		}
	}
	if err == nil {
		return
	}
	limit := uint64(maxUnlistedFiles)
	var files unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &files) == nil {
		limit = min(limit, uint64(files.Cur))
	}
	for fd := firstFile; uint64(fd) < limit; fd++ {
		unix.CloseOnExec(fd)
	}
}

func listFiles(dir string) ([]string, error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	return names, err
}
