package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"golang.org/x/sys/unix"
)

// keptCapabilities are the capabilities that root keeps inside namespaces, where they hold for the files that are mounted and for its own
// processes alone: root can change files of other users, and become another user.
func keptCapabilities(kind Kind) []uint {
	if kind != Namespaces || os.Geteuid() != 0 {
		return nil
	}
	return []uint{unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID, unix.CAP_NET_BIND_SERVICE}
}

// droppedCapabilities are the capabilities that lead around Landlock: with CAP_PERFMON, say, the environment of a process outside can be
// read in /proc.
func droppedCapabilities() []uint {
	return []uint{
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_CHECKPOINT_RESTORE, unix.CAP_SYS_MODULE,
		unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME, unix.CAP_SYSLOG, unix.CAP_MKNOD, unix.CAP_NET_ADMIN,
		unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE, unix.CAP_SYS_CHROOT, unix.CAP_DAC_READ_SEARCH, unix.CAP_NET_RAW,
	}
}

// dropCapabilities takes capabilities from the calling thread, and from the programs that it starts.
func dropCapabilities(kind Kind) error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read the capabilities of the thread: %w", err)
	}
	const most = 63
	dropped, kept := droppedCapabilities(), keptCapabilities(kind)
	if kind != Landlock {
		dropped = nil
		for capability := range uint(most) {
			if !slices.Contains(kept, capability) {
				dropped = append(dropped, capability)
			}
		}
	}
	for _, capability := range dropped {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(capability), 0, 0, 0)
		if err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.EPERM) { // unknown to the kernel; none to drop
			return fmt.Errorf("drop capability %d: %w", capability, err)
		}
		word, bit := &data[capability/32], uint32(1)<<(capability%32)
		word.Effective &^= bit
		word.Permitted &^= bit
		word.Inheritable &^= bit
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("drop ambient capabilities: %w", err)
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop the capabilities of the thread: %w", err)
	}
	return nil
}
