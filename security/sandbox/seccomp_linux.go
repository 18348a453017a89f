//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// filtersSystemCalls says that this architecture has a filter.
const filtersSystemCalls = true

// Offsets in struct seccomp_data. The lower half of an argument comes first on the architectures above.
const (
	numberOffset       = 0
	architectureOffset = 4
	argumentsOffset    = 16
)

// filter is a program of classic BPF that decides about system calls.
type filter []unix.SockFilter

func (f *filter) add(code uint16, yes, no int, k uint32) {
	*f = append(*f, unix.SockFilter{Code: code, Jt: uint8(yes), Jf: uint8(no), K: k})
}

const (
	loadWord = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	ifEqual  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	ifAtMost = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	ifAnyBit = unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K
	answer   = unix.BPF_RET | unix.BPF_K
)

func (f *filter) fail(errno unix.Errno) { f.add(answer, 0, 0, unix.SECCOMP_RET_ERRNO|uint32(errno)) }

// refuse refuses a system call. The accumulator holds the number before and after each of these methods.
func (f *filter) refuse(number uint32, errno unix.Errno) {
	f.add(ifEqual, 0, 1, number)
	f.fail(errno)
}

// refuseBits refuses a call with one of these bits in an argument.
func (f *filter) refuseBits(number uint32, argument int, bits uint32, errno unix.Errno) {
	f.add(ifEqual, 0, 4, number)
	f.add(loadWord, 0, 0, uint32(argumentsOffset+8*argument))
	f.add(ifAnyBit, 0, 1, bits)
	f.fail(errno)
	f.add(loadWord, 0, 0, numberOffset)
}

// refuseValues refuses a call with one of these values of an argument, or with allow set any other value.
func (f *filter) refuseValues(number uint32, argument int, allow bool, errno unix.Errno, values ...uint32) {
	f.add(ifEqual, 0, len(values)+3+1, number)
	f.add(loadWord, 0, 0, uint32(argumentsOffset+8*argument))
	for i, value := range values {
		toFail, toPass := len(values)-i, len(values)-i+1 // over the values after this one, and the jump
		if allow {
			f.add(ifEqual, toPass, 0, value)
		} else {
			f.add(ifEqual, toFail, 0, value)
		}
	}
	if allow {
		f.add(unix.BPF_JMP|unix.BPF_JA, 0, 0, 0)
	} else {
		f.add(unix.BPF_JMP|unix.BPF_JA, 0, 0, 1)
	}
	f.fail(errno)
	f.add(loadWord, 0, 0, numberOffset)
}

// refuseCreation refuses a call that makes a file with one of these bits in its mode. The mode of a call without a flag that makes a
// file means nothing.
func (f *filter) refuseCreation(number uint32, flags, mode int, bits uint32, errno unix.Errno) {
	f.add(ifEqual, 0, 6, number)
	f.add(loadWord, 0, 0, uint32(argumentsOffset+8*flags))
	f.add(ifAnyBit, 0, 3, unix.O_CREAT|unix.O_TMPFILE&^unix.O_DIRECTORY)
	f.add(loadWord, 0, 0, uint32(argumentsOffset+8*mode))
	f.add(ifAnyBit, 0, 1, bits)
	f.fail(errno)
	f.add(loadWord, 0, 0, numberOffset)
}

// refuseOthersRights refuses to make programs that run with the rights of their owner or group, for other users of the machine.
func (f *filter) refuseOthersRights() {
	const bits = unix.S_ISUID | unix.S_ISGID
	f.refuseBits(unix.SYS_FCHMOD, 1, bits, unix.EPERM)
	f.refuseBits(unix.SYS_FCHMODAT, 2, bits, unix.EPERM)
	f.refuseBits(unix.SYS_FCHMODAT2, 2, bits, unix.EPERM)
	f.refuseBits(unix.SYS_MKNODAT, 2, bits, unix.EPERM)
	f.refuseCreation(unix.SYS_OPENAT, 2, 3, bits, unix.EPERM)
	// Its flags and mode are in memory. Libraries use openat then, as on an older kernel.
	f.refuse(unix.SYS_OPENAT2, unix.ENOSYS)
	if runtime.GOARCH == "amd64" {
		const open, creat, chmod, mknod = 2, 85, 90, 133 // arm64 has none of them
		f.refuseCreation(open, 1, 2, bits, unix.EPERM)
		f.refuseBits(creat, 1, bits, unix.EPERM)
		f.refuseBits(chmod, 1, bits, unix.EPERM)
		f.refuseBits(mknod, 1, bits, unix.EPERM)
	}
}

// systemCalls is the filter against ways out that namespaces do not cover.
func systemCalls(network Network) filter {
	var f filter
	architecture := uint32(unix.AUDIT_ARCH_X86_64)
	if runtime.GOARCH == "arm64" {
		architecture = unix.AUDIT_ARCH_AARCH64
	}
	f.add(loadWord, 0, 0, architectureOffset)
	f.add(ifEqual, 1, 0, architecture)
	f.fail(unix.ENOSYS) // numbers of other architectures mean other calls
	f.add(loadWord, 0, 0, numberOffset)
	if runtime.GOARCH == "amd64" {
		const x32 = 0x40000000
		f.add(ifAtMost, 0, 1, x32)
		f.fail(unix.ENOSYS)
	}
	for _, number := range []uint32{
		unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_MOVE_MOUNT, unix.SYS_OPEN_TREE, unix.SYS_FSOPEN, unix.SYS_FSCONFIG,
		unix.SYS_FSMOUNT, unix.SYS_FSPICK, unix.SYS_MOUNT_SETATTR, unix.SYS_SETNS, unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
		unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD, unix.SYS_KEXEC_LOAD, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE,
		unix.SYS_DELETE_MODULE, unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG,
		unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX,
		// Calls through a ring are not seen by filters.
		unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
	} {
		f.refuse(number, unix.EPERM)
	}
	// The flags of clone3 are in memory, where a filter cannot read. Libraries use clone then.
	f.refuse(unix.SYS_CLONE3, unix.ENOSYS)
	f.refuseBits(unix.SYS_CLONE, 0, unix.CLONE_NEWUSER, unix.EPERM)
	f.refuseBits(unix.SYS_UNSHARE, 0, unix.CLONE_NEWUSER, unix.EPERM)
	f.refuseOthersRights()
	// They put text into the input of a terminal.
	const linuxConsole = 0x541C // TIOCLINUX
	f.refuseValues(unix.SYS_IOCTL, 1, false, unix.EPERM, unix.TIOCSTI, linuxConsole)
	families := []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK}
	if network == NetworkOff {
		families = []uint32{unix.AF_UNIX, unix.AF_NETLINK}
	}
	f.refuseValues(unix.SYS_SOCKET, 0, true, unix.EAFNOSUPPORT, families...)
	f.add(answer, 0, 0, unix.SECCOMP_RET_ALLOW)
	return f
}

// filterSystemCalls installs the filter for the calling thread, which has no new privileges, and its children.
func filterSystemCalls(network Network) error {
	f := systemCalls(network)
	program := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	_, _, errno := unix.Syscall6(unix.SYS_PRCTL, unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0, 0)
	runtime.KeepAlive(f)
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	return nil
}
