//go:build unix

package rootfs

import (
	"fmt"
	"os"
	"syscall"
)

func identity(f *os.File) string {
	info, err := f.Stat()
	if err != nil {
		return ""
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return ""
	}
	return fmt.Sprintf("%d:%d", stat.Dev, stat.Ino)
}
