package confine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supported tells the version of Landlock that the kernel offers, and whether there is any. It asks each time; it is cheap.
func Supported() (abi int, ok bool) {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, false
	}
	return int(version), true
}

// Thread restricts the calling thread of the operating system, for good, and whatever it starts. The caller has called
// [runtime.LockOSThread], starts the child from this goroutine and never unlocks it, so that the thread ends with the goroutine
// and no other goroutine is ever scheduled on it.
//
// The thread also gives up gaining rights from set-user-ID programs, so that sudo does not work in it, and the capabilities of
// root by which a process reaches around file permissions: to trace or to look into processes, to mount, to make devices. If an error is returned
// the thread may be restricted in part; it must be thrown away all the same, and nothing be started.
func Thread(r Rules) error {
	abi, ok := Supported()
	if !ok {
		return ErrUnsupported
	}
	if !r.Network && abi < 4 {
		return fmt.Errorf("%w: closing the network needs Landlock version 4, the kernel has %d; set Network", ErrUnsupported, abi)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	attr := r.handled(abi)
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("create a Landlock ruleset of version %d: %w", abi, errno)
	}
	defer unix.Close(int(ruleset))
	if err := r.allow(int(ruleset), attr.Handled_access_fs); err != nil {
		return err
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return fmt.Errorf("restrict the thread: %w", errno)
	}
	return nil
}

const (
	reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	devices = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK // nobody gets these
	device  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// ofFile are the rights that a file can have; the kernel refuses a rule that gives it others.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | device
)

// handled is everything that the kernel can restrict and the rules do not leave alone.
func (r Rules) handled(abi int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: reading | writing | devices | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}
	if abi < 2 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_REFER // version 1 never allows it
	}
	if abi < 3 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi < 5 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if !r.Network {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if abi >= 6 && !r.Network {
		attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
	}
	if abi >= 6 && !r.Signals {
		attr.Scoped |= unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// allow adds the exceptions from what is handled.
func (r Rules) allow(ruleset int, handled uint64) error {
	for _, path := range r.Read {
		if err := allowPath(ruleset, path, reading&handled); err != nil {
			return err
		}
	}
	for _, path := range r.Write {
		if err := allowPath(ruleset, path, (reading|writing)&handled); err != nil {
			return err
		}
	}
	for _, path := range everyday() {
		if err := allowPath(ruleset, path, device&handled); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// allowPath gives rights to a file, or to a directory and all below it.
func allowPath(ruleset int, path string, access uint64) error {
	if !filepath.IsAbs(path) || strings.Contains(path, "\x00") {
		return fmt.Errorf("confine to %q: the path is not absolute", path)
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("confine to %q: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("confine to %q: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= ofFile
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("confine to %q: %w", path, errno)
	}
	return nil
}

// everyday are the devices that programs open without thinking.
func everyday() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}
}

// Programs are the places, of those that exist, that installed programs are in or need to run and to find their way: the
// directories of programs and libraries, certificates, name resolution, time zones and what the kernel tells of processes.
// Accounts, the configuration of services and homes are not among them.
func Programs() []string {
	var there []string
	for _, pattern := range []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap", "/proc",
		"/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
		"/etc/alternatives", "/etc/ca-certificates*", "/etc/crypto-policies", "/etc/fonts", "/etc/gai.conf", "/etc/gitconfig", "/etc/host.conf",
		"/etc/hosts", "/etc/inputrc", "/etc/java*", "/etc/ld.so.*", "/etc/locale.alias", "/etc/localtime", "/etc/magic", "/etc/maven",
		"/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/protocols",
		"/etc/resolv.conf", "/etc/services", "/etc/ssl/certs", "/etc/ssl/openssl.cnf", "/etc/terminfo", "/etc/timezone",
	} {
		found, _ := filepath.Glob(pattern) // the patterns are well formed
		for _, path := range found {
			if _, err := os.Stat(path); err == nil { // not a link that leads nowhere
				there = append(there, path)
			}
		}
	}
	return there
}
