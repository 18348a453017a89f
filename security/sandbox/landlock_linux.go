package sandbox

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rules are the exceptions from the restrictions of Landlock, for the kind Landlock.
type rules struct {
	Read    []string // files and directories that can be read, listed and executed
	Write   []string // as Read, and everything in them can be changed
	Network bool
}

// The first versions of Landlock with the features that are used here.
const (
	networkVersion = 4 // Linux 6.7
	scopeVersion   = 6 // Linux 6.12
)

// landlockVersion is the version of Landlock that the kernel offers, 0 for none.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

// apply restricts the calling thread, for good, and its children. Kinds with namespaces use Landlock only for abstract Unix
// sockets, which belong to the network namespace.
func (r rules) apply(kind Kind) error {
	version := landlockVersion()
	attr := r.handled(version)
	if kind != Landlock {
		if version < scopeVersion {
			return nil
		}
		attr = unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	} else if version == 0 {
		return errors.New("the kernel has no Landlock")
	}
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr), 0)
	if errno != 0 {
		return fmt.Errorf("create a Landlock ruleset of version %d: %w", version, errno)
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

// Access rights.
const (
	reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE
	special = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK // no rule allows these
	device  = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	// ofFile are the rights that a file can have; the kernel refuses a rule that gives it others.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | device
)

// handled is everything that the kernel can restrict and the rules do not allow.
func (r rules) handled(version int) unix.LandlockRulesetAttr {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: reading | writing | special | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}
	if version < 2 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_REFER // version 1 never allows it
	}
	if version < 3 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version < 5 {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if !r.Network && version >= networkVersion {
		attr.Handled_access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= scopeVersion {
		attr.Scoped |= unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	return attr
}

// allow adds the exceptions from what is handled.
func (r rules) allow(ruleset int, handled uint64) error {
	if handled == 0 {
		return nil
	}
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
	for _, path := range usualDevices() {
		if err := allowPath(ruleset, path, device&handled); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	return nil
}

// allowPath gives rights to a file, or to a directory and all below it.
func allowPath(ruleset int, path string, access uint64) error {
	if !filepath.IsAbs(path) || strings.Contains(path, "\x00") {
		return fmt.Errorf("allow %q: the path is not absolute", path)
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	defer unix.Close(fd)
	var stat unix.Stat_t
	if err := unix.Fstat(fd, &stat); err != nil {
		return fmt.Errorf("allow %q: %w", path, err)
	}
	if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
		access &= ofFile
	}
	beneath := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&beneath)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow %q: %w", path, errno)
	}
	return nil
}

// usualDevices are the devices that every program expects.
func usualDevices() []string {
	return []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts"}
}

// programs are the existing places that installed programs are in or need to run: directories of programs and libraries,
// certificates, name resolution, accounts, time zones and the kernel's files about processes.
func programs() []string {
	var there []string
	for _, pattern := range []string{
		"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/opt", "/nix/store", "/gnu/store", "/snap", "/proc",
		"/sys/devices/system/cpu", "/sys/fs/cgroup", "/sys/kernel/mm/transparent_hugepage",
		"/etc/alternatives", "/etc/ca-certificates*", "/etc/crypto-policies", "/etc/fonts", "/etc/gai.conf", "/etc/gitconfig", "/etc/host.conf",
		"/etc/hosts", "/etc/inputrc", "/etc/java*", "/etc/ld.so.*", "/etc/locale.alias", "/etc/localtime", "/etc/magic", "/etc/maven",
		"/etc/mime.types", "/etc/nsswitch.conf", "/etc/os-release", "/etc/passwd", "/etc/group", "/etc/pki/ca-trust", "/etc/pki/tls/certs", "/etc/protocols",
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
