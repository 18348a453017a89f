package rootfs

import (
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAttributes is the limit in bytes of the names, and of each value, of the extended attributes that are copied.
const maxAttributes = 64 << 10

// copyAttributes copies the user attributes and access lists. Attributes that grant rights (security.*, trusted.*)
// are not copied, as by every write.
func copyAttributes(f, like *os.File) {
	to, err := f.SyscallConn()
	if err != nil {
		return
	}
	from, err := like.SyscallConn()
	if err != nil {
		return
	}
	from.Control(func(src uintptr) {
		size, err := unix.Flistxattr(int(src), nil)
		if err != nil || size == 0 || size > maxAttributes {
			return
		}
		names := make([]byte, size)
		if size, err = unix.Flistxattr(int(src), names); err != nil {
			return
		}
		to.Control(func(dst uintptr) {
			for name := range strings.SplitSeq(string(names[:size]), "\x00") {
				if strings.HasPrefix(name, "user.") || strings.HasPrefix(name, "system.posix_acl_") {
					copyAttribute(int(dst), int(src), name)
				}
			}
		})
	})
}

func copyAttribute(dst, src int, name string) {
	size, err := unix.Fgetxattr(src, name, nil)
	if err != nil || size > maxAttributes {
		return
	}
	value := make([]byte, size)
	if size, err = unix.Fgetxattr(src, name, value); err == nil {
		unix.Fsetxattr(dst, name, value[:size], 0)
	}
}
