package descriptor

import "golang.org/x/sys/unix"

// CloseOnExec keeps the programs that this one runs from its open files, except for the standard streams and the
// files that they are given. Go opens files in this way, but the parent of this program may have left others open.
func CloseOnExec() {
	if unix.CloseRange(firstFile, ^uint(0), unix.CLOSE_RANGE_CLOEXEC) != nil { // before Linux 5.11
		markOpenFiles("/proc/self/fd")
	}
}
