package confine

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// surrendered are the capabilities that lead around Landlock: with CAP_PERFMON, say, the environment of the process that is not
// confined can be read in /proc.
func surrendered() []uint {
	return []uint{
		unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE, unix.CAP_PERFMON, unix.CAP_BPF, unix.CAP_CHECKPOINT_RESTORE, unix.CAP_SYS_MODULE,
		unix.CAP_SYS_RAWIO, unix.CAP_SYS_BOOT, unix.CAP_SYS_TIME, unix.CAP_SYSLOG, unix.CAP_MKNOD, unix.CAP_NET_ADMIN,
		unix.CAP_MAC_ADMIN, unix.CAP_MAC_OVERRIDE,
	}
}

// dropCapabilities takes them from the calling thread. That it has no new privileges keeps its children from getting them back.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read the capabilities of the thread: %w", err)
	}
	for _, capability := range surrendered() {
		word, bit := &data[capability/32], uint32(1)<<(capability%32)
		word.Effective &^= bit
		word.Permitted &^= bit
		word.Inheritable &^= bit
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop the capabilities of the thread: %w", err)
	}
	return nil
}
